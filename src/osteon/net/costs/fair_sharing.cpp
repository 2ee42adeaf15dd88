#include <osteon/net/costs/fair_sharing.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace osteon::net {

namespace {

constexpr double tolerance = 1e-9;  // relative tolerance of the rates and of the remaining capacity of links

}  // namespace

fair_sharing::fair_sharing(std::vector<double> capacity) : ports_(capacity.size()) {
  for (std::size_t l = 0; l < capacity.size(); ++l) ports_[l].capacity = ports_[l].left = capacity[l];
}

void fair_sharing::touch(int l) {
  port& p = at(l);
  if (p.touched) return;
  p.touched = true;
  touched_.push_back(l);
}

// The next update computes the rate of a new flow. Before this update, the rate of a new flow is 0.
int fair_sharing::add(std::span<const int> path) {
  int f = static_cast<int>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    f = free_.back();
    free_.pop_back();
  }
  flow_state& made = flow_at(f);
  made.path.assign(path.begin(), path.end());
  made.chosen = true;
  chosen_.push_back(f);
  before_.push_back(0);
  for (const int l : path) {
    port& p = at(l);
    p.entries.push_back({f, made.life});
    ++p.chosen;
    touch(l);
  }
  return f;
}

// Entries of removed flows are deleted when the list of a link is read. If all flows of a link end, the list of the link is
// never read.
void fair_sharing::remove(int f) {
  flow_state& gone = flow_at(f);
  for (const int l : gone.path) {
    port& p = at(l);
    p.left += gone.rate;
    if (gone.chosen) --p.chosen;
    if (++p.gone == static_cast<int>(p.entries.size())) {
      p.entries.clear();
      p.gone = 0;
      p.left = p.capacity;  // this assignment removes rounding errors
    }
    touch(l);
  }
  if (gone.chosen) {
    const auto i = std::find(chosen_.begin(), chosen_.end(), f) - chosen_.begin();
    chosen_.erase(chosen_.begin() + i);
    before_.erase(before_.begin() + i);
  }
  ++gone.life;
  gone.rate = 0;
  gone.bottleneck = -1;
  gone.chosen = false;
  free_.push_back(f);
}

const std::vector<fair_sharing::entry>& fair_sharing::entries_of(port& p) {
  if (p.gone > 0) {
    std::erase_if(p.entries, [this](entry e) { return flow_at(e.flow).life != e.life; });
    p.gone = 0;
  }
  return p.entries;
}

// Select a flow for recomputation, and add the rate of the flow to the remaining capacities of its links.
void fair_sharing::choose(int f) {
  flow_state& joining = flow_at(f);
  if (joining.chosen) return;
  joining.chosen = true;
  chosen_.push_back(f);
  before_.push_back(joining.rate);
  for (const int l : joining.path) {
    port& p = at(l);
    p.left += joining.rate;
    ++p.chosen;
    touch(l);
  }
  joining.rate = 0;
  joining.bottleneck = -1;
}

void fair_sharing::fix(int f, int bottleneck, double rate) {
  flow_state& done = flow_at(f);
  done.fixed = true;
  done.rate = rate;
  done.bottleneck = bottleneck;
  --open_flows_;
  for (const int l : done.path) {
    port& p = at(l);
    p.left -= rate;
    --p.open;
  }
}

// Progressive filling. The link with the smallest remaining capacity per open flow is the bottleneck of its open flows. The
// capacity per open flow never decreases while rates are fixed. A heap with older values therefore yields the minimum.
void fair_sharing::solve() {
  open_flows_ = chosen_.size();
  for (const int f : chosen_) {
    flow_state& again = flow_at(f);
    again.fixed = false;
    if (again.rate == 0) continue;
    for (const int l : again.path) at(l).left += again.rate;
    again.rate = 0;
  }
  heap_.clear();
  const auto share = [](const port& p) { return std::max(p.left, 0.0) / p.open; };
  for (const int l : touched_) {
    port& p = at(l);
    p.open = p.chosen;
    if (p.chosen + p.gone == static_cast<int>(p.entries.size()))
      p.left = p.capacity;  // this assignment prevents an accumulation of rounding errors
    if (p.open > 0) heap_.push_back({share(p), l});
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (open_flows_ > 0) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto [old, l] = heap_.back();
    port& p = at(l);
    if (p.open == 0) {
      heap_.pop_back();
      continue;
    }
    const double now = share(p);
    if (now > old * (1 + 1e-14)) {
      heap_.back().first = now;
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      continue;
    }
    heap_.pop_back();
    for (const entry e : entries_of(p)) {
      const flow_state& f = flow_at(e.flow);
      if (f.chosen && !f.fixed) fix(e.flow, l, now);
    }
  }
}

// Select flows without a bottleneck. Also select flows that are faster than a recomputed flow at the bottleneck of the
// recomputed flow.
bool fair_sharing::widen() {
  joining_.clear();
  for (const int l : touched_) {
    port& p = at(l);
    if (p.chosen + p.gone == static_cast<int>(p.entries.size())) continue;
    double used = 0, highest = 0, level = -1;
    for (const entry e : entries_of(p)) {
      const flow_state& f = flow_at(e.flow);
      used += f.rate;
      highest = std::max(highest, f.rate);
      if (f.chosen && f.bottleneck == l) level = f.rate;
    }
    const bool used_up = used >= p.capacity * (1 - tolerance);
    for (const entry e : p.entries) {
      const flow_state& f = flow_at(e.flow);
      if (f.chosen) continue;
      const bool loses = f.bottleneck == l && (!used_up || f.rate < highest * (1 - tolerance));
      const bool gives = level >= 0 && f.rate > level * (1 + tolerance);
      if (loses || gives) joining_.push_back(e.flow);
    }
  }
  for (const int f : joining_) choose(f);
  return !joining_.empty();
}

std::span<const int> fair_sharing::update() {
  // All flows that have their bottleneck at a link of added or removed flows are selected.
  for (std::size_t t = 0, count = touched_.size(); t < count; ++t) {
    port& p = at(touched_[t]);
    if (p.chosen + p.gone == static_cast<int>(p.entries.size())) continue;
    for (const entry e : entries_of(p))
      if (flow_at(e.flow).bottleneck == touched_[t]) choose(e.flow);
  }
  if (!chosen_.empty()) do
      solve();
    while (widen());
  changed_.clear();
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    flow_state& f = flow_at(chosen_[i]);
    f.chosen = false;
    if (std::abs(f.rate - before_[i]) > 1e-13 * f.rate) changed_.push_back(chosen_[i]);
  }
  for (const int l : touched_) {
    at(l).touched = false;
    at(l).chosen = 0;
  }
  touched_.clear();
  chosen_.clear();
  before_.clear();
  return changed_;
}

}  // namespace osteon::net
