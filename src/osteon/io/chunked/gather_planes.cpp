#include <osteon/io/chunked/gather_planes.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <osteon/comm/collectively.hpp>

namespace osteon::io {
namespace {

constexpr int piece_tag = 32;

// A row of a box as one value, because counts are ints.
class row_type {
 public:
  explicit row_type(std::int64_t bytes) {
    MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  row_type(const row_type&) = delete;
  row_type& operator=(const row_type&) = delete;
  ~row_type() { MPI_Type_free(&type_); }  // what is under way keeps it
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

int rows_of(const box3& part) { return static_cast<int>(part.shape().z * part.shape().y); }

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

/// The ranks' pieces of some planes, by ascending rank.
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

void piece_gather::gather(std::int64_t round, const plane_source<std::byte>& make, std::span<std::byte> piece) const {
  const int rank = comm::rank(comm_);
  const box3 own = box_of(rank);
  const plane_range mine = exchange_.piece(round);
  std::vector<grid::piece> send, receive;
  std::vector<std::byte> sent, kept, arrived;  // for others, for this rank, of one other
  const auto make_part = [&](const box3& part, std::byte* to) {
    make(part.begin.z - own.begin.z, part.shape().z, {to, static_cast<std::size_t>(bytes_of(part))});
  };
  comm::collectively(comm_, [&] {
    if (mine.size() > 0) receive = parts_of(mine);
    std::int64_t all = 0;
    for (const auto& [to, planes] : exchange_.pieces_of_others(round)) {
      const box3 part{{std::max(planes.begin, own.begin.z), own.begin.y, own.begin.x},
                      {std::min(planes.end, own.end.z), own.end.y, own.end.x}};
      if (part.empty()) continue;
      send.push_back({to, part});
      all += bytes_of(part);
    }
    sent.resize(static_cast<std::size_t>(all));
    std::byte* next = sent.data();
    for (const grid::piece& p : send) {
      make_part(p.part, next);
      next += bytes_of(p.part);
    }
    if (receive.size() == 1 && receive.front().rank == rank) return make_part(receive.front().part, piece.data());
    if (on_nodes_) std::fill_n(floats(piece.data()), piece.size() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
    std::int64_t most = 0;
    for (const grid::piece& p : receive) {
      if (p.rank != rank) {
        most = std::max(most, bytes_of(p.part));
        continue;
      }
      kept.resize(static_cast<std::size_t>(bytes_of(p.part)));
      make_part(p.part, kept.data());
    }
    arrived.resize(static_cast<std::size_t>(most));
  });
  std::vector<MPI_Request> requests;
  const std::byte* next = sent.data();
  for (const grid::piece& p : send) {
    MPI_Isend(next, rows_of(p.part), row_type(p.part.shape().x * point_bytes_).get(), p.rank, piece_tag, comm_,
              &requests.emplace_back());
    next += bytes_of(p.part);
  }
  for (const grid::piece& p : receive) {  // all sends are under way, so one after the other is safe
    if (arrived.empty()) break;           // no part is another's
    if (p.rank != rank)
      MPI_Recv(arrived.data(), rows_of(p.part), row_type(p.part.shape().x * point_bytes_).get(), p.rank, piece_tag, comm_,
               MPI_STATUS_IGNORE);
    put(p.part, p.rank == rank ? kept.data() : arrived.data(), mine, piece);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace osteon::io
