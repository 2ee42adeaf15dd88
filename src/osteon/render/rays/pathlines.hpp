#pragma once
/// @file
/// Paths of particles in a distributed, time-dependent vector field.
#include <osteon/render/rays/streamlines.hpp>

namespace osteon::render {

/// A release point of particles. In an opening, each voxel face is a release point, and the inflow through the face is the
/// weight.
struct release_point {
  vector3 at;             ///< position in voxels, as line_vertex::at
  vector3 spread;         ///< maximum random offset of the release along each axis
  double weight = 0;      ///< relative number of particles, not negative
  std::int64_t name = 0;  ///< identifier of the point, independent of the number of ranks
};

/// Paths of particles that a time-dependent field advects. The paths are computed together with the field.
///
/// Particle i of n is released at the fraction i / n of the time interval. The release point is random, with a probability
/// proportional to its current weight [Efraimidis2006]. The release is delayed while all weights are 0. Values are
/// interpolated linearly between voxel centres and between the fields of two times. Particles move by the classical
/// fourth-order Runge-Kutta method in substeps of at most half a voxel. Paths end at the boundary of the domain. The rank
/// that owns the voxel at the start of a substep computes the substep. Therefore paths are bitwise independent of the
/// decomposition.
class pathlines {
 public:
  /// @param end_s end of the release interval @throws usage_error if there is no box_tree, or if the number of particles is
  /// 0
  /// @collective on where.comm
  pathlines(const grid::block& where, const vector3& spacing_mm, std::int64_t particles, double end_s);
  ~pathlines();
  pathlines(pathlines&&) noexcept;
  pathlines& operator=(pathlines&&) noexcept;

  /// Set the field at the start of the next step. @param field velocity [mm/s], as for trace() @collective
  void begin(double time_s, const vector_values& field);
  /// Advance all particles from the time of the previous field to the time of this field.
  /// @param points release points of this rank with current weights
  /// @collective @cost rounds of transfers to adjacent ranks; memory of three ghosted copies of the field
  void advance(double time_s, const vector_values& field, const std::vector<release_point>& points);

  /// Paths up to the current time. @collective @cost as saved()
  streamlines paths() const { return paths_in(saved()); }
  /// State as finite numbers, equal on all ranks. @collective @cost 56 bytes per vertex on every rank
  std::vector<double> saved() const;
  /// Restore a state from saved(). @throws data_error if the number of particles differs @collective
  void restore(const std::vector<double>& numbers);
  /// Paths from the numbers of saved(). The times of vertices are times of the field. Particles without motion have no path.
  /// @param from_s start of the time interval @throws data_error if the numbers are not from saved() @collective local
  static streamlines paths_in(const std::vector<double>& numbers, double from_s = 0);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::render
