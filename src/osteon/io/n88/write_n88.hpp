#pragma once
/// @file
/// Write models of FAIM and n88tools (read_n88.hpp).
#include <array>
#include <cstdint>
#include <memory>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::io::n88 {

/// A value along an axis at a node.
struct node_value {
  std::int32_t node = 0;  ///< from 0
  int axis = 0;           ///< 0 z, 1 y, 2 x
  double value = 0;       ///< mm or N
};

/// A problem of the file. Its constraints bear its name.
struct problem {
  std::string name;
  std::vector<node_value> displacements, forces;
};

struct node_list {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< from 0
};

/// Data of a file besides nodes and elements.
struct description {
  std::string history;
  voxel::material_table materials;  ///< IDs are their numbers; [0] is empty
  std::vector<node_list> sets;
  std::vector<problem> problems;  ///< the first one is the active one
  std::int64_t nodes = 0, elements = 0;
};

/// A file that is being written. Names that its lists cannot hold are changed: letters, digits, '_', '-', '.' and blanks
/// stay.
class model_writer {
 public:
  /// Define the file and write all but nodes and elements. @param name of the file, which is replaced
  /// @throws machine_error if it cannot be written @collective local
  model_writer(const std::string& name, const description& what);
  ~model_writer();

  /// The next nodes. @param xyz_mm three values a node
  void add_nodes(std::span<const float> xyz_mm);
  /// The next elements. @param corners 4 dz + 2 dy + dx, nodes from 0
  void add_elements(std::span<const std::array<std::int32_t, 8>> corners, std::span<const material_number> materials);
  void close();

 private:
  struct file;
  std::unique_ptr<file> file_;
};

}  // namespace osteon::io::n88
