#include <osteon/grid/shared_nodes.hpp>

#include <algorithm>
#include <type_traits>

namespace osteon::grid {

namespace {

constexpr int count_tag = 21, ids_tag = 22, values_tag = 23;

template <class T>
MPI_Datatype type_of() {
  return std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
}

}  // namespace

shared_nodes::shared_nodes(MPI_Comm comm, std::span<const std::int64_t> ids, std::span<const int> candidates)
    : comm_(comm::communicator::duplicate(comm)) {
  std::vector<int> ranks(candidates.begin(), candidates.end());
  std::sort(ranks.begin(), ranks.end());
  const auto count = ranks.size();

  // Only the numbers between another rank's first and last can be shared with it: send just those.
  const std::int64_t mine[2] = {ids.empty() ? 1 : ids.front(), ids.empty() ? 0 : ids.back()};
  std::vector<std::int64_t> theirs(2 * count);
  std::vector<MPI_Request> requests(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    MPI_Irecv(theirs.data() + 2 * i, 2, MPI_INT64_T, ranks[i], count_tag, comm_.get(), &requests[2 * i]);
    MPI_Isend(mine, 2, MPI_INT64_T, ranks[i], count_tag, comm_.get(), &requests[2 * i + 1]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  const auto within = [&](std::int64_t low, std::int64_t high) {
    const auto begin = std::lower_bound(ids.begin(), ids.end(), low);
    return std::span(begin, low <= high ? std::upper_bound(begin, ids.end(), high) : begin);
  };
  std::vector<std::vector<std::int64_t>> received(count);
  requests.assign(count, MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = within(theirs[2 * i], theirs[2 * i + 1]);
    MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_INT64_T, ranks[i], ids_tag, comm_.get(), &requests[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    MPI_Status status;
    MPI_Probe(ranks[i], ids_tag, comm_.get(), &status);
    int length = 0;
    MPI_Get_count(&status, MPI_INT64_T, &length);
    received[i].resize(static_cast<std::size_t>(length));
    MPI_Recv(received[i].data(), length, MPI_INT64_T, ranks[i], ids_tag, comm_.get(), MPI_STATUS_IGNORE);
  }
  MPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE);

  const int me = comm_.rank();
  for (std::size_t i = 0; i < count; ++i) {
    neighbour n{ranks[i], {}};
    auto at = ids.begin();
    for (const std::int64_t id : received[i]) {
      at = std::lower_bound(at, ids.end(), id);
      if (at != ids.end() && *at == id) n.slot.push_back(static_cast<std::int32_t>(at - ids.begin()));
    }
    if (n.slot.empty()) continue;
    shared_.insert(shared_.end(), n.slot.begin(), n.slot.end());
    if (n.rank < me) not_owned_.insert(not_owned_.end(), n.slot.begin(), n.slot.end());
    neighbours_.push_back(std::move(n));
  }
  const auto unique = [](std::vector<std::int32_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  unique(shared_);
  unique(not_owned_);
  for (neighbour& n : neighbours_)
    for (std::int32_t& node : n.slot)
      node = static_cast<std::int32_t>(std::lower_bound(shared_.begin(), shared_.end(), node) - shared_.begin());
}

template <class T>
void shared_nodes::exchange_add(T* values, node_layout layout) const {
  if (neighbours_.empty()) return;
  const auto components = static_cast<std::size_t>(layout.components);
  const auto value_at = [&](std::size_t slot, std::size_t c) -> T& {
    return values[static_cast<std::int64_t>(c) * layout.component_stride + shared_[slot] * layout.node_stride];
  };
  std::vector<T> own(shared_.size() * components);
  for (std::size_t s = 0; s < shared_.size(); ++s)
    for (std::size_t c = 0; c < components; ++c) own[s * components + c] = value_at(s, c);

  std::vector<std::vector<T>> send(neighbours_.size()), receive(neighbours_.size());
  std::vector<MPI_Request> requests(2 * neighbours_.size());
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const neighbour& n = neighbours_[i];
    receive[i].resize(n.slot.size() * components);
    for (const std::int32_t s : n.slot)
      send[i].insert(send[i].end(), own.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(s) * components),
                     own.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(s) + 1) * components));
    const auto length = static_cast<int>(send[i].size());
    MPI_Irecv(receive[i].data(), length, type_of<T>(), n.rank, values_tag, comm_.get(), &requests[2 * i]);
    MPI_Isend(send[i].data(), length, type_of<T>(), n.rank, values_tag, comm_.get(), &requests[2 * i + 1]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  // Lower ranks, this rank, higher ranks: every copy is summed in the same order.
  std::vector<T> sum(own.size());
  const int me = comm_.rank();
  bool own_added = false;
  const auto add_own = [&] {
    for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
    own_added = true;
  };
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    if (!own_added && neighbours_[i].rank > me) add_own();
    for (std::size_t k = 0; k < neighbours_[i].slot.size(); ++k)
      for (std::size_t c = 0; c < components; ++c)
        sum[static_cast<std::size_t>(neighbours_[i].slot[k]) * components + c] += receive[i][k * components + c];
  }
  if (!own_added) add_own();
  for (std::size_t s = 0; s < shared_.size(); ++s)
    for (std::size_t c = 0; c < components; ++c) value_at(s, c) = sum[s * components + c];
}

template void shared_nodes::exchange_add(float*, node_layout) const;
template void shared_nodes::exchange_add(double*, node_layout) const;

}  // namespace osteon::grid
