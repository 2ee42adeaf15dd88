#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <osteon/net/networks/conflicts.hpp>

namespace osteon::net {

namespace {

using plan::exchange_form;

std::vector<int> without_ones(std::vector<int> shape) {
  std::erase(shape, 1);
  return shape;
}

// True if a single hop corrects each dimension. In such networks, no port is used twice if, after each dimension, the
// positions of all ranks are different.
bool one_hop_a_dimension(const network& net) {
  return net.kind == topology::hyper_crossbar || net.kind == topology::hypercube;
}

// Return true if dimensions with a size above 1 are corrected in the order of the shape, or in the reverse order.
bool corrects(const network& net, bool first_dimension_first) {
  std::vector<int> order;
  for (const int d : net.order)
    if (net.shape[static_cast<std::size_t>(d)] > 1) order.push_back(d);
  return first_dimension_first ? std::is_sorted(order.begin(), order.end()) : std::is_sorted(order.rbegin(), order.rend());
}

// A square arrangement of side A can be folded along the dimensions under a condition. Each product of the last sizes must
// divide A, or must be a multiple of A.
bool folds(const network& net) {
  const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(net.pus)));
  std::int64_t stride = 1;
  for (std::size_t d = net.shape.size(); d-- > 0; stride *= net.shape[d])
    if (side % stride != 0 && stride % side != 0) return false;
  return side * side == net.pus;
}

}  // namespace

std::optional<std::string> proven_free_of_conflicts(const network& net, const plan::plan& plan) {
  if (plan.form == exchange_form::any || !net.minimal || plan.ranks > net.pus) return {};
  const bool all = plan.ranks == net.pus;
  if (net.kind == topology::crossbar)
    return "each rank sends and receives at most one message per round, so a single crossbar uses each port at most once";
  if (plan.form == exchange_form::translation) {
    if (!all || without_ones(plan.shape) != without_ones(net.shape)) return {};
    const bool short_rings =
        net.kind == topology::torus && std::all_of(net.shape.begin(), net.shape.end(), [](int size) { return size <= 4; });
    if (!one_hop_a_dimension(net) && !short_rings) return {};
    return fmt::format(
        "each round translates all ranks by one vector; after the correction of any dimensions their positions are a "
        "translation of the PUs, hence all different, so no port is used twice, for any sizes and any order of dimensions{}",
        short_rings ? "; in rings of up to 4 PUs, messages over half the ring use both directions equally" : "");
  }
  if (plan.form == exchange_form::exclusive_or) {
    if (!one_hop_a_dimension(net) || !std::all_of(net.shape.begin(), net.shape.end(),
                                                  [](int s) { return std::has_single_bit(static_cast<unsigned>(s)); }))
      return {};
    return "each round flips the same bits of all ranks, and the size of each dimension is a power of two; after the "
           "correction of any dimensions the positions are the PUs with some bits flipped, hence all different, so no port "
           "is "
           "used twice";
  }
  if (net.kind != topology::hyper_crossbar || !all || !folds(net)) return {};
  const bool x_first = plan.form == exchange_form::transposition_x_first;
  if (!corrects(net, x_first)) return {};
  return fmt::format(
      "with u = m + n + t the destination of (m, n) is {}; each product of the last sizes divides A or is a multiple of A, "
      "so "
      "the position after each dimension determines u and the other index; positions are thus all different, and no port is "
      "used twice, for every A that folds along the dimensions",
      x_first ? "(u, m)" : "(n, u)");
}

}  // namespace osteon::net
