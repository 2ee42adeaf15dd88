#include <osteon/io/chunked/plane_exchange.hpp>

#include <algorithm>
#include <osteon/comm/neighbours.hpp>

namespace osteon::io {
namespace {

constexpr int plane_tag = 700;
constexpr std::int64_t most_buffered = std::int64_t{64} << 20;  // bytes of a piece of planes of other ranks

plane_range overlap(plane_range a, plane_range b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

std::int64_t round_up(std::int64_t plane, std::int64_t chunk) { return (plane + chunk - 1) / chunk * chunk; }

}  // namespace

std::vector<plane_range> ranges_of(std::span<const std::int64_t> first) {
  std::vector<plane_range> ranges;
  for (std::size_t r = 0; r + 1 < first.size(); ++r) ranges.push_back({first[r], first[r + 1]});
  return ranges;
}

plane_exchange::plane_exchange(MPI_Comm comm, const file_team& team, const access& options, std::vector<plane_range> by_rank,
                               std::int64_t planes, std::int64_t chunk_planes, std::int64_t bytes_per_plane)
    : comm_(comm), members_(team.ranks), by_rank_(std::move(by_rank)), bytes_per_plane_(bytes_per_plane) {
  const auto members = std::ssize(members_);
  const auto found = std::find(members_.begin(), members_.end(), comm::rank(comm));
  if (found != members_.end()) member_ = found - members_.begin();
  // A chunk belongs to the member that serves the rank of its first plane. If members serve scattered ranks, all members
  // have equal numbers of chunks.
  const std::int64_t chunks = (planes + chunk_planes - 1) / chunk_planes;
  const auto first_of = [&](std::ptrdiff_t m) {
    if (m == 0) return std::int64_t{0};
    if (m == members) return planes;
    if (!team.contiguous) return std::min(planes, chunks * m / members * chunk_planes);
    const std::int64_t begin = by_rank_[static_cast<std::size_t>(members_[static_cast<std::size_t>(m)])].begin;
    return std::min(planes, round_up(begin, chunk_planes));
  };
  const auto whole_chunks = [&](std::int64_t bytes) {
    return std::max<std::int64_t>(bytes / bytes_per_plane / chunk_planes, 1) * chunk_planes;
  };
  for (std::ptrdiff_t m = 0; m < members; ++m) {
    share s;
    s.all = {first_of(m), first_of(m + 1)};
    const plane_range own = by_rank_[static_cast<std::size_t>(members_[static_cast<std::size_t>(m)])];
    const std::int64_t own_end = own.end == planes ? planes : own.end / chunk_planes * chunk_planes;
    s.own_end = own.begin <= s.all.begin ? std::clamp(own_end, s.all.begin, std::max(s.all.begin, s.all.end)) : s.all.begin;
    s.step = whole_chunks(options.bytes_per_call / members);
    s.step_of_others = whole_chunks(std::min(options.bytes_per_call / members, most_buffered));
    handled_.push_back(s);
    rounds_ = std::max(rounds_, rounds_of(s));
  }
}

std::int64_t plane_exchange::rounds_of(const share& s) const {
  const std::int64_t own = s.own_end - s.all.begin, others = s.all.end - s.own_end;
  return (own + s.step - 1) / s.step + std::max<std::int64_t>(others + s.step_of_others - 1, 0) / s.step_of_others;
}

plane_range plane_exchange::piece_of(std::ptrdiff_t member, std::int64_t round) const {
  const share& s = handled_[static_cast<std::size_t>(member)];
  const std::int64_t own_rounds = (s.own_end - s.all.begin + s.step - 1) / s.step;
  plane_range p;
  if (round < own_rounds) {
    p.begin = s.all.begin + round * s.step;
    p.end = std::min(p.begin + s.step, s.own_end);
  } else {
    p.begin = std::min(s.own_end + (round - own_rounds) * s.step_of_others, s.all.end);
    p.end = std::min(p.begin + s.step_of_others, s.all.end);
  }
  return p;
}

std::vector<plane_exchange::piece_of_rank> plane_exchange::pieces_of_others(std::int64_t round) const {
  std::vector<piece_of_rank> pieces;
  for (std::ptrdiff_t m = 0; m < std::ssize(members_); ++m)
    if (m != member_) pieces.push_back({members_[static_cast<std::size_t>(m)], piece_of(m, round)});
  return pieces;
}

plan::neighbour_part plane_exchange::plan_of_scatter(std::int64_t round) const {
  const int rank = comm::rank(comm_);
  const plane_range own = by_rank_[static_cast<std::size_t>(rank)], mine = piece(round);
  plan::neighbour_part result{"planes from readers", {}, {}, plan::arrival::place};
  const auto add = [](std::vector<plan::neighbour_message>& to, int peer, plane_range part, std::int64_t begin) {
    if (part.size() > 0) to.push_back({.peer = peer, .run = {part.begin - begin, part.end - begin}});
  };
  for (std::ptrdiff_t m = 0; m < std::ssize(members_); ++m)
    add(result.receives, members_[static_cast<std::size_t>(m)], overlap(own, piece_of(m, round)), own.begin);
  if (mine.size() > 0)
    for (std::size_t r = 0; r < by_rank_.size(); ++r)
      add(result.sends, static_cast<int>(r), overlap(by_rank_[r], mine), mine.begin);
  return result;
}

void plane_exchange::scatter(std::int64_t round, std::span<const std::byte> piece_values,
                             std::span<std::byte> values) const {
  comm::neighbours(comm_, plane_tag, plan_of_scatter(round))
      .move(piece_values.data(), values.data(), static_cast<std::size_t>(bytes_per_plane_));
}

}  // namespace osteon::io
