#include <osteon/io/chunked/gather_planes.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/neighbours.hpp>

namespace osteon::io {
namespace {

constexpr int piece_tag = 800;

float* floats(std::byte* bytes) { return reinterpret_cast<float*>(bytes); }
const float* floats(const std::byte* bytes) { return reinterpret_cast<const float*>(bytes); }

}  // namespace

piece_gather::piece_gather(MPI_Comm comm, const plane_exchange& exchange, const grid::box_tree& boxes, bool on_nodes,
                           std::int64_t point_bytes)
    : comm_(comm), exchange_(exchange), boxes_(boxes), on_nodes_(on_nodes), point_bytes_(point_bytes) {}

box3 piece_gather::box_of(int rank) const {
  box3 box = boxes_.box_of(rank);
  if (on_nodes_) box.end = box.end + index3{1, 1, 1};
  return box;
}

/// Parts of some planes, by ascending rank.
std::vector<grid::piece> piece_gather::parts_of(plane_range planes) const {
  const index3 end = boxes_.domain() + (on_nodes_ ? index3{1, 1, 1} : index3{});
  const box3 want{{planes.begin, 0, 0}, {planes.end, end.y, end.x}};
  std::vector<grid::piece> parts;
  for (const int rank : boxes_.ranks_overlapping({{planes.begin - (on_nodes_ ? 1 : 0), 0, 0}, want.end}))
    parts.push_back({rank, grid::overlap(box_of(rank), want)});
  return parts;
}

void piece_gather::put(const box3& part, const std::byte* from, plane_range planes, std::span<std::byte> piece) const {
  const index3 domain = boxes_.domain() + (on_nodes_ ? index3{1, 1, 1} : index3{});
  const auto row = static_cast<std::size_t>(part.shape().x * point_bytes_);
  for (std::int64_t z = part.begin.z; z < part.end.z; ++z)
    for (std::int64_t y = part.begin.y; y < part.end.y; ++y, from += row) {
      std::byte* const to = piece.data() + (((z - planes.begin) * domain.y + y) * domain.x + part.begin.x) * point_bytes_;
      if (!on_nodes_) {
        std::memcpy(to, from, row);
        continue;
      }
      for (std::size_t i = 0; i < row / sizeof(float); ++i)
        if (floats(from)[i] == floats(from)[i]) floats(to)[i] = floats(from)[i];
    }
}

bool piece_gather::is_alone(std::int64_t round) const {
  const auto is_own = [&](int rank, plane_range planes) {
    if (planes.size() == 0) return true;
    const std::vector<grid::piece> parts = parts_of(planes);
    return parts.size() == 1 && parts.front().rank == rank;
  };
  const auto others = exchange_.pieces_of_others(round);
  return is_own(comm::rank(comm_), exchange_.piece(round)) &&
         std::all_of(others.begin(), others.end(), [&](const auto& other) { return is_own(other.rank, other.planes); });
}

std::vector<grid::piece> piece_gather::sent_in(std::int64_t round) const {
  const box3 own = box_of(comm::rank(comm_));
  std::vector<grid::piece> send;
  for (const auto& [to, planes] : exchange_.pieces_of_others(round)) {
    const box3 part{{std::max(planes.begin, own.begin.z), own.begin.y, own.begin.x},
                    {std::min(planes.end, own.end.z), own.end.y, own.end.x}};
    if (!part.empty()) send.push_back({to, part});
  }
  return send;
}

std::vector<grid::piece> piece_gather::received_in(std::int64_t round) const {
  const plane_range mine = exchange_.piece(round);
  return mine.size() > 0 ? parts_of(mine) : std::vector<grid::piece>{};
}

plan::neighbour_part piece_gather::plan_of(std::span<const grid::piece> send, std::span<const grid::piece> receive) const {
  plan::neighbour_part result{"planes to writers", {}, {}, plan::arrival::keep};
  std::int64_t at = 0;
  for (const grid::piece& p : send) {
    result.sends.push_back({.peer = p.rank, .run = {at, at + p.part.volume()}});
    at += p.part.volume();
  }
  for (const grid::piece& p : receive)
    if (p.rank != comm::rank(comm_)) result.receives.push_back({.peer = p.rank, .run = {0, p.part.volume()}});
  return result;
}

plan::neighbour_part piece_gather::plan_of(std::int64_t round) const { return plan_of(sent_in(round), received_in(round)); }

void piece_gather::gather(std::int64_t round, const plane_source<std::byte>& make, std::span<std::byte> piece) const {
  const int rank = comm::rank(comm_);
  const box3 own = box_of(rank);
  const plane_range mine = exchange_.piece(round);
  std::vector<grid::piece> send, receive;
  std::vector<std::byte> sent, own_part;  // values for other ranks, values for this rank
  const auto make_part = [&](const box3& part, std::byte* to) {
    make(part.begin.z - own.begin.z, part.shape().z, {to, static_cast<std::size_t>(bytes_of(part))});
  };
  bool is_mine_alone = false;
  comm::collectively(comm_, [&] {
    receive = received_in(round);
    send = sent_in(round);
    std::int64_t all = 0;
    for (const grid::piece& p : send) all += bytes_of(p.part);
    sent.resize(static_cast<std::size_t>(all));
    std::byte* next = sent.data();
    for (const grid::piece& p : send) {
      make_part(p.part, next);
      next += bytes_of(p.part);
    }
    is_mine_alone = receive.size() == 1 && receive.front().rank == rank;
    if (is_mine_alone) return make_part(receive.front().part, piece.data());
    if (on_nodes_) std::fill_n(floats(piece.data()), piece.size() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
    for (const grid::piece& p : receive) {
      if (p.rank != rank) continue;
      own_part.resize(static_cast<std::size_t>(bytes_of(p.part)));
      make_part(p.part, own_part.data());
    }
  });
  // Parts of all ranks, including this rank, are stored in rank order. Therefore the value of the highest rank is used for
  // shared nodes.
  auto next = receive.begin();
  const auto put_own = [&] {
    if (next != receive.end() && next->rank == rank && !is_mine_alone) put(next->part, own_part.data(), mine, piece);
    if (next != receive.end() && next->rank == rank) ++next;
  };
  comm::neighbours messages(comm_, piece_tag, plan_of(send, receive));
  messages.receive_one_by_one(sent.data(), static_cast<std::size_t>(point_bytes_),
                              [&](std::size_t, std::span<const std::byte> arrived) {
                                put_own();
                                put(next->part, arrived.data(), mine, piece);
                                ++next;
                              });
  put_own();
}

}  // namespace osteon::io
