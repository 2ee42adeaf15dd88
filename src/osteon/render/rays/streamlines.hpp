#pragma once
/// @file
/// Streamlines of a distributed vector field in both directions.
#include <array>
#include <cstdint>
#include <osteon/grid/block.hpp>
#include <span>
#include <vector>

namespace osteon::render {

/// Point of a line.
struct line_vertex {
  vector3 at;        ///< voxels, from the corner of voxel (0, 0, 0)
  double time = 0;   ///< travel time from the beginning of the line for a velocity field in mm/s [s]
  double speed = 0;  ///< magnitude of the field, in its unit
};

/// Concatenated lines. All ranks have all lines.
struct streamlines {
  std::vector<line_vertex> vertices;
  std::vector<std::size_t> first{0};  ///< first vertex of each line, and the number of vertices; a line has at least two
  std::size_t count() const { return first.size() - 1; }
  std::span<const line_vertex> line(std::size_t i) const {
    return std::span(vertices).subspan(first[i], first[i + 1] - first[i]);
  }
  /// Point in mm.
  double length(std::size_t i, const vector3& spacing_mm) const;
};

/// Values at the centres of the owned voxels, one array per component (z, y, x). NaN without a value.
using vector_values = std::array<std::vector<float>, 3>;

struct line_options {
  double step_voxels = 0.25;  ///< length of a step of the integration, at most 1
  double greatest_length =
      0;  ///< of a line in each direction from its seed, in voxels; 0: twice the edges of the domain together
  double least_speed = 1e-5;  ///< a line ends below this fraction of the largest speed
  double turn_deg = 4;        ///< turning angle of the line between stored vertices; 0: all steps are stored
};

/// Centres of `count` random voxels with probability proportional to speed, so that lines through them carry about equal
/// flow.
///
/// Voxels with the smallest ratio of a hash of their number to their speed are selected. So the choice depends on the field
/// only. Fewer voxels if fewer have a speed. @cite [Efraimidis2006]
/// @return voxels in descending probability, equal on all ranks @collective on where.comm
std::vector<vector3> seeds_by_speed(const grid::block& where, const vector_values& field, std::int64_t count);

/// Lines through points in both directions to the end of the field or domain, or to stagnation.
///
/// Between voxel centres the field is interpolated trilinearly, with zero for voxels without value; beyond the outermost
/// centres it is constant. Lines use the classical fourth-order Runge-Kutta method with steps of a fraction of a voxel. The
/// owner of the voxel at the start of a step computes it; lines are bitwise independent of the decomposition.
/// @param seeds points in the domain (voxels), the same on all ranks
/// @throws usage_error if a step is longer than a voxel, a component has not the shape of the block, or there is no
/// box_tree; machine_error if the lines exceed the memory of a host @collective on where.comm
/// @cost rounds of transfers to adjacent ranks, about as many as the blocks along a line; memory: 40 bytes per vertex on
/// every rank
streamlines trace(const grid::block& where, const vector3& spacing_mm, const vector_values& field,
                  std::span<const vector3> seeds, const line_options& how = {});

}  // namespace osteon::render
