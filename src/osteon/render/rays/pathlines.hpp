#pragma once
/// @file
/// Paths of particles in a distributed, time-dependent vector field.
#include <osteon/render/rays/streamlines.hpp>

namespace osteon::render {

/// A point at which particles are released. In an opening, each voxel face is a release point. The weight is the inflow
/// through the face.
struct release_point {
  vector3 at;             ///< position in voxels, like line_vertex::at
  vector3 spread;         ///< maximum random offset of the release along each axis
  double weight = 0;      ///< relative number of particles; must not be negative
  std::int64_t name = 0;  ///< identifier of the point; independent of the number of ranks
};

/// Paths of particles that move with a time-dependent field. The paths are computed during the computation of the field.
///
/// Particle i of n is released when the fraction i / n of the time interval has passed. The release point is random. Its
/// probability is proportional to the current weight [Efraimidis2006]. If all weights are 0, the release is delayed.
/// Velocities are interpolated linearly between voxel centres, and between the fields of two times. Particles move by the
/// classical fourth-order Runge-Kutta method in substeps of at most half a voxel. Paths end at the boundary of the domain.
/// Each substep is computed by the rank that owns the voxel at the start of the substep. Paths are therefore bitwise
/// independent of the decomposition.
class pathlines {
 public:
  /// @param end_s end of the release interval @throws usage_error without a box_tree, or if the number of particles is 0
  /// @collective on where.comm
  pathlines(const grid::block& where, const vector3& spacing_mm, std::int64_t particles, double end_s);
  ~pathlines();
  pathlines(pathlines&&) noexcept;
  pathlines& operator=(pathlines&&) noexcept;

  /// Set the field at the start of the next step. @param field velocity [mm/s], in the format of trace() @collective
  void begin(double time_s, const vector_values& field);
  /// Move all particles from the time of the previous field to the time of this field.
  /// @param points release points of this rank with current weights
  /// @collective @cost rounds of transfers to adjacent ranks; memory of three ghosted copies of the field
  void advance(double time_s, const vector_values& field, const std::vector<release_point>& points);

  /// Paths up to the current time. @collective @cost that of saved()
  streamlines paths() const { return paths_in(saved()); }
  /// State as finite numbers, which are equal on all ranks. @collective @cost 56 bytes per vertex on every rank
  std::vector<double> saved() const;
  /// Restore a state that saved() has returned. @throws data_error if the number of particles differs @collective
  void restore(const std::vector<double>& numbers);
  /// Paths from the numbers that saved() has returned. The times of vertices are times of the field. Particles that have not
  /// moved have no path.
  /// @param from_s start of the time interval @throws data_error if `numbers` is not a result of saved() @collective local
  static streamlines paths_in(const std::vector<double>& numbers, double from_s = 0);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::render
