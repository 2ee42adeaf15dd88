#pragma once
/// @file
/// Inertia of flow between openings: the convection of momentum on the staggered grid.
#include <array>
#include <functional>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <vector>

namespace osteon::physics {

/// Permitted fraction of central differences, 0 to 1, on each control volume side with a Reynolds number that requires
/// upwind differences. An entry is addressed by component c, side towards the lower cell along an axis, and cell. The
/// ghosts are current.
class central_shares {
 public:
  std::vector<float>& of(std::size_t c, std::size_t axis) { return share_[3 * c + axis]; }
  const std::vector<float>& of(std::size_t c, std::size_t axis) const { return share_[3 * c + axis]; }

 private:
  std::array<std::vector<float>, 9> share_;
};

/// C(u) v: momentum of v that the flow u transports out of the control volumes of the faces, in units of friction.
///
/// Central differences have a skew-symmetric form: a control volume side with the flow F contributes F v_beyond / 2.
/// Convection in this form produces no kinetic energy between walls. If u conserves mass, the convection equals the
/// difference of fluxes. The Reynolds number of a side is |F| times the distance of the two velocities over the viscosity.
/// If the Reynolds number exceeds 2, the friction of the side is raised to |F| / 2 (Spalding's hybrid scheme). The
/// increased friction prevents overshoots of velocities relative to their neighbours. Outflow through an opening
/// transports the velocity at the opening.
///
/// In the limited scheme, the friction added on a side is at most |F| / 2 times the remaining fraction (1 minus the
/// permitted fraction of central differences).
class flow_convection {
 public:
  /// @param cells, boundaries stored by reference @param is_central true: no added friction
  flow_convection(const open_flow_cells& cells, const std::vector<flow_boundary>& boundaries, bool is_central);

  /// Use limited convection after this call. @param shares stored by reference; the caller changes the shares between
  /// calls
  void limit_by(const central_shares& shares) { shares_ = &shares; }

  /// Density times unit of velocity times unit of length over viscosity.
  void set_reynolds(double of_units) { half_ = of_units / 2; }

  /// r -= C(x) x at faces with an unknown. @param x shape (4, stride), ghosts current @collective on the communicator
  void subtract(const double* x, double* r);
  /// Fraction of control volume sides with added friction among all sides with flow, in the last `subtract`, over all
  /// ranks. In the limited scheme, a side counts if the added friction is at least 0.2 % of the flow. @collective
  double upwinded_share() const;

  /// Momentum of component c that leaves the control volume of a face through side d in the last `subtract`, for a side
  /// without a velocity beyond the side. @param below the lower of the face's two cells
  double carried_off(const double* x, std::int32_t cell, std::int32_t below, std::size_t c, std::size_t d) const;

  /// Call visit(face, beyond, friction, half_flow) for each control volume side of a component's faces with an unknown.
  /// `beyond` is the adjacent face (-1: not part of the solution). `friction` is the friction weight. `half_flow` is half
  /// of the outflow through the side in the last `linearise`. A call with `beyond` = -2 passes the total outflow (negative
  /// for inflow) instead of a side. The calls are single-threaded.
  void visit_sides(std::size_t component, const std::function<void(std::int32_t, std::int32_t, float, float)>& visit) const;

  /// Set the advecting flow of the following functions to x. @collective
  void linearise(const double* x);
  /// Set the advecting flow to zero. @collective local
  void linearise_at_rest();
  /// v += C(x) p. @param p shape (4, stride), ghosts current
  void add_picard(const float* p, float* v);
  /// v += derivative of C(x) x along p. @collective
  void add_newton(const float* p, float* v);

 private:
  template <class T>
  void set_high(const T* x, std::vector<T>& high) const;
  template <class T, bool IsDerivative, bool IsNewton, class Done>
  void walk(const T* x, const T* high, const T* p, const T* high_p, const Done& done) const;

  const open_flow_cells& open_;
  const flow_cells& cells_;
  std::vector<bool> outlet_;  // by boundary
  bool is_central_;
  const central_shares* shares_ = nullptr;
  double half_ = 0;
  std::vector<double> high_double_;
  std::vector<float> x_, high_, high_p_;
  std::vector<std::uint8_t> upwinded_, passed_;  // by owned cell: bits of the sides of its three control volumes
};

}  // namespace osteon::physics
