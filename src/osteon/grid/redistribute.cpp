#include <osteon/grid/redistribute.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>
#include <type_traits>

namespace osteon::grid {

namespace {

constexpr int tag = 24;

// Call body(place in an array over a, place in an array over b, values) for each row of a part that both have.
template <class F>
void for_each_row(const box3& part, const box3& a, const box3& b, int components, F&& body) {
  const auto place = [&](const box3& box, std::int64_t z, std::int64_t y) {
    const index3 at = index3{z, y, part.begin.x} - box.begin, shape = box.shape();
    return ((at.z * shape.y + at.y) * shape.x + at.x) * components;
  };
  for (std::int64_t z = part.begin.z; z < part.end.z; ++z)
    for (std::int64_t y = part.begin.y; y < part.end.y; ++y)
      body(place(a, z, y), place(b, z, y), part.shape().x * components);
}

template <class T>
void put(const T* from, std::int64_t count, T* to) {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::int64_t i = 0; i < count; ++i)
      if (from[i] == from[i]) to[i] = from[i];
  } else {
    std::copy_n(from, count, to);
  }
}

// Messages count rows, so that a large piece does not exceed the range of int.
template <class T>
MPI_Datatype row_of(const box3& part, int components) {
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(part.shape().x * components * static_cast<std::int64_t>(sizeof(T))), MPI_BYTE, &row);
  MPI_Type_commit(&row);
  return row;
}

int rows_of(const box3& part) { return static_cast<int>(part.shape().z * part.shape().y); }

box3 nodes_of(const box3& cells) { return {cells.begin, cells.end + index3{1, 1, 1}}; }

}  // namespace

std::vector<piece> pieces_of(const box_tree& boxes, const box3& part) {
  std::vector<piece> pieces;
  for (const int rank : boxes.ranks_overlapping(part)) pieces.push_back({rank, overlap(boxes.box_of(rank), part)});
  return pieces;
}

template <class T>
std::vector<T> exchange_pieces(MPI_Comm comm, const box3& have, std::span<const T> values, std::span<const piece> send,
                               const box3& want, std::span<const piece> receive, int components) {
  const int me = comm::rank(comm);
  std::vector<T> result;
  std::vector<std::vector<T>> out(send.size()), in(receive.size());
  comm::together(comm, [&] {
    const auto size = [&](const box3& part) { return static_cast<std::size_t>(part.volume() * components); };
    if (values.size() != size(have))
      throw usage_error(fmt::format("{} values for a box that needs {}", values.size(), size(have)));
    result.assign(size(want), std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T{});
    for (std::size_t i = 0; i < send.size(); ++i) {
      if (send[i].rank == me) continue;
      out[i].resize(size(send[i].part));
      for_each_row(send[i].part, have, send[i].part, components,
                   [&](std::int64_t from, std::int64_t to, std::int64_t count) {
                     std::copy_n(values.data() + from, count, out[i].data() + to);
                   });
    }
    for (std::size_t i = 0; i < receive.size(); ++i)
      if (receive[i].rank != me) in[i].resize(size(receive[i].part));
  });

  std::vector<MPI_Request> requests;
  const auto post = [&](const piece& p, auto&& start) {
    if (p.rank == me) return;
    MPI_Datatype row = row_of<T>(p.part, components);
    start(row, &requests.emplace_back());
    MPI_Type_free(&row);  // what is under way keeps it
  };
  for (std::size_t i = 0; i < receive.size(); ++i)
    post(receive[i], [&](MPI_Datatype row, MPI_Request* request) {
      MPI_Irecv(in[i].data(), rows_of(receive[i].part), row, receive[i].rank, tag, comm, request);
    });
  for (std::size_t i = 0; i < send.size(); ++i)
    post(send[i], [&](MPI_Datatype row, MPI_Request* request) {
      MPI_Isend(out[i].data(), rows_of(send[i].part), row, send[i].rank, tag, comm, request);
    });
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  for (std::size_t i = 0; i < receive.size(); ++i) {
    const bool own = receive[i].rank == me;
    const T* source = own ? values.data() : in[i].data();
    for_each_row(
        receive[i].part, own ? have : receive[i].part, want, components,
        [&](std::int64_t from, std::int64_t to, std::int64_t count) { put(source + from, count, result.data() + to); });
    in[i] = {};
  }
  return result;
}

template <class T>
std::vector<T> redistribute(MPI_Comm comm, const box_tree& from, const box_tree& to, std::span<const T> values,
                            int components) {
  const int me = comm::rank(comm);
  const box3 have = from.box_of(me), want = to.box_of(me);
  return exchange_pieces<T>(comm, have, values, pieces_of(to, have), want, pieces_of(from, want), components);
}

std::vector<float> redistribute_nodes(MPI_Comm comm, const box_tree& from, const box_tree& planes,
                                      std::span<const float> values, int components) {
  const int me = comm::rank(comm);
  const box3 have = nodes_of(from.box_of(me)), want = planes.box_of(me);
  std::vector<piece> receive;
  if (!want.empty())
    for (const int rank : from.ranks_overlapping({want.begin - index3{1, 1, 1}, want.end}))
      receive.push_back({rank, overlap(nodes_of(from.box_of(rank)), want)});
  return exchange_pieces<float>(comm, have, values, pieces_of(planes, have), want, receive, components);
}

template std::vector<float> exchange_pieces(MPI_Comm, const box3&, std::span<const float>, std::span<const piece>,
                                            const box3&, std::span<const piece>, int);
template std::vector<std::uint8_t> exchange_pieces(MPI_Comm, const box3&, std::span<const std::uint8_t>,
                                                   std::span<const piece>, const box3&, std::span<const piece>, int);
template std::vector<float> redistribute(MPI_Comm, const box_tree&, const box_tree&, std::span<const float>, int);
template std::vector<std::uint8_t> redistribute(MPI_Comm, const box_tree&, const box_tree&, std::span<const std::uint8_t>,
                                                int);

}  // namespace osteon::grid
