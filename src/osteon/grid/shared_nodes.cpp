#include <osteon/grid/shared_nodes.hpp>

#include <algorithm>
#include <osteon/comm/datatype.hpp>

namespace osteon::grid {

namespace {

constexpr int ids_tag = 21, values_tag = 22;

}  // namespace

shared_nodes::shared_nodes(MPI_Comm comm, std::vector<identified_node> boundary, std::span<const int> candidates)
    : comm_(comm::communicator::duplicate(comm)) {
  std::vector<int> ranks(candidates.begin(), candidates.end());
  std::sort(ranks.begin(), ranks.end());
  std::sort(boundary.begin(), boundary.end(),
            [](const identified_node& a, const identified_node& b) { return a.id != b.id ? a.id < b.id : a.node < b.node; });
  std::vector<std::int64_t> ids;
  for (const identified_node& n : boundary)
    if (ids.empty() || ids.back() != n.id) ids.push_back(n.id);

  std::vector<MPI_Request> requests(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    MPI_Isend(ids.data(), static_cast<int>(ids.size()), MPI_INT64_T, ranks[i], ids_tag, comm_.get(), &requests[i]);
  std::vector<std::vector<std::int64_t>> common(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    MPI_Status status;
    MPI_Probe(ranks[i], ids_tag, comm_.get(), &status);
    int length = 0;
    MPI_Get_count(&status, MPI_INT64_T, &length);
    std::vector<std::int64_t> theirs(static_cast<std::size_t>(length));
    MPI_Recv(theirs.data(), length, MPI_INT64_T, ranks[i], ids_tag, comm_.get(), MPI_STATUS_IGNORE);
    std::set_intersection(ids.begin(), ids.end(), theirs.begin(), theirs.end(), std::back_inserter(common[i]));
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  // Ids that someone else has, too, or that several of this rank's nodes have.
  std::vector<std::int64_t> shared;
  for (const auto& list : common) shared.insert(shared.end(), list.begin(), list.end());
  for (std::size_t i = 1; i < boundary.size(); ++i)
    if (boundary[i].id == boundary[i - 1].id) shared.push_back(boundary[i].id);
  std::sort(shared.begin(), shared.end());
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());

  auto at = boundary.begin();
  for (const std::int64_t id : shared) {
    slot_begin_.push_back(static_cast<std::int32_t>(with_copies_.size()));
    while (at->id < id) ++at;
    for (; at != boundary.end() && at->id == id; ++at) with_copies_.push_back(at->node);
  }
  slot_begin_.push_back(static_cast<std::int32_t>(with_copies_.size()));

  std::vector<bool> is_owned(shared.size(), true);
  const int me = comm_.rank();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (common[i].empty()) continue;
    neighbour n{ranks[i], {}};
    auto slot = shared.begin();
    for (const std::int64_t id : common[i]) {
      slot = std::lower_bound(slot, shared.end(), id);
      n.slot.push_back(static_cast<std::int32_t>(slot - shared.begin()));
      if (n.rank < me) is_owned[static_cast<std::size_t>(slot - shared.begin())] = false;
    }
    neighbours_.push_back(std::move(n));
  }
  for (std::size_t s = 0; s < shared.size(); ++s)
    not_owned_.insert(not_owned_.end(), with_copies_.begin() + slot_begin_[s] + (is_owned[s] ? 1 : 0),
                      with_copies_.begin() + slot_begin_[s + 1]);
  std::sort(not_owned_.begin(), not_owned_.end());
}

// Combine the values of the slots over the ranks, in the order of the ranks.
template <class T, class Combine>
void shared_nodes::exchange(std::vector<T>& own, std::size_t components, Combine combine) const {
  std::vector<std::vector<T>> send(neighbours_.size()), receive(neighbours_.size());
  std::vector<MPI_Request> requests(2 * neighbours_.size());
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const neighbour& n = neighbours_[i];
    receive[i].resize(n.slot.size() * components);
    send[i].reserve(n.slot.size() * components);
    for (const std::int32_t s : n.slot) {
      const auto from = own.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(s) * components);
      send[i].insert(send[i].end(), from, from + static_cast<std::ptrdiff_t>(components));
    }
    const auto length = static_cast<int>(send[i].size());
    MPI_Irecv(receive[i].data(), length, comm::datatype<T>(), n.rank, values_tag, comm_.get(), &requests[2 * i]);
    MPI_Isend(send[i].data(), length, comm::datatype<T>(), n.rank, values_tag, comm_.get(), &requests[2 * i + 1]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  // Lower ranks, this rank, higher ranks: every copy gets the same rounding. A slot's first value starts its sum.
  std::vector<T> sum(own.size());
  std::vector<bool> has_value(own.size() / components);
  const auto add = [&](std::size_t slot, const T* values) {
    for (std::size_t c = 0; c < components; ++c)
      sum[slot * components + c] = has_value[slot] ? combine(sum[slot * components + c], values[c]) : values[c];
    has_value[slot] = true;
  };
  const auto add_own = [&] {
    for (std::size_t s = 0; s < has_value.size(); ++s) add(s, own.data() + s * components);
  };
  const int me = comm_.rank();
  bool own_added = false;
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    if (!own_added && neighbours_[i].rank > me) {
      add_own();
      own_added = true;
    }
    for (std::size_t k = 0; k < neighbours_[i].slot.size(); ++k)
      add(static_cast<std::size_t>(neighbours_[i].slot[k]), receive[i].data() + k * components);
  }
  if (!own_added) add_own();
  own = std::move(sum);
}

template <class T>
void shared_nodes::exchange_add(T* values, node_layout layout) const {
  if (with_copies_.empty()) return;
  const auto components = static_cast<std::size_t>(layout.components);
  const auto value_at = [&](std::int32_t node, std::size_t c) -> T& {
    return values[static_cast<std::int64_t>(c) * layout.component_stride + node * layout.node_stride];
  };
  const std::size_t slots = slot_begin_.size() - 1;
  const auto nodes_of = [&](std::size_t s) {
    return std::span(with_copies_)
        .subspan(static_cast<std::size_t>(slot_begin_[s]), static_cast<std::size_t>(slot_begin_[s + 1] - slot_begin_[s]));
  };
  std::vector<T> own(slots * components);
  for (std::size_t s = 0; s < slots; ++s)
    for (const std::int32_t node : nodes_of(s))
      for (std::size_t c = 0; c < components; ++c) own[s * components + c] += value_at(node, c);
  exchange(own, components, [](T a, T b) { return a + b; });
  for (std::size_t s = 0; s < slots; ++s)
    for (const std::int32_t node : nodes_of(s))
      for (std::size_t c = 0; c < components; ++c) value_at(node, c) = own[s * components + c];
}

void shared_nodes::exchange_min(std::span<std::int64_t> values, int components) const {
  if (with_copies_.empty()) return;
  const auto width = static_cast<std::size_t>(components);
  const auto smaller = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
  const std::size_t slots = slot_begin_.size() - 1;
  std::vector<std::int64_t> own(slots * width);
  for (std::size_t s = 0; s < slots; ++s)
    for (auto i = static_cast<std::size_t>(slot_begin_[s]); i < static_cast<std::size_t>(slot_begin_[s + 1]); ++i)
      for (std::size_t c = 0; c < width; ++c) {
        std::int64_t& value = own[s * width + c];
        const bool is_first = i == static_cast<std::size_t>(slot_begin_[s]);
        value = is_first ? values[i * width + c] : std::min(value, values[i * width + c]);
      }
  exchange(own, width, smaller);
  for (std::size_t s = 0; s < slots; ++s)
    for (auto i = static_cast<std::size_t>(slot_begin_[s]); i < static_cast<std::size_t>(slot_begin_[s + 1]); ++i)
      for (std::size_t c = 0; c < width; ++c) values[i * width + c] = own[s * width + c];
}

template void shared_nodes::exchange_add(float*, node_layout) const;
template void shared_nodes::exchange_add(double*, node_layout) const;

}  // namespace osteon::grid
