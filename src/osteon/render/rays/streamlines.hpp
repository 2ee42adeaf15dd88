#pragma once
/// @file
/// Lines along a vector field that is spread over ranks: where a drop that is let go would drift to, and where it came from.
#include <array>
#include <cstdint>
#include <osteon/grid/block.hpp>
#include <span>
#include <vector>

namespace osteon::render {

/// A point of a line.
struct line_vertex {
  vector3 at;        ///< voxels, from the corner of voxel (0, 0, 0)
  double time = 0;   ///< that the field, taken as a velocity in mm/s, needs from the beginning of the line [s]
  double speed = 0;  ///< magnitude of the field, in its unit
};

/// Lines, one after the other. All ranks have all of them.
struct streamlines {
  std::vector<line_vertex> vertices;
  std::vector<std::size_t> first{0};  ///< vertex of each line, and the number of all; a line has two vertices or more
  std::size_t count() const { return first.size() - 1; }
  std::span<const line_vertex> line(std::size_t i) const {
    return std::span(vertices).subspan(first[i], first[i + 1] - first[i]);
  }
  /// In mm.
  double length(std::size_t i, const vector3& spacing_mm) const;
};

/// Values at the middles of the owned voxels, an array for each component (z, y, x). NaN where there is none.
using vector_values = std::array<std::vector<float>, 3>;

struct line_options {
  double step_voxels = 0.25;  ///< length of a step of the integration, at most 1
  double greatest_length =
      0;  ///< of a line in each direction from its seed, in voxels; 0: twice the edges of the domain together
  double least_speed = 1e-5;  ///< a line ends where less than this share of the greatest value is left
  double turn_deg = 4;        ///< vertices are kept where the line has turned by this much; 0: after every step
};

/// Middles of `count` voxels by chance, the faster the likelier: lines through them carry about the same flow each.
///
/// Of each voxel, a hash of its number over its speed is taken; the smallest ones win. So the choice depends on the field
/// alone. Fewer voxels where fewer have a speed. @cite [Efraimidis2006]
/// @return voxels, by falling chance, the same on all ranks @collective on where.comm
std::vector<vector3> seeds_by_speed(const grid::block& where, const vector_values& field, std::int64_t count);

/// Lines through points, both ways, to where the field ends, the domain, or its speed.
///
/// Between middles of voxels the field is interpolated trilinearly, where voxels without value count as zero; beyond the
/// outermost middles it goes on as it is there. Lines follow it by the classical Runge-Kutta method of fourth order, in
/// steps of a share of a voxel. A step is taken by the rank that owns the voxel where it begins, and who owns it does not
/// matter: the lines are the same, bit for bit, for any ranks.
/// @param seeds points in the domain (voxels), the same on all ranks
/// @throws usage_error if a step is longer than a voxel, a component has not the shape of the block, or there is no
/// box_tree; machine_error where the lines need more memory than a host has @collective on where.comm
/// @cost rounds in which lines go over to touching ranks, about as many as a line has blocks on its way; memory: 40 bytes a
/// vertex on every rank
streamlines trace(const grid::block& where, const vector3& spacing_mm, const vector_values& field,
                  std::span<const vector3> seeds, const line_options& how = {});

}  // namespace osteon::render
