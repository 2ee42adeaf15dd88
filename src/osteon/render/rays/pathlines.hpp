#pragma once
/// @file
/// Paths of particles in a distributed, time-dependent vector field.
#include <osteon/render/rays/streamlines.hpp>

namespace osteon::render {

/// A release point of particles with its weight: for faces in an opening, the inflow through each.
struct release_point {
  vector3 at;             ///< voxels, as line_vertex::at
  vector3 spread;         ///< maximum random offset of the release along each axis
  double weight = 0;      ///< >= 0
  std::int64_t name = 0;  ///< identifier of the point, independent of the number of ranks
};

/// Particles advected by a field during its computation, step by step, and their paths.
///
/// Particle i of n is released at the fraction i / n of the time interval, at a random point with probability proportional
/// to the present weights [Efraimidis2006]; if all weights are 0, it waits. Values are interpolated linearly between voxel
/// centres and between the fields of two times. Particles move by the classical fourth-order Runge-Kutta method, in parts of
/// a step of at most half a voxel, and end at the boundary of the domain. The owner of the voxel at the start of a part
/// computes it: paths are bitwise independent of the decomposition.
class pathlines {
 public:
  /// @param end_s release time of the last particle @throws usage_error if there is no box_tree, or no particle
  /// @collective on where.comm
  pathlines(const grid::block& where, const vector3& spacing_mm, std::int64_t particles, double end_s);
  ~pathlines();
  pathlines(pathlines&&) noexcept;
  pathlines& operator=(pathlines&&) noexcept;

  /// Start or continue with this field. @param field [mm/s], as for trace() @collective
  void begin(double time_s, const vector_values& field);
  /// Advance all particles from the time of the previous field to this one.
  /// @param points of this rank, with present weights
  /// @collective @cost rounds of transfers to adjacent ranks; three ghosted copies of the field
  void advance(double time_s, const vector_values& field, const std::vector<release_point>& points);

  /// Paths computed so far. @collective @cost as saved()
  streamlines paths() const { return paths_in(saved()); }
  /// State as finite numbers, equal on all ranks, and its inverse. @collective @cost 56 bytes per vertex on every rank
  std::vector<double> saved() const;
  /// @throws data_error if the numbers belong to other particles @collective
  void restore(const std::vector<double>& numbers);
  /// Paths from saved() numbers, with the time of the field instead of that of the path. Particles that have not moved have
  /// no path.
  /// @param from_s start of the time interval @throws data_error if the numbers are not from saved() @collective local
  static streamlines paths_in(const std::vector<double>& numbers, double from_s = 0);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::render
