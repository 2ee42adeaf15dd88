#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <osteon/plan/exchange/exchange_detail.hpp>

namespace osteon::plan {

namespace {

std::int64_t total(const std::vector<parcel>& parcels, const parcel_sizes& sizes) {
  std::int64_t bytes = 0;
  for (const parcel p : parcels) bytes += sizes(p.from, p.to);
  return bytes;
}

// Rank whose coordinates are the coordinates of `rank` plus (or minus) the coordinates of `offset`, modulo the shape.
int translate(int rank, std::int64_t offset, bool forward, const std::vector<int>& shape) {
  int result = 0, stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const int size = shape[d], x = rank % size, s = static_cast<int>(offset % size);
    result += (forward ? (x + s) % size : (x - s + size) % size) * stride;
    rank /= size;
    offset /= size;
    stride *= size;
  }
  return result;
}

std::string shape_text(const std::vector<int>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

}  // namespace

plan shift_exchange(std::vector<int> shape, parcel_sizes sizes) {
  std::int64_t ranks = 1;
  for (const int size : shape) {
    if (size < 1) throw usage_error(fmt::format("grid of {} ranks: each size must be at least 1", shape_text(shape)));
    ranks *= size;
    if (ranks > detail::most_ranks)
      throw usage_error(
          fmt::format("grid of {} ranks: the number of ranks must not exceed {}", shape_text(shape), detail::most_ranks));
  }
  plan result = detail::by_partner(
      "shift:" + shape_text(shape), static_cast<int>(ranks), ranks - 1,
      [shape](int rank, std::int64_t round) { return translate(rank, round + 1, true, shape); },
      [shape](int rank, std::int64_t round) { return translate(rank, round + 1, false, shape); }, std::move(sizes));
  result.form = exchange_form::translation;
  result.shape = std::move(shape);
  return result;
}

plan xor_exchange(int ranks, parcel_sizes sizes) {
  detail::check_ranks("xor", ranks);
  std::int64_t size = 1;
  while (size < ranks) size *= 2;
  const auto partner = [ranks](int rank, std::int64_t round) {
    const std::int64_t other = rank ^ (round + 1);
    return other < ranks ? static_cast<int>(other) : -1;
  };
  plan result = detail::by_partner("xor", ranks, size - 1, partner, partner, std::move(sizes));
  result.form = exchange_form::exclusive_or;
  return result;
}

plan pairwise_exchange(int ranks, parcel_sizes sizes) {
  detail::check_ranks("pairwise", ranks);
  // Circle method with seats 0 to m - 1 (m odd), and one seat in the middle. Seats i and j are paired if i + j = 2 round
  // (mod m). If i + i = 2 round (mod m), seat i is paired with the middle seat. If the number of ranks is odd, the middle
  // seat is empty.
  const std::int64_t m = ranks % 2 == 0 ? ranks - 1 : ranks;
  const auto partner = [ranks, m](int rank, std::int64_t round) {
    std::int64_t other = round;
    if (rank < m) {
      other = ((2 * round - rank) % m + m) % m;
      if (other == rank) other = m;
    }
    return other < ranks ? static_cast<int>(other) : -1;
  };
  return detail::by_partner("pairwise", ranks, ranks == 1 ? 0 : m, partner, partner, std::move(sizes));
}

plan bruck_exchange(int ranks, parcel_sizes sizes) {
  detail::check_ranks("bruck", ranks);
  plan result{.name = "bruck", .ranks = ranks, .rounds = detail::levels(ranks), .moves = cargo::parcels};
  result.of = [ranks, sizes = std::move(sizes)](int rank, std::int64_t number) {
    const std::int64_t hop = std::int64_t{1} << number;
    // A parcel with the distance d has been forwarded by d mod hop. This round forwards parcels whose distance d has this
    // bit.
    const auto out_of = [&](std::int64_t holder) {
      std::vector<parcel> parcels;
      for (std::int64_t d = hop; d < ranks; d += (d + 1) % hop == 0 ? hop + 1 : 1) {
        const auto from = (holder - d % hop + ranks) % ranks;
        parcels.push_back({static_cast<int>(from), static_cast<int>((from + d) % ranks)});
      }
      return parcels;
    };
    const std::int64_t to = (rank + hop) % ranks, from = (rank - hop + ranks) % ranks;
    round now;
    const auto add = [&](std::vector<message>& list, std::int64_t peer, std::int64_t holder) {
      auto parcels = out_of(holder);
      const auto bytes = total(parcels, sizes);
      list.push_back({static_cast<int>(peer), {0, bytes}, arrival::place, std::move(parcels)});
    };
    add(now.sends, to, rank);
    add(now.receives, from, from);
    return now;
  };
  return result;
}

plan hierarchical_exchange(int ranks, int ranks_per_host, parcel_sizes sizes) {
  detail::check_ranks("hierarchical", ranks);
  if (ranks_per_host < 1)
    throw usage_error(fmt::format("hierarchical:{}: the number of ranks per host must be at least 1", ranks_per_host));
  const int full = std::min(ranks_per_host, ranks), hosts = (ranks - 1) / full + 1;
  plan result{.name = fmt::format("hierarchical:{}", ranks_per_host),
              .ranks = ranks,
              .rounds = std::int64_t{full} - 1 + hosts - 1,
              .moves = cargo::parcels};
  result.of = [=, sizes = std::move(sizes)](int rank, std::int64_t number) {
    const auto size_of = [=](int host) { return std::min(full, ranks - host * full); };
    round now;
    const auto add = [&](std::vector<message>& list, int peer, std::vector<parcel> parcels) {
      const auto bytes = total(parcels, sizes);
      list.push_back({peer, {0, bytes}, arrival::place, std::move(parcels)});
    };
    const int host = rank / full, local = rank % full, members = size_of(host);
    // rounds inside hosts: member m collects the parcels from the host to ranks at its own position on all hosts
    if (number < full - 1) {
      const auto for_member = [&](int from, int m) {
        std::vector<parcel> parcels;
        for (int h = 0; h < hosts; ++h)
          for (int t = m; t < size_of(h); t += members) parcels.push_back({from, h * full + t});
        return parcels;
      };
      const int s = static_cast<int>(number) + 1;
      if (s >= members) return now;
      const int to = (local + s) % members, from = (local - s + members) % members;
      add(now.sends, host * full + to, for_member(rank, to));
      add(now.receives, host * full + from, for_member(host * full + from, local));
      return now;
    }
    const int s = static_cast<int>(number) - (full - 1) + 1;
    const auto all_of = [&](int source_host, int to) {
      std::vector<parcel> parcels;
      for (int l = 0; l < size_of(source_host); ++l) parcels.push_back({source_host * full + l, to});
      return parcels;
    };
    const int target = (host + s) % hosts, source = (host - s + hosts) % hosts;
    for (int t = local; t < size_of(target); t += members)
      add(now.sends, target * full + t, all_of(host, target * full + t));
    add(now.receives, source * full + local % size_of(source), all_of(source, rank));
    return now;
  };
  return result;
}

}  // namespace osteon::plan
