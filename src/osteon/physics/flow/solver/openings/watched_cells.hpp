#pragma once
/// @file
/// Values at the centres of selected voxels. The values are computed from the unknowns of a flow.
#include <osteon/physics/flow/solver/openings/flow_watch.hpp>
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>

namespace osteon::physics {

/// The observed cells of a solver. The velocity at a centre is the mean over two opposite faces, as in the fields.
class watched_cells {
 public:
  /// The object borrows `watch`. @param fluid numbering of the cells in `watch` @collective local
  watched_cells(const flow_cells& cells, const voxel::run_set& fluid, const flow_watch& watch);

  bool wants(const flow_moment& moment) const { return watch_.take && (!watch_.wants || watch_.wants(moment)); }
  /// @param u velocities with shape (3, stride) and current ghosts @param pressure function that returns the pressure of an
  /// owned cell in units of the result
  /// @param unit_mm_per_s unit of the velocities @collective in the same way as flow_watch::take
  template <class Pressure>
  void report(const flow_moment& moment, const double* u, double unit_mm_per_s, const Pressure& pressure) {
    for (std::size_t n = 0; n < places_.size(); ++n) {
      const place& p = places_[n];
      if (p.cell < 0) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        const double* const own = u + static_cast<std::int64_t>(c) * stride_;
        values_[n][c] = unit_mm_per_s * (own[p.cell] + (p.above[c] < 0 ? 0 : own[p.above[c]])) / 2;
      }
      values_[n][3] = pressure(p.cell);
    }
    watch_.take(moment, values_);
  }

 private:
  struct place {
    std::int32_t cell = -1;                         // number of the cell in the solver; -1: stagnant fluid
    std::array<std::int32_t, 3> above{-1, -1, -1};  // the next cell along each axis
  };
  const flow_watch& watch_;
  std::int64_t stride_;
  std::vector<place> places_;
  std::vector<std::array<double, 4>> values_;
};

}  // namespace osteon::physics
