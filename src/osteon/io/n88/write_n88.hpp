#pragma once
/// @file
/// Writer of models of FAIM and n88tools (read_n88.hpp).
#include <array>
#include <cstdint>
#include <memory>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::io::n88 {

/// Displacement or force along an axis at a node.
struct node_value {
  std::int32_t node = 0;  ///< from 0
  int axis = 0;           ///< 0 z, 1 y, 2 x
  double value = 0;       ///< mm or N
};

/// Problem of a file. The names of the constraints are derived from the name of the problem.
struct problem {
  std::string name;
  std::vector<node_value> displacements, forces;
};

struct node_list {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< from 0
};

/// Data of a file in addition to nodes and elements.
struct description {
  std::string history;
  voxel::material_table materials;  ///< the index is the ID of the material; index 0 is empty space
  std::vector<node_list> sets;
  std::vector<problem> problems;  ///< the first problem is active
  std::int64_t nodes = 0, elements = 0;
};

/// Writes a model. In names, characters other than letters, digits, '_', '-', '.' and blanks are replaced.
class model_writer {
 public:
  /// Define the file and write all data except nodes and elements. @param name name of the file; an existing file is
  /// replaced
  /// @throws machine_error if the file cannot be written @collective local
  model_writer(const std::string& name, const description& model);
  ~model_writer();

  /// Write the next nodes. @param xyz_mm three values per node
  void add_nodes(std::span<const float> xyz_mm);
  /// Write the next elements. @param corners nodes (from 0) of each element; the corner (dz, dy, dx) has the index 4 dz + 2
  /// dy + dx
  void add_elements(std::span<const std::array<std::int32_t, 8>> corners, std::span<const material_number> materials);
  void close();

 private:
  struct file;
  std::unique_ptr<file> file_;
};

}  // namespace osteon::io::n88
