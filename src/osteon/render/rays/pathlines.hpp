#pragma once
/// @file
/// The paths of particles in a vector field that changes in time and is spread over ranks.
#include <osteon/render/rays/streamlines.hpp>

namespace osteon::render {

/// A point where particles may be let go, and how likely it is taken: of faces in an opening, what flows in by each.
struct release_point {
  vector3 at;             ///< voxels, as line_vertex::at
  vector3 spread;         ///< by how much a particle may begin beside it, along each axis, by chance
  double weight = 0;      ///< >= 0
  std::int64_t name = 0;  ///< the same point has the same name on any number of ranks
};

/// Particles that drift with a field while it is computed, step by step, and the paths that they leave behind.
///
/// Particle i of n is let go at the time i / n of the whole, at a point that is drawn by chance, in proportion to the
/// weights that the points have then [Efraimidis2006]; where all weights are 0, it waits. Between the middles of voxels and
/// between the fields of two times values are interpolated linearly. A particle is moved by the classical Runge-Kutta method
/// of fourth order, in parts of a step in which it goes half a voxel at most; it ends where it leaves the domain. Whoever
/// owns the voxel where a part begins takes it: the paths are the same, bit for bit, for any ranks.
class pathlines {
 public:
  /// @param end_s when the last particle would be let go @throws usage_error if there is no box_tree, or no particle
  /// @collective on where.comm
  pathlines(const grid::block& where, const vector3& spacing_mm, std::int64_t particles, double end_s);
  ~pathlines();
  pathlines(pathlines&&) noexcept;
  pathlines& operator=(pathlines&&) noexcept;

  /// Begin, or go on, with this field. @param field [mm/s], as trace() takes it @collective
  void begin(double time_s, const vector_values& field);
  /// Follow all particles from the time of the field before to this one.
  /// @param points of this rank, with the weights of now
  /// @collective @cost rounds in which particles go over to touching ranks; three ghosted copies of the field
  void advance(double time_s, const vector_values& field, const std::vector<release_point>& points);

  /// The paths so far. @collective @cost as saved()
  streamlines paths() const { return paths_in(saved()); }
  /// All that there is, as finite numbers that are the same on all ranks, and back.
  /// @collective @cost 56 bytes a vertex on every rank
  std::vector<double> saved() const;
  /// @throws data_error if they are of other particles @collective
  void restore(const std::vector<double>& numbers);
  /// The paths of saved(): time is that of the field, not of the path. Particles that have not moved have none.
  /// @param from_s what is older is left out @throws data_error if the numbers are none of saved() @collective local
  static streamlines paths_in(const std::vector<double>& numbers, double from_s = 0);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::render
