#include <osteon/plan/exchange.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/plan/exchange_detail.hpp>

namespace osteon::plan {

namespace detail {

void check_ranks(const std::string& name, int ranks) {
  if (ranks < 1 || ranks > most_ranks)
    throw usage_error(fmt::format("an exchange '{}' of {} ranks: there must be 1 to {}", name, ranks, most_ranks));
}

exchange by_partner(std::string name, int ranks, std::int64_t rounds, partner_of to, partner_of from, parcel_sizes sizes) {
  exchange result{std::move(name), ranks, rounds, arrival::parcels, {}, exchange_form::any, {}};
  result.of = [to = std::move(to), from = std::move(from), sizes = std::move(sizes)](int rank, std::int64_t round) {
    exchange_round now;
    if (const int t = to(rank, round); t >= 0 && t != rank) now.sends.push_back({t, sizes(rank, t), 0, {}});
    if (const int f = from(rank, round); f >= 0 && f != rank) now.receives.push_back({f, sizes(f, rank), 0, {}});
    return now;
  };
  return result;
}

exchange of_objects(std::string name, int ranks, std::int64_t rounds, arrival on_arrival, std::int64_t bytes, partner_of to,
                    partner_of from) {
  check_ranks(name, ranks);
  if (bytes < 0) throw usage_error(fmt::format("an exchange '{}' of {} bytes: there must be 0 or more", name, bytes));
  exchange result{std::move(name), ranks, rounds, on_arrival, {}, exchange_form::any, {}};
  const std::int64_t combined = on_arrival == arrival::add ? bytes : 0;
  result.of = [=, to = std::move(to), from = std::move(from)](int rank, std::int64_t round) {
    exchange_round now;
    if (const int t = to(rank, round); t >= 0) now.sends.push_back({t, bytes, combined, {}});
    if (const int f = from(rank, round); f >= 0) now.receives.push_back({f, bytes, combined, {}});
    return now;
  };
  return result;
}

}  // namespace detail

namespace {

int if_rank(std::int64_t other, int ranks) { return other >= 0 && other < ranks ? static_cast<int>(other) : -1; }

// One message for each peer: sends in their order, receives by their peers.
exchange_round merged(const round& steps, double bytes_per_element) {
  exchange_round now;
  std::map<int, std::size_t> send_to, receive_from;
  for (const step& s : steps.steps) {
    const bool sends = s.what == action::send;
    auto& list = sends ? now.sends : now.receives;
    const auto [found, first] = (sends ? send_to : receive_from).emplace(s.peer, list.size());
    if (first) list.push_back({s.peer, 0, 0, {}});
    message& m = list[found->second];
    const auto bytes = std::llround(static_cast<double>(s.elements.size()) * bytes_per_element);
    m.bytes += bytes;
    if (s.what == action::blend_front || s.what == action::blend_back) m.combined += bytes;
  }
  std::sort(now.receives.begin(), now.receives.end(), [](const message& a, const message& b) { return a.peer < b.peer; });
  return now;
}

}  // namespace

exchange transposition(int ranks, transposition_order order, parcel_sizes sizes) {
  detail::check_ranks("transposition", ranks);
  auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(ranks)));
  while (side * side > ranks) --side;
  while ((side + 1) * (side + 1) <= ranks) ++side;
  if (side * side != ranks)
    throw usage_error(
        fmt::format("a transposition of {} ranks: they must form a square plane; the nearest numbers that do are {} and {}",
                    ranks, side * side, (side + 1) * (side + 1)));
  const bool printed = order == transposition_order::printed;
  const auto to = [=](int rank, std::int64_t t) {
    const std::int64_t m = rank / side, n = rank % side, u = (m + n + t) % side;
    return static_cast<int>(printed ? n * side + u : u * side + m);
  };
  // The inverse. ([Itakura] prints PU(x - y - t, x) as the partner to receive from, which is no inverse of its send.)
  const auto from = [=](int rank, std::int64_t t) {
    const std::int64_t x = rank / side, y = rank % side;
    return static_cast<int>(printed ? (y - x - t + 2 * side) % side * side + x : y * side + (x - y - t + 2 * side) % side);
  };
  exchange result = detail::by_partner(printed ? "transposition:printed" : "transposition:x-first", ranks, side, to, from,
                                       std::move(sizes));
  result.form = printed ? exchange_form::transposition : exchange_form::transposition_x_first;
  return result;
}

exchange butterfly(int ranks, std::int64_t bytes) {
  const auto partner = [ranks](int rank, std::int64_t b) { return if_rank(rank ^ (std::int64_t{1} << b), ranks); };
  exchange result = detail::of_objects("butterfly", ranks, detail::levels(ranks), arrival::other, bytes, partner, partner);
  result.form = exchange_form::exclusive_or;
  return result;
}

exchange prefix_tree(int ranks, std::int64_t bytes) {
  const int up = detail::levels(ranks);
  // Blocks of 2^b ranks, the sum of which is at their last one. Up: a block's sum to the last rank of the block of twice
  // its size. Down: what is complete at the end of a block of 2^(b+1) to the end of the half block behind it.
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
  return detail::of_objects("prefix", ranks, up == 0 ? 0 : 2 * up - 1, arrival::add, bytes, to, from);
}

exchange prefix_doubling(int ranks, std::int64_t bytes) {
  return detail::of_objects(
      "prefix:doubling", ranks, detail::levels(ranks), arrival::add, bytes,
      [ranks](int rank, std::int64_t b) { return if_rank(rank + (std::int64_t{1} << b), ranks); },
      [ranks](int rank, std::int64_t b) { return if_rank(rank - (std::int64_t{1} << b), ranks); });
}

exchange all_reduce(int ranks, std::int64_t bytes) {
  const int up = detail::levels(ranks);
  // Round b: ranks whose lowest bit is b send it to the rank without that bit; on the way down they get the sum back.
  const auto bit = [up](std::int64_t round) { return std::int64_t{1} << (round < up ? round : 2 * up - 1 - round); };
  const auto above = [=](int rank, std::int64_t b) { return rank % (2 * b) == b ? static_cast<int>(rank - b) : -1; };
  const auto below = [=](int rank, std::int64_t b) { return rank % (2 * b) == 0 ? if_rank(rank + b, ranks) : -1; };
  return detail::of_objects(
      "all_reduce", ranks, 2 * up, arrival::other, bytes,
      [=](int rank, std::int64_t r) { return r < up ? above(rank, bit(r)) : below(rank, bit(r)); },
      [=](int rank, std::int64_t r) { return r < up ? below(rank, bit(r)) : above(rank, bit(r)); });
}

exchange broadcast_tree(int ranks, int root, std::int64_t bytes) {
  if (root < 0 || root >= ranks) throw usage_error(fmt::format("broadcast:{}: root must be one of {} ranks", root, ranks));
  const auto from_root = [=](int rank) { return (std::int64_t{rank} - root + ranks) % ranks; };
  const auto rank_at = [=](std::int64_t v) { return static_cast<int>((v + root) % ranks); };
  return detail::of_objects(
      fmt::format("broadcast:{}", root), ranks, detail::levels(ranks), arrival::object, bytes,
      [=](int rank, std::int64_t b) {
        const std::int64_t hop = std::int64_t{1} << b, v = from_root(rank);
        return v < hop && v + hop < ranks ? rank_at(v + hop) : -1;
      },
      [=](int rank, std::int64_t b) {
        const std::int64_t hop = std::int64_t{1} << b, v = from_root(rank);
        return v >= hop && v < 2 * hop ? rank_at(v - hop) : -1;
      });
}

exchange halo_exchange(std::array<int, 3> shape, std::array<std::int64_t, 3> face_bytes, bool periodic) {
  std::int64_t ranks = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (shape[axis] < 1 || face_bytes[axis] < 0)
      throw usage_error(
          fmt::format("a halo of {} blocks with faces of {} bytes: sizes must be positive", shape[axis], face_bytes[axis]));
    ranks *= shape[axis];
    if (ranks > detail::most_ranks) throw usage_error(fmt::format("a halo of more than {} blocks", detail::most_ranks));
  }
  exchange result{
      fmt::format("halo:{}", fmt::join(shape, "x")), static_cast<int>(ranks), 1, arrival::other, {}, exchange_form::any, {}};
  result.of = [=](int rank, std::int64_t) {
    exchange_round now;
    int stride = 1;
    for (std::size_t axis = 3; axis-- > 0;) {
      const int size = shape[axis], x = rank / stride % size;
      for (const int side : {-1, 1}) {
        int other = x + side;
        if (periodic) other = (other + size) % size;
        if (other < 0 || other >= size || other == x) continue;
        const int peer = rank + (other - x) * stride;
        now.sends.push_back({peer, face_bytes[axis], 0, {}});
        now.receives.push_back({peer, face_bytes[axis], 0, {}});
      }
      stride *= size;
    }
    return now;
  };
  return result;
}

exchange as_exchange(const plan& what, double bytes_per_element) {
  auto all = std::make_shared<std::vector<std::vector<exchange_round>>>(static_cast<std::size_t>(what.ranks));
  std::size_t rounds = 0;
  for (int rank = 0; rank < what.ranks; ++rank) {
    auto& own = (*all)[static_cast<std::size_t>(rank)];
    for (const round& now : what.of(rank).rounds) own.push_back(merged(now, bytes_per_element));
    rounds = std::max(rounds, own.size());
  }
  // Only receiving steps know what they blend; the bytes are entered at the senders' messages, too.
  for (int rank = 0; rank < what.ranks; ++rank)
    for (std::size_t r = 0; r < (*all)[static_cast<std::size_t>(rank)].size(); ++r)
      for (message& m : (*all)[static_cast<std::size_t>(rank)][r].sends) {
        const auto& peer = (*all)[static_cast<std::size_t>(m.peer)];
        if (r >= peer.size()) continue;
        const auto found = std::lower_bound(peer[r].receives.begin(), peer[r].receives.end(), rank,
                                            [](const message& x, int from) { return x.peer < from; });
        if (found != peer[r].receives.end() && found->peer == rank) m.combined = found->combined;
      }
  exchange result{what.name, what.ranks, static_cast<std::int64_t>(rounds), arrival::other, {}, exchange_form::any, {}};
  result.of = [all](int rank, std::int64_t r) {
    const auto& own = (*all)[static_cast<std::size_t>(rank)];
    return r < static_cast<std::int64_t>(own.size()) ? own[static_cast<std::size_t>(r)] : exchange_round{};
  };
  return result;
}

}  // namespace osteon::plan
