#pragma once
/// @file
/// Writing of models of FAIM and n88tools (read_n88.hpp).
#include <array>
#include <cstdint>
#include <memory>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::io::n88 {

/// Value along an axis at a node.
struct node_value {
  std::int32_t node = 0;  ///< from 0
  int axis = 0;           ///< 0 z, 1 y, 2 x
  double value = 0;       ///< mm or N
};

/// Problem of the file. Its constraints have its name.
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
  voxel::material_table materials;  ///< IDs are their numbers; [0] is empty
  std::vector<node_list> sets;
  std::vector<problem> problems;  ///< the first one is the active one
  std::int64_t nodes = 0, elements = 0;
};

/// File during writing. Characters of names other than letters, digits, '_', '-', '.' and blanks are replaced.
class model_writer {
 public:
  /// Define the file and write all data except nodes and elements. @param name name of the file, which is replaced
  /// @throws machine_error if the file cannot be written @collective local
  model_writer(const std::string& name, const description& what);
  ~model_writer();

  /// Write the next nodes. @param xyz_mm three values per node
  void add_nodes(std::span<const float> xyz_mm);
  /// Write the next elements. @param corners 4 dz + 2 dy + dx, nodes from 0
  void add_elements(std::span<const std::array<std::int32_t, 8>> corners, std::span<const material_number> materials);
  void close();

 private:
  struct file;
  std::unique_ptr<file> file_;
};

}  // namespace osteon::io::n88
