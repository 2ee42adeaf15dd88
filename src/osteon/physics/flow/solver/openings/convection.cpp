#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/convection.hpp>

namespace osteon::physics {

namespace {

// A side of a control volume. The members are the velocity `through` the side in the direction of the axis, and the
// velocities inside and beyond the side.
template <class T>
struct volume_side {
  T through, own, beyond;
  T central = 0;  // central fraction that the limiter permits
};

// Outward flux through a side, or derivative of this flux. `half_slope` times the velocity through the side is half of a
// flow.
template <class T>
class side_rule {
 public:
  side_rule(T half_slope, T friction, bool is_central)
      : half_slope_(half_slope), friction_(friction), is_central_(is_central) {}

  T excess(T through, T central = 0) const {
    if (is_central_) return 0;
    const T flow = std::abs(half_slope_ * through);
    return std::max(T(0), std::min(flow - friction_, flow * (1 - central)));
  }
  // True if a limited side is not central.
  bool is_upwinded(T through, T central) const {
    constexpr T little = T(0.002);
    const T e = excess(through, central);
    return e > 0 && (central == 0 || e > little * std::abs(half_slope_ * through));
  }
  T value(const volume_side<T>& s, T outwards) const {
    return outwards * half_slope_ * s.through * s.beyond + excess(s.through, s.central) * (s.own - s.beyond);
  }
  template <bool IsNewton>
  T derivative(const volume_side<T>& s, const volume_side<T>& p, T outwards) const {
    const T e = excess(s.through, s.central);
    T sum = outwards * half_slope_ * s.through * p.beyond + e * (p.own - p.beyond);
    if constexpr (IsNewton) {
      sum += outwards * half_slope_ * p.through * s.beyond;
      if (e > 0) {
        const bool by_limiter = std::abs(half_slope_ * s.through) * s.central > friction_;
        sum += (by_limiter ? 1 - s.central : T(1)) * std::copysign(half_slope_, s.through) * p.through * (s.own - s.beyond);
      }
    }
    return sum;
  }
  T half_slope() const { return half_slope_; }

 private:
  T half_slope_, friction_;
  bool is_central_;
};

template <class T>
T value_at(const T* u, std::int32_t i) {
  return i < 0 ? T(0) : u[i];
}

}  // namespace

flow_convection::flow_convection(const open_flow_cells& cells, const std::vector<flow_boundary>& boundaries, bool is_central)
    : open_(cells), cells_(cells.cells), is_central_(is_central) {
  for (const flow_boundary& b : boundaries) outlet_.push_back(b.kind == face_flow::outlet);
}

// Velocities on the high faces of the cells.
template <class T>
void flow_convection::set_high(const T* x, std::vector<T>& high) const {
  const std::int64_t stride = cells_.stride();
  high.resize(at(3 * stride));
  visit_neighbours_in_parallel(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::int64_t c = 0; c < 3; ++c) high[at(c * stride + i)] = value_at(x + c * stride, near[at(2 * c + 1)]);
  });
  for (std::int64_t c = 0; c < 3; ++c) cells_.grid.links.exchange(high.data() + c * stride);
}

// Call done(component, cell, value, upwinded sides, passed sides) once or several times for each face with an unknown. The
// caller sums the values. If the derivative is not requested, p is x.
template <class T, bool IsDerivative, bool IsNewton, class Done>
void flow_convection::walk(const T* x, const T* high, const T* p, const T* high_p, const Done& done) const {
  const std::int64_t stride = cells_.stride();
  const auto rule_of = [&](std::size_t axis) {
    return side_rule<T>(static_cast<T>(half_ * cells_.slope[axis]), static_cast<T>(cells_.weight[axis]), is_central_);
  };
  const std::array<side_rule<T>, 3> rules{rule_of(0), rule_of(1), rule_of(2)};
  const auto contribution = [](const side_rule<T>& rule, const volume_side<T>& s, const volume_side<T>& d, T outwards) {
    if constexpr (IsDerivative)
      return rule.template derivative<IsNewton>(s, d, outwards);
    else
      return rule.value(s, outwards);
  };
  visit_neighbours_in_parallel(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint8_t number = cells_.friction[c][at(i)];
      if (number == 0 || number > open_face_frictions) continue;
      const std::int32_t below = near[2 * c];
      const std::int64_t first = static_cast<std::int64_t>(c) * stride;
      T sum = 0;
      int upwinded = 0, passed = 0;
      const auto add = [&](std::size_t axis, T outwards, const auto& through, std::int32_t j) {
        volume_side<T> s{through(x, high), x[first + i], value_at(x + first, j)};
        if (shares_ != nullptr && j >= 0) s.central = static_cast<T>(shares_->of(c, axis)[at(outwards > 0 ? j : i)]);
        volume_side<T> d{};
        if constexpr (IsDerivative) d = {IsNewton ? through(p, high_p) : T(0), p[first + i], value_at(p + first, j)};
        sum += contribution(rules[axis], s, d, outwards);
        upwinded += rules[axis].is_upwinded(s.through, s.central);
        passed += s.through != 0;
      };
      for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t to = static_cast<std::int64_t>(a) * stride;
        if (a == c) {
          add(a, T(1), [&](const T* u, const T* h) { return (u[to + i] + h[to + i]) / 2; }, near[2 * a + 1]);
          add(a, T(-1), [&](const T* u, const T*) { return (u[to + below] + u[to + i]) / 2; }, below);
        } else {
          add(a, T(1), [&](const T*, const T* h) { return (h[to + i] + h[to + below]) / 2; }, near[2 * a + 1]);
          add(a, T(-1), [&](const T* u, const T*) { return (u[to + i] + u[to + below]) / 2; }, near[2 * a]);
        }
      }
      done(static_cast<int>(c), i, sum, upwinded, passed);
    }
  });

  // These sides at openings have no velocity beyond the side. Outflow through an outlet transports momentum with the
  // velocity at the outlet.
  for (const passing_side& f : open_.passing) {
    const std::int64_t a = f.side / 2, to = a * stride, first = f.component * stride;
    const bool is_high = f.side % 2 != 0;
    const T outwards = is_high ? T(1) : T(-1), share = f.outlet_share;
    const auto through = [&](const T* u, const T* h) {
      const T* const of = (is_high ? h : u) + to;
      return (of[f.cell] + of[f.below]) / 2;
    };
    const side_rule<T>& rule = rules[at(a)];
    const T flow = through(x, high);
    const T leaving = outwards * flow > 0 ? share : T(0), factor = outwards * rule.half_slope() * (2 * leaving - 1);
    const T excess = share * rule.excess(flow);  // beyond the opening, there is no neighbour
    T sum;
    if constexpr (IsDerivative) {
      sum = (factor * flow - excess) * p[first + f.cell];
      if constexpr (IsNewton) {
        sum += factor * through(p, high_p) * x[first + f.cell];
        if (excess > 0) sum -= share * std::copysign(rule.half_slope(), flow) * through(p, high_p) * x[first + f.cell];
      }
    } else {
      sum = (factor * flow - excess) * x[first + f.cell];
    }
    done(f.component, f.cell, sum, 0, 0);
  }

  // Faces of openings have half of a control volume.
  for (std::size_t n = 0; n < cells_.open_faces.size(); ++n) {
    const kernel::stokes_open_face& f = cells_.open_faces[n];
    const std::size_t c = at(f.axis);
    const std::int64_t first = static_cast<std::int64_t>(c) * stride;
    const T inwards = f.is_inlet ? 1 : -1;
    const auto at_face = [&](const T* u) { return u[first + f.cell]; };
    T sum = 0;
    const auto add = [&](std::size_t axis, T outwards, T area, T flow, T flow_p, std::int32_t j) {
      const volume_side<T> s{flow, at_face(x), value_at(x + first, j)};
      volume_side<T> d{};
      if constexpr (IsDerivative) d = {flow_p, at_face(p), value_at(p + first, j)};
      sum += area * contribution(rules[axis], s, d, outwards);
    };
    const auto mean = [&](const T* u) { return (at_face(u) + value_at(u + first, f.along)) / 2; };
    add(c, inwards, 1, mean(x), IsNewton ? mean(p) : T(0), f.along);
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t a = kernel::axes_across[c][k / 2];
      const std::int64_t to = static_cast<std::int64_t>(a) * stride + f.pressure;
      const bool is_high = k % 2 != 0;
      add(a, is_high ? T(1) : T(-1), T(0.5), is_high ? high[to] : x[to], IsNewton ? (is_high ? high_p[to] : p[to]) : T(0),
          f.across[k]);
    }
    // Inflow has the local velocity. Backflow through an outlet transports no momentum.
    const T flow = at_face(x), half = rules[c].half_slope();
    const T factor = -inwards * half * (outlet_[at(open_.open_boundary[n])] && inwards * flow > 0 ? -1 : 1);
    if constexpr (IsDerivative)
      sum += factor * (flow * at_face(p) + (IsNewton ? at_face(p) * flow : T(0)));
    else
      sum += factor * flow * flow;
    done(static_cast<int>(c), f.cell, sum, 0, 0);
  }
}

void flow_convection::subtract(const double* x, double* r) {
  const std::int64_t stride = cells_.stride();
  set_high(x, high_double_);
  upwinded_.assign(at(cells_.grid.owned), 0);
  passed_.assign(at(cells_.grid.owned), 0);
  walk<double, false, false>(x, high_double_.data(), x, high_double_.data(),
                             [&](int c, std::int32_t i, double value, int upwinded, int passed) {
                               r[c * stride + i] -= value;
                               upwinded_[at(i)] = static_cast<std::uint8_t>(upwinded_[at(i)] + upwinded);
                               passed_[at(i)] = static_cast<std::uint8_t>(passed_[at(i)] + passed);
                             });
}

double flow_convection::upwinded_share() const {
  std::array<std::int64_t, 2> sums{};
  for (std::size_t i = 0; i < passed_.size(); ++i) sums[0] += upwinded_[i], sums[1] += passed_[i];
  comm::all_reduce(cells_.grid.where.comm, sums.data(), 2, MPI_SUM);
  return sums[1] == 0 ? 0 : static_cast<double>(sums[0]) / static_cast<double>(sums[1]);
}

double flow_convection::carried_off(const double* x, std::int32_t cell, std::int32_t below, std::size_t c,
                                    std::size_t d) const {
  const std::size_t a = d / 2, to = a * at(cells_.stride());
  const double* const of = (d % 2 != 0 ? high_double_.data() : x) + to;
  const double through = (of[cell] + of[below]) / 2, own = x[c * at(cells_.stride()) + at(cell)];
  const side_rule<double> rule(half_ * cells_.slope[a], cells_.weight[a], is_central_);
  return (d % 2 != 0 ? 1 : -1) * rule.half_slope() * through * own + rule.excess(through) * own;
}

void flow_convection::linearise(const double* x) {
  const std::int64_t stride = cells_.stride();
  x_.resize(at(3 * stride));
  for_each(3 * stride, [from = x, to = x_.data()](std::int64_t i) { to[i] = static_cast<float>(from[i]); });
  set_high(x_.data(), high_);
}

void flow_convection::linearise_at_rest() {
  for (auto* v : {&x_, &high_}) v->assign(at(3 * cells_.stride()), 0.0F);
}

void flow_convection::visit_sides(std::size_t c,
                                  const std::function<void(std::int32_t, std::int32_t, float, float)>& visit) const {
  const std::int64_t stride = cells_.stride();
  const auto half = [&](std::size_t a) { return static_cast<float>(half_ * cells_.slope[a]); };
  const auto weight = [&](std::size_t a) { return static_cast<float>(cells_.weight[a]); };
  const auto low = [&](std::size_t a, std::int32_t i) { return x_[a * at(stride) + at(i)]; };
  const auto high = [&](std::size_t a, std::int32_t i) { return high_[a * at(stride) + at(i)]; };
  visit_neighbours(cells_.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    const std::uint8_t number = cells_.friction[c][at(i)];
    if (number == 0 || number > open_face_frictions) return;
    const std::int32_t below = near[2 * c];
    for (std::size_t a = 0; a < 3; ++a) {
      const bool along = a == c;
      const float up = along ? (low(a, i) + high(a, i)) / 2 : (high(a, i) + high(a, below)) / 2;
      const float down = along ? (low(a, below) + low(a, i)) / 2 : (low(a, i) + low(a, below)) / 2;
      visit(i, near[2 * a + 1], weight(a), half(a) * up);
      visit(i, near[2 * a], weight(a), -half(a) * down);
    }
  });
  for (std::size_t n = 0; n < cells_.open_faces.size(); ++n) {
    const kernel::stokes_open_face& f = cells_.open_faces[n];
    if (at(f.axis) != c) continue;
    const float inwards = f.is_inlet ? 1 : -1, own = low(c, f.cell);
    visit(f.cell, f.along, weight(c), inwards * half(c) * (own + (f.along < 0 ? 0 : low(c, f.along))) / 2);
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t a = kernel::axes_across[c][k / 2];
      const float share = (f.whole >> k & 1) != 0 ? 1.0F : 0.5F;
      visit(f.cell, f.across[k], share * weight(a), half(a) / 2 * (k % 2 != 0 ? high(a, f.pressure) : -low(a, f.pressure)));
    }
    visit(f.cell, -2, 0, -inwards * half(c) * own);
  }
}

void flow_convection::add_picard(const float* p, float* v) {
  walk<float, true, false>(
      x_.data(), high_.data(), p, nullptr,
      [v, stride = cells_.stride()](int c, std::int32_t i, float value, int, int) { v[c * stride + i] += value; });
}

void flow_convection::add_newton(const float* p, float* v) {
  set_high(p, high_p_);
  walk<float, true, true>(
      x_.data(), high_.data(), p, high_p_.data(),
      [v, stride = cells_.stride()](int c, std::int32_t i, float value, int, int) { v[c * stride + i] += value; });
}

}  // namespace osteon::physics
