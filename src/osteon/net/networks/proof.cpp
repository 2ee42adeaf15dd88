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

// Every hop of a dimension is one step to the final position in that dimension; so if the positions of ranks after each
// dimension are all different, no port is used twice.
bool one_hop_a_dimension(const network& where) {
  return where.kind == topology::hyper_crossbar || where.kind == topology::hypercube;
}

// True if the dimensions are corrected in the order of the shape (or its reverse), except those of size 1.
bool corrects(const network& where, bool first_dimension_first) {
  std::vector<int> order;
  for (const int d : where.order)
    if (where.shape[static_cast<std::size_t>(d)] > 1) order.push_back(d);
  return first_dimension_first ? std::is_sorted(order.begin(), order.end()) : std::is_sorted(order.rbegin(), order.rend());
}

// A plane of side A folds along the dimensions if each product of last sizes divides A, or is a multiple of A.
bool folds(const network& where) {
  const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(where.pus)));
  std::int64_t stride = 1;
  for (std::size_t d = where.shape.size(); d-- > 0; stride *= where.shape[d])
    if (side % stride != 0 && stride % side != 0) return false;
  return side * side == where.pus;
}

}  // namespace

std::optional<std::string> proven_free_of_conflicts(const network& where, const plan::plan& what) {
  if (what.form == exchange_form::any || !where.minimal || what.ranks > where.pus) return {};
  const bool all = what.ranks == where.pus;
  if (where.kind == topology::crossbar)
    return "on one crossbar a round in which each rank sends and receives at most once uses each port once";
  if (what.form == exchange_form::translation) {
    if (!all || without_ones(what.shape) != without_ones(where.shape)) return {};
    const bool short_rings = where.kind == topology::torus &&
                             std::all_of(where.shape.begin(), where.shape.end(), [](int size) { return size <= 4; });
    if (!one_hop_a_dimension(where) && !short_rings) return {};
    return fmt::format(
        "each round moves all ranks by one vector; after any dimensions are corrected their positions are a translation of "
        "the PUs, "
        "hence all different, and no port is used twice, for any sizes and any order of dimensions{}",
        short_rings ? "; in rings of up to 4 the two hops half-way round are shared by direction" : "");
  }
  if (what.form == exchange_form::exclusive_or) {
    if (!one_hop_a_dimension(where) || !std::all_of(where.shape.begin(), where.shape.end(),
                                                    [](int s) { return std::has_single_bit(static_cast<unsigned>(s)); }))
      return {};
    return "each round flips the same bits of all ranks, and each dimension holds whole bits; after any dimensions are "
           "corrected the positions are the PUs with some bits flipped, hence all different, and no port is used twice";
  }
  if (where.kind != topology::hyper_crossbar || !all || !folds(where)) return {};
  const bool x_first = what.form == exchange_form::transposition_x_first;
  if (!corrects(where, x_first)) return {};
  return fmt::format(
      "with u = m + n + t the destination of (m, n) is {}; each product of last sizes divides A or is a multiple of it, so "
      "after "
      "each dimension u and the other index can be recovered from the position: positions are all different, and no port is "
      "used twice, for every A that folds along the dimensions",
      x_first ? "(u, m)" : "(n, u)");
}

}  // namespace osteon::net
