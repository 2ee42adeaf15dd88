#pragma once
/// @file
/// A multigrid cycle for the friction and the convection of velocities by a known flow.
#include <array>
#include <cstdint>
#include <memory>
#include <osteon/numerics/kernel_work.hpp>
#include <osteon/physics/flow/solver/openings/convection.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <vector>

namespace osteon::physics {

/// An approximate inverse of F = A + C(u). Convection is first-order upwind if the Reynolds number of a voxel exceeds 2. F
/// is therefore an M-matrix. Gauss-Seidel sweeps in both orders smooth F. Coarse levels are aggregates of 2 x 2 x 2
/// connected faces. On these levels, flows are summed. Friction decreases with the distance between the centres. The
/// Reynolds number determines again which faces are upwinded. The three components are rows of one matrix without mutual
/// coupling. All components are therefore sent in the same messages.
///
/// Each level has ghosts of other ranks. A sweep uses the values of the ghosts before the sweep. Aggregates do not cross
/// rank boundaries. Coarse levels with less than a few thousand unknowns are processed by rank 0 alone. The connections of
/// faces do not depend on the flow. The messages are therefore independent of the flow.
class transport_cycle {
 public:
  /// Construct the levels without values. @param flow convection that is linearised about any flow @collective on the
  /// communicator of the cells
  transport_cycle(const flow_cells& cells, const flow_convection& flow);
  ~transport_cycle();

  /// Set the values from a flow. @param flow linearised convection @param added_diagonal value that is added to the diagonal
  /// of each unknown
  /// @collective
  void set(const flow_convection& flow, float added_diagonal = 0);

  /// Compute an approximation z of F^-1 r. The vectors have the shape (3, stride). The function sets z at owned cells.
  /// Without an unknown, z is zero. @collective
  void apply(const float* r, float* z);

  /// Work of apply() and set() on this rank.
  kernel_work work() const;
  kernel_work work_of_set() const;

 private:
  struct entry {
    std::int32_t column;
    float value;  // off-diagonal entry of the row with opposite sign, >= 0
  };
  struct level;
  struct sides;
  struct place;
  struct gathered;
  std::vector<place> build_finest(const flow_convection& flow);
  std::vector<place> coarsen(const std::vector<place>& fine);
  std::vector<place> gather(const std::vector<place>& own);
  sides finest_sides(const flow_convection& flow, float added_diagonal) const;
  sides coarser_sides(const level& fine, const level& coarse, const sides& of) const;
  sides gathered_sides(const sides& of) const;
  static void set_rows(level& l, const sides& of);
  static void sweep(level& l, bool forth);
  void cycle(std::size_t n);
  bool is_gathered(std::size_t n) const;

  const flow_cells& cells_;
  std::array<std::vector<std::int32_t>, 3> cell_;  // index of each unknown of level 0, for each component
  std::vector<level> levels_;
  std::unique_ptr<gathered> gathered_;
};

}  // namespace osteon::physics
