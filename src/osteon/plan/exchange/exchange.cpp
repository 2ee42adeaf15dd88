#include <osteon/plan/exchange/exchange.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/plan/exchange/exchange_detail.hpp>

namespace osteon::plan {

namespace detail {

void check_ranks(const std::string& name, int ranks) {
  if (ranks < 1 || ranks > most_ranks)
    throw usage_error(
        fmt::format("exchange '{}' of {} ranks: the number of ranks must be 1 to {}", name, ranks, most_ranks));
}

plan by_partner(std::string name, int ranks, std::int64_t rounds, partner_of to, partner_of from, parcel_sizes sizes) {
  plan result{.name = std::move(name), .ranks = ranks, .rounds = rounds, .moves = cargo::parcels};
  result.of = [to = std::move(to), from = std::move(from), sizes = std::move(sizes)](int rank, std::int64_t number) {
    round now;
    if (const int t = to(rank, number); t >= 0 && t != rank) now.sends.push_back({t, {0, sizes(rank, t)}});
    if (const int f = from(rank, number); f >= 0 && f != rank) now.receives.push_back({f, {0, sizes(f, rank)}});
    return now;
  };
  return result;
}

plan of_objects(std::string name, int ranks, std::int64_t rounds, std::function<arrival(std::int64_t round)> on_arrival,
                std::int64_t bytes, partner_of to, partner_of from) {
  check_ranks(name, ranks);
  if (bytes < 0) throw usage_error(fmt::format("exchange '{}' of {} bytes: the size must not be negative", name, bytes));
  plan result{.name = std::move(name), .ranks = ranks, .rounds = rounds, .elements = bytes};
  result.of = [=, on_arrival = std::move(on_arrival), to = std::move(to), from = std::move(from)](int rank,
                                                                                                  std::int64_t number) {
    round now;
    const arrival action = on_arrival(number);
    if (const int t = to(rank, number); t >= 0) now.sends.push_back({t, {0, bytes}, action});
    if (const int f = from(rank, number); f >= 0) now.receives.push_back({f, {0, bytes}, action});
    return now;
  };
  return result;
}

}  // namespace detail

namespace {

int if_rank(std::int64_t other, int ranks) { return other >= 0 && other < ranks ? static_cast<int>(other) : -1; }

auto always(arrival action) {
  return [action](std::int64_t) { return action; };
}

}  // namespace

plan transposition(int ranks, transposition_order order, parcel_sizes sizes) {
  detail::check_ranks("transposition", ranks);
  auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(ranks)));
  while (side * side > ranks) --side;
  while ((side + 1) * (side + 1) <= ranks) ++side;
  if (side * side != ranks)
    throw usage_error(fmt::format("transposition of {} ranks: the number of ranks must be a square, such as {} or {}", ranks,
                                  side * side, (side + 1) * (side + 1)));
  const bool printed = order == transposition_order::printed;
  const auto to = [=](int rank, std::int64_t t) {
    const std::int64_t m = rank / side, n = rank % side, u = (m + n + t) % side;
    return static_cast<int>(printed ? n * side + u : u * side + m);
  };
  // Inverse of the send. [Itakura] prints PU(x - y - t, x) as the partner of the receive. This partner is not the inverse of
  // the send.
  const auto from = [=](int rank, std::int64_t t) {
    const std::int64_t x = rank / side, y = rank % side;
    return static_cast<int>(printed ? (y - x - t + 2 * side) % side * side + x : y * side + (x - y - t + 2 * side) % side);
  };
  plan result = detail::by_partner(printed ? "transposition:printed" : "transposition:x-first", ranks, side, to, from,
                                   std::move(sizes));
  result.form = printed ? exchange_form::transposition : exchange_form::transposition_x_first;
  return result;
}

plan butterfly(int ranks, std::int64_t bytes) {
  const auto partner = [ranks](int rank, std::int64_t b) { return if_rank(rank ^ (std::int64_t{1} << b), ranks); };
  plan result =
      detail::of_objects("butterfly", ranks, detail::levels(ranks), always(arrival::keep), bytes, partner, partner);
  result.moves = cargo::bytes;
  result.form = exchange_form::exclusive_or;
  return result;
}

plan prefix_tree(int ranks, std::int64_t bytes) {
  const int up = detail::levels(ranks);
  // The last rank of a block of 2^b ranks has the sum over the block. In the upward rounds, this rank sends its sum to the
  // last rank of the enclosing block of 2^(b+1) ranks. In the downward rounds, the last rank of a block of 2^(b+1) ranks
  // sends a complete prefix sum. The receiver is the last rank of the following half block.
  const auto hop = [up](std::int64_t round) { return std::int64_t{1} << (round < up ? round : 2 * up - 2 - round); };
  const auto to = [=](int rank, std::int64_t round) {
    const std::int64_t b = hop(round), end = rank + std::int64_t{1};
    const bool sends = round < up ? end % (2 * b) == b : end % (2 * b) == 0;
    return sends ? if_rank(rank + b, ranks) : -1;
  };
  const auto from = [=](int rank, std::int64_t round) {
    const std::int64_t b = hop(round), end = rank + std::int64_t{1};
    const bool receives = round < up ? end % (2 * b) == 0 : end % (2 * b) == b;
    return receives ? if_rank(rank - b, ranks) : -1;
  };
  return detail::of_objects("prefix", ranks, up == 0 ? 0 : 2 * up - 1, always(arrival::add), bytes, to, from);
}

plan prefix_doubling(int ranks, std::int64_t bytes) {
  return detail::of_objects(
      "prefix:doubling", ranks, detail::levels(ranks), always(arrival::add), bytes,
      [ranks](int rank, std::int64_t b) { return if_rank(rank + (std::int64_t{1} << b), ranks); },
      [ranks](int rank, std::int64_t b) { return if_rank(rank - (std::int64_t{1} << b), ranks); });
}

plan all_reduce(int ranks, std::int64_t bytes) {
  const int up = detail::levels(ranks);
  // In round b, a rank with the lowest set bit b sends to the rank without this bit. In the downward rounds, a rank with the
  // lowest set bit b receives the sum.
  const auto bit = [up](std::int64_t round) { return std::int64_t{1} << (round < up ? round : 2 * up - 1 - round); };
  const auto above = [=](int rank, std::int64_t b) { return rank % (2 * b) == b ? static_cast<int>(rank - b) : -1; };
  const auto below = [=](int rank, std::int64_t b) { return rank % (2 * b) == 0 ? if_rank(rank + b, ranks) : -1; };
  return detail::of_objects(
      "all_reduce", ranks, 2 * up, [up](std::int64_t r) { return r < up ? arrival::add : arrival::place; }, bytes,
      [=](int rank, std::int64_t r) { return r < up ? above(rank, bit(r)) : below(rank, bit(r)); },
      [=](int rank, std::int64_t r) { return r < up ? below(rank, bit(r)) : above(rank, bit(r)); });
}

plan broadcast_tree(int ranks, int root, std::int64_t bytes) {
  if (root < 0 || root >= ranks)
    throw usage_error(fmt::format("broadcast:{}: root must be one of the {} ranks", root, ranks));
  const auto from_root = [=](int rank) { return (std::int64_t{rank} - root + ranks) % ranks; };
  const auto rank_at = [=](std::int64_t v) { return static_cast<int>((v + root) % ranks); };
  return detail::of_objects(
      fmt::format("broadcast:{}", root), ranks, detail::levels(ranks), always(arrival::place), bytes,
      [=](int rank, std::int64_t b) {
        const std::int64_t hop = std::int64_t{1} << b, v = from_root(rank);
        return v < hop && v + hop < ranks ? rank_at(v + hop) : -1;
      },
      [=](int rank, std::int64_t b) {
        const std::int64_t hop = std::int64_t{1} << b, v = from_root(rank);
        return v >= hop && v < 2 * hop ? rank_at(v - hop) : -1;
      });
}

plan halo_exchange(std::array<int, 3> shape, std::array<std::int64_t, 3> face_bytes, bool periodic) {
  std::int64_t ranks = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (shape[axis] < 1 || face_bytes[axis] < 0)
      throw usage_error(
          fmt::format("halo of {} blocks with faces of {} bytes: sizes must be positive", shape[axis], face_bytes[axis]));
    ranks *= shape[axis];
    if (ranks > detail::most_ranks)
      throw usage_error(fmt::format("halo: the number of blocks must not exceed {}", detail::most_ranks));
  }
  plan result{.name = fmt::format("halo:{}", fmt::join(shape, "x")),
              .ranks = static_cast<int>(ranks),
              .rounds = 1,
              .moves = cargo::bytes};
  result.of = [=](int rank, std::int64_t) {
    round now;
    int stride = 1;
    for (std::size_t axis = 3; axis-- > 0;) {
      const int size = shape[axis], x = rank / stride % size;
      for (const int side : {-1, 1}) {
        int other = x + side;
        if (periodic) other = (other + size) % size;
        if (other < 0 || other >= size || other == x) continue;
        const int peer = rank + (other - x) * stride;
        now.sends.push_back({peer, {0, face_bytes[axis]}});
        now.receives.push_back({peer, {0, face_bytes[axis]}});
      }
      stride *= size;
    }
    return now;
  };
  return result;
}

}  // namespace osteon::plan
