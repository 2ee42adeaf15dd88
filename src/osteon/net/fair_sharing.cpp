#include <osteon/net/fair_sharing.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace osteon::net {

namespace {

constexpr double tolerance = 1e-9;  // of rates and of what is left of a link, relative

}  // namespace

fair_sharing::fair_sharing(std::vector<double> capacity) : ports_(capacity.size()) {
  for (std::size_t l = 0; l < capacity.size(); ++l) ports_[l].capacity = capacity[l];
}

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
  made.slot.resize(path.size());
  made.rate = 0;
  made.bottleneck = -1;
  for (std::size_t i = 0; i < path.size(); ++i) {
    auto& entries = at(path[i]).entries;
    made.slot[i] = static_cast<int>(entries.size());
    entries.push_back({f, static_cast<int>(i)});
  }
  new_.push_back(f);
  return f;
}

void fair_sharing::remove(int f) {
  flow_state& gone = flow_at(f);
  for (std::size_t i = 0; i < gone.path.size(); ++i) {
    port& p = at(gone.path[i]);
    const entry last = p.entries.back();
    p.entries[static_cast<std::size_t>(gone.slot[i])] = last;
    flow_at(last.flow).slot[static_cast<std::size_t>(last.hop)] = gone.slot[i];
    p.entries.pop_back();
    p.used = p.entries.empty() ? 0 : p.used - gone.rate;  // no trace of rounding stays on an empty link
    if (!p.touched) {
      p.touched = true;
      touched_.push_back(gone.path[i]);
    }
  }
  if (gone.bottleneck < 0) std::erase(new_, f);
  gone.rate = 0;
  gone.bottleneck = -1;
  free_.push_back(f);
}

// Take a flow's rate off its links, to be solved for.
void fair_sharing::choose(int f) {
  flow_state& joining = flow_at(f);
  if (joining.chosen) return;
  joining.chosen = true;
  chosen_.push_back(f);
  before_.push_back(joining.rate);
  for (const int l : joining.path) {
    port& p = at(l);
    p.used -= joining.rate;
    ++p.chosen;
    if (p.touched) continue;
    p.touched = true;
    touched_.push_back(l);
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

// Progressive filling: the link with the least left for each of its open flows is the bottleneck of them. That share never
// falls while flows are fixed, so a heap of old shares gives the least one.
void fair_sharing::solve() {
  open_flows_ = chosen_.size();
  for (const int f : chosen_) flow_at(f).fixed = false;
  heap_.clear();
  const auto share = [](const port& p) { return std::max(p.left, 0.0) / p.open; };
  for (const int l : touched_) {
    port& p = at(l);
    if (p.chosen == static_cast<int>(p.entries.size())) p.used = 0;  // so that rounding does not pile up
    p.left = p.capacity - p.used;
    p.open = p.chosen;
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
    for (const entry e : p.entries) {
      const flow_state& f = flow_at(e.flow);
      if (f.chosen && !f.fixed) fix(e.flow, l, now);
    }
  }
}

// Choose flows beside the chosen ones that have lost their bottleneck, or that take more than a chosen one at its
// bottleneck.
bool fair_sharing::widen() {
  joining_.clear();
  for (const int l : touched_) {
    const port& p = at(l);
    if (p.chosen == static_cast<int>(p.entries.size())) continue;
    double used = 0, highest = 0, level = -1;
    for (const entry e : p.entries) {
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
  chosen_.clear();
  before_.clear();
  changed_.clear();
  for (const int f : new_) choose(f);
  new_.clear();
  // Flows that had their bottleneck where others have gone.
  for (std::size_t t = 0, count = touched_.size(); t < count; ++t) {
    const int l = touched_[t];
    for (const entry e : at(l).entries)
      if (flow_at(e.flow).bottleneck == l) choose(e.flow);
  }
  if (!chosen_.empty()) do
      solve();
    while (widen());
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    flow_state& f = flow_at(chosen_[i]);
    f.chosen = false;
    for (const int l : f.path) at(l).used += f.rate;
    if (std::abs(f.rate - before_[i]) > 1e-13 * f.rate) changed_.push_back(chosen_[i]);
  }
  for (const int l : touched_) {
    at(l).touched = false;
    at(l).chosen = 0;
  }
  touched_.clear();
  return changed_;
}

}  // namespace osteon::net
