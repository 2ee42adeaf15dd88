#pragma once
/// @file
/// Models of ParOSol: HDF5 files with the group /Image_Data.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/io/chunked/plane_source.hpp>
#include <osteon/io/temporary_file.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Condition along one axis at a node. ParOSol stores node positions in 16 bits.
struct parosol_condition {
  std::array<std::uint16_t, 3> node_zyx{};
  std::uint16_t direction = 0;  ///< 0 x, 1 y, 2 z
  float value = 0;
};

struct parosol_model {
  index3 shape;
  double voxel_mm = 0;
  double poisson_ratio = 0.3;
  std::vector<parosol_condition> fixed;   ///< displacements in mm
  std::vector<parosol_condition> loaded;  ///< forces in N
};

/// Maximum number of voxels along an axis.
inline constexpr std::int64_t parosol_most_voxels = 65534;

/// Write a model, plane by plane.
/// @param name name of the file; an existing file is replaced @param modulus_GPa computes moduli; 0 in empty voxels
/// @throws machine_error if the file cannot be written @collective local
void write_parosol(const std::string& name, const parosol_model& model, const plane_source<float>& modulus_GPa);

}  // namespace osteon::io
