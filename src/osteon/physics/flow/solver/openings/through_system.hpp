#pragma once
/// @file
/// The equations of flow between openings without inertia, and the vectors shared by the solvers of creeping flow and of
/// flow with inertia.
#include <osteon/comm/message_ledger.hpp>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <osteon/physics/flow/solver/stokes/flow_preconditioner.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <utility>
#include <vector>

namespace osteon::physics {

/// K x = b with given velocities in x, and the preconditioner P of permeability. Vectors have the shape (4, stride):
/// velocities and pressure. A solver reduces s = P r relative to x, in a norm that weights velocities and pressures equally.
struct through_system {
  /// @param cells stored by reference @collective on its communicator
  explicit through_system(const open_flow_cells& cells);

  /// Set given values of x and entries of b (position, value). @param factor multiple of the last solution as initial x
  void begin(const std::vector<std::pair<std::int64_t, double>>& given,
             const std::vector<std::pair<std::int64_t, double>>& right, double factor_of_last);
  /// Set the weight of velocities from the first r and s. @return |r|
  double begin_norm();

  /// v = K `of`, with current ghosts.
  void multiply(std::vector<float>& of);
  /// exact = b - K x, with current ghosts.
  void find_exact_residual();
  /// r = exact in single precision.
  void round_residual();
  /// z = P r. @param velocity_scale factor of the velocities in z
  void precondition(const float* r_of, float* z, float velocity_scale = 1);
  /// Subtract the mean over each part of the fluid without a prescribed pressure.
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
  std::vector<std::pair<std::size_t, std::int32_t>> open_faces;  ///< axis, cell
  std::vector<std::pair<std::int64_t, double>> right;
  double unit = 1;   ///< length of a velocity in the norm
  double first = 0;  ///< |s| at the start
  std::vector<double> x, exact;
  std::vector<float> r, s;     ///< the residual, and P r
  std::vector<float> p, v, w;  ///< search direction; product with the direction; P v, or the product of creeping flow
  std::vector<float> change;   ///< change of x by a linear problem; P w of creeping flow
};

}  // namespace osteon::physics
