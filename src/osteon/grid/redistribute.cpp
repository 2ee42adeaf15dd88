#include <osteon/grid/redistribute.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::grid {

namespace {

constexpr int tag = 24;

// A part of an array over a box.
template <class T>
class part_type {
 public:
  part_type(const box3& whole, const box3& part, int components) {
    int shape[4], size[4], first[4];
    for (int axis = 0; axis < 3; ++axis) {
      shape[axis] = static_cast<int>(whole.shape()[axis]);
      size[axis] = static_cast<int>(part.shape()[axis]);
      first[axis] = static_cast<int>(part.begin[axis] - whole.begin[axis]);
    }
    shape[3] = size[3] = components * static_cast<int>(sizeof(T));
    first[3] = 0;
    MPI_Type_create_subarray(4, shape, size, first, MPI_ORDER_C, MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  part_type(const part_type&) = delete;
  part_type& operator=(const part_type&) = delete;
  ~part_type() { MPI_Type_free(&type_); }  // what is under way keeps it
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::size_t size_of(const box3& part, int components) { return static_cast<std::size_t>(part.volume() * components); }

template <class T>
void check_size(const box3& have, std::span<const T> values, int components) {
  if (values.size() != size_of(have, components))
    throw usage_error(fmt::format("{} values for a box that needs {}", values.size(), size_of(have, components)));
}

template <class T>
void start_sends(MPI_Comm comm, const box3& have, std::span<const T> values, std::span<const piece> send, int components,
                 std::vector<MPI_Request>& requests) {
  for (const piece& p : send)
    MPI_Isend(values.data(), 1, part_type<T>(have, p.part, components).get(), p.rank, tag, comm, &requests.emplace_back());
}

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
  std::vector<T> result;
  comm::collectively(comm, [&] {
    check_size(have, values, components);
    result.resize(size_of(want, components));
  });
  std::vector<MPI_Request> requests;
  for (const piece& p : receive)
    MPI_Irecv(result.data(), 1, part_type<T>(want, p.part, components).get(), p.rank, tag, comm, &requests.emplace_back());
  start_sends(comm, have, values, send, components, requests);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
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
  std::vector<float> result, arrived;
  comm::collectively(comm, [&] {
    check_size(have, values, components);
    result.assign(size_of(want, components), std::numeric_limits<float>::quiet_NaN());
    std::size_t most = 0;
    for (const piece& p : receive) most = std::max(most, size_of(p.part, components));
    arrived.resize(most);
  });
  std::vector<MPI_Request> requests;
  start_sends(comm, have, values, pieces_of(planes, have), components, requests);
  for (const piece& p : receive) {  // all sends are under way, so one after the other is safe
    MPI_Recv(arrived.data(), 1, part_type<float>(p.part, p.part, components).get(), p.rank, tag, comm, MPI_STATUS_IGNORE);
    const std::int64_t row = p.part.shape().x * components;
    const float* source = arrived.data();
    for (std::int64_t z = p.part.begin.z; z < p.part.end.z; ++z)
      for (std::int64_t y = p.part.begin.y; y < p.part.end.y; ++y, source += row) {
        const index3 at = index3{z, y, p.part.begin.x} - want.begin;
        float* target = result.data() + ((at.z * want.shape().y + at.y) * want.shape().x + at.x) * components;
        for (std::int64_t i = 0; i < row; ++i)
          if (source[i] == source[i]) target[i] = source[i];
      }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return result;
}

template std::vector<float> exchange_pieces(MPI_Comm, const box3&, std::span<const float>, std::span<const piece>,
                                            const box3&, std::span<const piece>, int);
template std::vector<material_number> exchange_pieces(MPI_Comm, const box3&, std::span<const material_number>,
                                                      std::span<const piece>, const box3&, std::span<const piece>, int);
template std::vector<float> redistribute(MPI_Comm, const box_tree&, const box_tree&, std::span<const float>, int);
template std::vector<material_number> redistribute(MPI_Comm, const box_tree&, const box_tree&,
                                                   std::span<const material_number>, int);

}  // namespace osteon::grid
