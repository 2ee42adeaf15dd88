#include <osteon/grid/shared_nodes.hpp>

#include <algorithm>
#include <osteon/comm/exchange_lists.hpp>
#include <osteon/comm/virtual_ranks.hpp>

namespace osteon::grid {

static constexpr int ids_tag = 100, values_tag = 300;

shared_nodes::shared_nodes(MPI_Comm comm, std::vector<identified_node> boundary, std::span<const int> candidates,
                           const std::string& name)
    : comm_(comm::communicator::duplicate(comm)) {
  std::vector<int> ranks(candidates.begin(), candidates.end());
  std::sort(ranks.begin(), ranks.end());
  std::sort(boundary.begin(), boundary.end(),
            [](const identified_node& a, const identified_node& b) { return a.id != b.id ? a.id < b.id : a.node < b.node; });
  std::vector<std::int64_t> ids;
  for (const identified_node& n : boundary)
    if (ids.empty() || ids.back() != n.id) ids.push_back(n.id);

  std::vector<std::vector<std::int64_t>> common;
  for (const auto& other_ids :
       comm::exchange_lists(comm_.get(), ids_tag, {name + ": number of ids", name + ": ids"}, ranks, ranks, ids)) {
    common.emplace_back();
    std::set_intersection(ids.begin(), ids.end(), other_ids.begin(), other_ids.end(), std::back_inserter(common.back()));
  }

  // Ids of nodes that have copies on other ranks, or on this rank.
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
  plan::neighbour_part part{name, {}, {}, plan::arrival::add};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (common[i].empty()) continue;
    plan::neighbour_message n{.peer = ranks[i]};
    auto slot = shared.begin();
    for (const std::int64_t id : common[i]) {
      slot = std::lower_bound(slot, shared.end(), id);
      n.list.push_back(static_cast<std::int32_t>(slot - shared.begin()));
      if (n.peer < me) is_owned[static_cast<std::size_t>(slot - shared.begin())] = false;
    }
    part.sends.push_back(n);
    part.receives.push_back(std::move(n));
  }
  copies_ = std::make_unique<comm::neighbours>(comm_.get(), values_tag, std::move(part));
  for (std::size_t s = 0; s < shared.size(); ++s)
    not_owned_.insert(not_owned_.end(), with_copies_.begin() + slot_begin_[s] + (is_owned[s] ? 1 : 0),
                      with_copies_.begin() + slot_begin_[s + 1]);
  std::sort(not_owned_.begin(), not_owned_.end());
}

shared_nodes shared_nodes::renamed(const std::string& name) const {
  shared_nodes other;
  other.comm_ = comm::communicator::duplicate(comm_.get());
  plan::neighbour_part part = copies_->part();
  part.name = name;
  other.copies_ = std::make_unique<comm::neighbours>(other.comm_.get(), values_tag, std::move(part));
  other.with_copies_ = with_copies_;
  other.slot_begin_ = slot_begin_;
  other.not_owned_ = not_owned_;
  return other;
}

// Combine the values of the slots over all ranks in rank order.
template <class T, class Combine>
void shared_nodes::exchange(std::vector<T>& own, std::size_t components, Combine combine) const {
  copies_->combine(own, components, comm_.rank(), combine);
}

template <class T>
void shared_nodes::exchange_add(T* values, node_layout layout) const {
  const auto components = static_cast<std::size_t>(layout.components);
  if (!comm::has_values(comm_.get())) return copies_->count_messages(components * sizeof(T));
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
