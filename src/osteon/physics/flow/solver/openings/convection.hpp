#pragma once
/// @file
/// Inertia of flow between openings. The file contains the convection of momentum on the staggered grid.
#include <array>
#include <functional>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <vector>

namespace osteon::physics {

/// Permitted fraction of central differences on each side of a control volume, from 0 to 1. The fraction applies to sides
/// with a Reynolds number that requires upwind differences. The indices of an entry are the component c, the side towards
/// the lower cell along an axis, and the cell. The ghosts must be current.
class central_shares {
 public:
  std::vector<float>& of(std::size_t c, std::size_t axis) { return share_[3 * c + axis]; }
  const std::vector<float>& of(std::size_t c, std::size_t axis) const { return share_[3 * c + axis]; }

 private:
  std::array<std::vector<float>, 9> share_;
};

/// C(u) v is the momentum of v that the flow u transports out of the control volumes of the faces. The unit is that of
/// friction.
///
/// Central differences have a skew-symmetric form. A side of a control volume with the flow F contributes F v_beyond / 2.
/// Between walls, convection in this form produces no kinetic energy. If u conserves mass, the convection equals the
/// difference of fluxes. The Reynolds number of a side is |F| times the distance between the two velocities, divided by the
/// viscosity. If the Reynolds number exceeds 2, the friction of the side is raised to |F| / 2 (hybrid scheme of Spalding).
/// The additional friction prevents velocities that are larger or smaller than all neighbouring velocities. Outflow through
/// an opening transports momentum with the velocity at the opening.
///
/// In the limited scheme, the additional friction of a side is at most |F| / 2 times the rest of the fraction of central
/// differences (1 minus the permitted fraction).
class flow_convection {
 public:
  /// @param cells, boundaries borrowed @param is_central true: no additional friction
  flow_convection(const open_flow_cells& cells, const std::vector<flow_boundary>& boundaries, bool is_central);

  /// Use limited convection after this call. @param shares borrowed; the caller changes the fractions between calls
  void limit_by(const central_shares& shares) { shares_ = &shares; }

  /// Set density times unit of velocity times unit of length, divided by viscosity.
  void set_reynolds(double of_units) { half_ = of_units / 2; }

  /// r -= C(x) x at faces with an unknown. @param x shape (4, stride) with current ghosts @collective on the communicator
  void subtract(const double* x, double* r);
  /// Fraction of the sides of control volumes with additional friction in the last `subtract`. The reference is all sides
  /// with flow on all ranks. In the limited scheme, a side counts if the additional friction is at least 0.2 % of the flow.
  /// @collective
  double upwinded_share() const;

  /// Momentum of component c that leaves the control volume of a face through the side d in the last `subtract`. The side
  /// must have no velocity beyond the side. @param below the lower of the two cells of the face
  double carried_off(const double* x, std::int32_t cell, std::int32_t below, std::size_t c, std::size_t d) const;

  /// Call visit(face, beyond, friction, half_flow) for each side of the control volumes of a component's faces with an
  /// unknown. `beyond` is the adjacent face. If this face is not part of the solution, `beyond` is -1. `friction` is the
  /// weight of friction. `half_flow` is half of the outflow through the side in the last `linearise`. A call with `beyond` =
  /// -2 passes the total outflow instead of a side. For inflow, this value is negative. Calls are made by a single thread.
  void visit_sides(std::size_t component, const std::function<void(std::int32_t, std::int32_t, float, float)>& visit) const;

  /// Set the advecting flow of the following functions to x. @collective
  void linearise(const double* x);
  /// Set the advecting flow to zero. @collective local
  void linearise_at_rest();
  /// v += C(x) p. @param p shape (4, stride) with current ghosts
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
  std::vector<bool> outlet_;  // for each boundary: true for an outlet
  bool is_central_;
  const central_shares* shares_ = nullptr;
  double half_ = 0;
  std::vector<double> high_double_;
  std::vector<float> x_, high_, high_p_;
  std::vector<std::uint8_t> upwinded_, passed_;  // for each owned cell: bits for the sides of its three control volumes
};

}  // namespace osteon::physics
