#include <osteon/grid/redistribute.hpp>

#include <fmt/format.h>

#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/neighbours.hpp>

namespace osteon::grid {

namespace {

constexpr int tag = 600;

std::size_t size_of(const box3& part, int components) { return static_cast<std::size_t>(part.volume() * components); }

template <class T>
void check_size(const box3& source, std::span<const T> values, int components) {
  if (values.size() != size_of(source, components))
    throw usage_error(fmt::format("{} values for a box that requires {}", values.size(), size_of(source, components)));
}

box3 nodes_of(const box3& cells) { return {cells.begin, cells.end + index3{1, 1, 1}}; }

}  // namespace

std::vector<piece> pieces_of(const box_tree& boxes, const box3& part) {
  std::vector<piece> pieces;
  for (const int rank : boxes.ranks_overlapping(part)) pieces.push_back({rank, overlap(boxes.box_of(rank), part)});
  return pieces;
}

plan::neighbour_part plan_of_pieces(const box3& source, std::span<const piece> send, const box3& target,
                                    std::span<const piece> receive, const std::string& name) {
  plan::neighbour_part result{name, {}, {}, plan::arrival::place};
  for (const piece& p : send) result.sends.push_back({.peer = p.rank, .whole = source, .part = p.part});
  for (const piece& p : receive) result.receives.push_back({.peer = p.rank, .whole = target, .part = p.part});
  return result;
}

template <class T>
std::vector<T> exchange_pieces(MPI_Comm comm, const box3& source, std::span<const T> values, std::span<const piece> send,
                               const box3& target, std::span<const piece> receive, int components, const std::string& name) {
  std::vector<T> result;
  comm::collectively(comm, [&] {
    check_size(source, values, components);
    result.resize(size_of(target, components));
  });
  comm::neighbours(comm, tag, plan_of_pieces(source, send, target, receive, name))
      .move(values.data(), result.data(), static_cast<std::size_t>(components) * sizeof(T));
  return result;
}

plan::neighbour_part plan_to_redistribute(int rank, const box_tree& from, const box_tree& to) {
  const box3 source = from.box_of(rank), target = to.box_of(rank);
  return plan_of_pieces(source, pieces_of(to, source), target, pieces_of(from, target), "boxes to other ranks");
}

template <class T>
std::vector<T> redistribute(MPI_Comm comm, const box_tree& from, const box_tree& to, std::span<const T> values,
                            int components) {
  const int me = comm::rank(comm);
  const box3 source = from.box_of(me), target = to.box_of(me);
  return exchange_pieces<T>(comm, source, values, pieces_of(to, source), target, pieces_of(from, target), components,
                            "boxes to other ranks");
}

std::vector<float> redistribute_nodes(MPI_Comm comm, const box_tree& from, const box_tree& planes,
                                      std::span<const float> values, int components) {
  const int me = comm::rank(comm);
  const box3 source = nodes_of(from.box_of(me)), target = planes.box_of(me);
  std::vector<piece> receive;
  if (!target.empty())
    for (const int rank : from.ranks_overlapping({target.begin - index3{1, 1, 1}, target.end}))
      receive.push_back({rank, overlap(nodes_of(from.box_of(rank)), target)});
  std::vector<float> result;
  comm::collectively(comm, [&] {
    check_size(source, values, components);
    result.assign(size_of(target, components), std::numeric_limits<float>::quiet_NaN());
  });
  comm::neighbours messages(comm, tag,
                            plan_of_pieces(source, pieces_of(planes, source), target, receive, "nodes to planes"));
  const auto put = [&](std::size_t number, std::span<const std::byte> arrived) {
    const piece& p = receive[number];
    const std::int64_t row = p.part.shape().x * components;
    const auto* in = reinterpret_cast<const float*>(arrived.data());
    for (std::int64_t z = p.part.begin.z; z < p.part.end.z; ++z)
      for (std::int64_t y = p.part.begin.y; y < p.part.end.y; ++y, in += row) {
        const index3 at = index3{z, y, p.part.begin.x} - target.begin;
        float* out = result.data() + ((at.z * target.shape().y + at.y) * target.shape().x + at.x) * components;
        for (std::int64_t i = 0; i < row; ++i)
          if (in[i] == in[i]) out[i] = in[i];
      }
  };
  messages.receive_one_by_one(values.data(), static_cast<std::size_t>(components) * sizeof(float), put);
  return result;
}

template std::vector<float> exchange_pieces(MPI_Comm, const box3&, std::span<const float>, std::span<const piece>,
                                            const box3&, std::span<const piece>, int, const std::string&);
template std::vector<material_number> exchange_pieces(MPI_Comm, const box3&, std::span<const material_number>,
                                                      std::span<const piece>, const box3&, std::span<const piece>, int,
                                                      const std::string&);
template std::vector<float> redistribute(MPI_Comm, const box_tree&, const box_tree&, std::span<const float>, int);
template std::vector<material_number> redistribute(MPI_Comm, const box_tree&, const box_tree&,
                                                   std::span<const material_number>, int);

}  // namespace osteon::grid
