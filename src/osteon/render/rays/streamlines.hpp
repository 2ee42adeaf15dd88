#pragma once
/// @file
/// Streamlines of a distributed vector field. Lines are computed in both directions from their seeds.
#include <array>
#include <cstdint>
#include <osteon/grid/block.hpp>
#include <span>
#include <vector>

namespace osteon::render {

/// Point of a line.
struct line_vertex {
  vector3 at;        ///< position in voxels from the corner of voxel (0, 0, 0)
  double time = 0;   ///< travel time from the beginning of the line [s], for a velocity field in mm/s
  double speed = 0;  ///< magnitude of the field in the unit of the field
};

/// Concatenated lines. The lines are equal on all ranks.
struct streamlines {
  std::vector<line_vertex> vertices;
  /// First vertex of each line, followed by the number of vertices. A line has at least two vertices.
  std::vector<std::size_t> first{0};
  std::size_t count() const { return first.size() - 1; }
  std::span<const line_vertex> line(std::size_t i) const {
    return std::span(vertices).subspan(first[i], first[i + 1] - first[i]);
  }
  /// Length of line i [mm].
  double length(std::size_t i, const vector3& spacing_mm) const;
};

/// Values at the centres of the owned voxels. Each component (z, y, x) is an array. In voxels without a value, the
/// components are NaN.
using vector_values = std::array<std::vector<float>, 3>;

struct line_options {
  double step_voxels = 0.25;  ///< length of an integration step in voxels, at most 1
  /// Maximum length in voxels of a line in each direction from its seed. 0 means twice the sum of the edges of the domain.
  double greatest_length = 0;
  double least_speed = 1e-5;  ///< fraction of the largest speed; a line ends where the speed is below this fraction
  double turn_deg = 4;        ///< angle in degrees by which a line turns between stored vertices; 0: all steps are stored
};

/// Centres of `count` random voxels. The probability of a voxel is proportional to the speed in the voxel. Lines through
/// these centres represent approximately equal flow rates.
///
/// For each voxel, the function divides a hash of the voxel number by the speed. The function selects the voxels with the
/// smallest ratios. The selection therefore depends only on the field. If fewer than `count` voxels have a non-zero speed,
/// the result has fewer seeds. @cite [Efraimidis2006]
/// @return voxel centres in ascending order of this ratio, equal on all ranks @collective on where.comm
std::vector<vector3> seeds_by_speed(const grid::block& where, const vector_values& field, std::int64_t count);

/// Compute the lines through seeds in both directions. A line ends at the boundary of the domain, or where the speed
/// vanishes.
///
/// Between voxel centres, the field is interpolated trilinearly. The field is 0 in voxels without a value. Beyond the
/// outermost centres, the field is constant. The integration uses the classical fourth-order Runge-Kutta method with steps
/// of `step_voxels`. Each step is computed by the rank that owns the voxel at the start of the step. Lines are therefore
/// bitwise independent of the decomposition.
/// @param seeds points in the domain in voxels, equal on all ranks
/// @throws usage_error if a step is longer than a voxel, if the shape of a component differs from the block, or without a
///         box_tree; machine_error if the lines exceed the memory of a host @collective on where.comm
/// @cost rounds of transfers to adjacent ranks, about one round per block along a line; 40 bytes of memory per vertex on
/// every rank
streamlines trace(const grid::block& where, const vector3& spacing_mm, const vector_values& field,
                  std::span<const vector3> seeds, const line_options& options = {});

}  // namespace osteon::render
