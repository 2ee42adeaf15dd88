#pragma once
/// @file
/// The equations of flow between openings without inertia. The solvers of creeping flow and of flow with inertia use the
/// same vectors.
#include <osteon/comm/message_ledger.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/physics/flow/solver/stokes/flow_preconditioner.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// K x = b with given velocities in x, and the preconditioner P of permeability. Vectors have the shape (4, stride):
/// velocities and pressure. A solver reduces s = P r relative to x. In the norm, velocities and pressures have equal
/// weights.
struct through_system {
  /// @param cells borrowed @collective on the communicator of the cells
  explicit through_system(const open_flow_cells& cells);

  /// Set given values of x and entries of b (position, value). @param factor the initial x is the last solution times this
  /// factor
  void begin(const std::vector<std::pair<std::int64_t, double>>& given,
             const std::vector<std::pair<std::int64_t, double>>& right, double factor_of_last);
  /// Set the weight of the velocities in the norm from the first r and s. @return |r|
  double begin_norm();

  /// v = K `of`. The ghosts of `of` become current.
  void multiply(std::vector<float>& of);
  /// exact = b - K x. The ghosts of x become current.
  void find_exact_residual();
  /// r = exact in single precision.
  void round_residual();
  /// z = P r. @param velocity_scale factor of the velocities in z
  void precondition(const float* r_of, float* z, float velocity_scale = 1);
  /// Subtract the mean of each part of the fluid without a prescribed pressure.
  template <class T>
  void remove_free_pressure(T* pressure) const;
  void remove_free_pressure_of_answer();
  void exchange_answer();

  /// Squares of the norms of the velocities and of the pressure.
  std::array<double, 2> squares(const std::vector<float>& of) const;
  double size(const std::vector<float>& of) const;
  double size_of_answer() const;
  /// |r|, of velocities and masses together.
  double residual() const;
  /// Inflow minus outflow of all openings, divided by half of the sum of their absolute values.
  double imbalance() const;
  /// Weight of the squares of a component in the norm.
  double weight(std::int64_t c) const { return c < 3 ? unit * unit : 1; }

  std::int64_t owned() const { return cells.grid.owned; }
  std::int64_t stride() const { return cells.stride(); }
  /// The owned values of the four components.
  index_blocks blocks() const { return {owned(), 4}; }
  MPI_Comm comm() const { return cells.grid.where.comm; }
  comm::sent_part part(const char* name) const { return {comm(), name}; }
  template <std::size_t N, class Term>
  std::array<double, N> sums(const Term& term) const {
    return block_sums<N>(comm(), blocks(), term);
  }

  const open_flow_cells& open;
  const flow_cells& cells;
  kernel::stokes_stencil<float> single;
  kernel::stokes_stencil<double> in_double;
  flow_preconditioner preconditioner;
  std::vector<std::pair<std::size_t, std::int32_t>> open_faces;  ///< pairs of axis and cell
  std::vector<std::pair<std::int64_t, double>> right;
  double unit = 1;   ///< length of a unit velocity in the norm
  double first = 0;  ///< |s| at the start
  std::vector<double> x, exact;
  std::vector<float> r, s;  ///< r is the residual; s is P r
  /// p is the search direction; v is the product with p; w is P v, or the product of creeping flow
  std::vector<float> p, v, w;
  std::vector<float> change;  ///< change of x by a linear problem; later P w of creeping flow
};

}  // namespace osteon::physics
