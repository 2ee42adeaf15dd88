#pragma once
/// @file
/// A multigrid cycle for what friction and a known flow do to the velocities.
#include <array>
#include <cstdint>
#include <memory>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/physics/flow/solver/openings/convection.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// An approximate inverse of F = A + C(u), convection of first order upwind where a voxel's Reynolds number exceeds 2: an
/// M-matrix, smoothed by Gauss-Seidel sweeps in both orders, which follow the flow where it goes their way. Coarse levels
/// are aggregates of 2 x 2 x 2 faces that are connected; there flows add up, friction falls with the distance of the
/// centres, and what is upwind is decided anew. The three components are rows of one matrix that nothing joins, so that
/// they share their messages.
///
/// Over ranks each level has ghosts: a sweep takes the values of other ranks from before it. Aggregates do not reach across
/// ranks. From a few thousand unknowns of a coarse level on, rank 0 goes on alone. Which faces are joined, and so what is
/// sent, does not depend on the flow.
class transport_cycle {
 public:
  /// Without values. @param flow linearised, no matter how @collective on the communicator of the cells
  transport_cycle(const flow_cells& cells, const flow_convection& flow);
  ~transport_cycle();

  /// Take the values of a flow. @param flow that was linearised @param held more on the diagonal of each unknown
  /// @collective
  void set(const flow_convection& flow, float held = 0);

  /// z = F^-1 r, nearly. Shapes (3, stride); z is set at owned cells, zero where there is no unknown. @collective
  void apply(const float* r, float* z);

  /// Of apply() on this rank, and of set().
  kernel_work work() const;
  kernel_work work_of_set() const;

 private:
  struct entry {
    std::int32_t column;
    float value;  // of minus the row's entry: >= 0
  };
  struct level;
  struct sides;
  struct place;
  struct gathered;
  std::vector<place> build_finest(const flow_convection& flow);
  std::vector<place> coarsen(const std::vector<place>& fine);
  std::vector<place> gather(const std::vector<place>& own);
  sides finest_sides(const flow_convection& flow, float held) const;
  sides coarser_sides(const level& fine, const level& coarse, const sides& of) const;
  sides gathered_sides(const sides& of) const;
  static void set_rows(level& l, const sides& of);
  static void sweep(level& l, bool forth);
  void cycle(std::size_t n);
  bool is_gathered(std::size_t n) const;

  const flow_cells& cells_;
  std::array<std::vector<std::int32_t>, 3> cell_;  // of each unknown of level 0, by component
  std::vector<level> levels_;
  std::unique_ptr<gathered> gathered_;
};

}  // namespace osteon::physics
