#include <osteon/physics/elasticity/loads/standard_tests.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/elasticity/solver/part_motions.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <tuple>

namespace osteon::physics {

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

bool has_bit(motion_mask mask, int coordinate) { return (mask >> coordinate & 1) != 0; }

// A pinned part, with the global numbers of its pinned nodes. A row is the direction from the first node to the second
// node.
struct pinned_part {
  std::int32_t part = 0;
  motion_mask motions = 0;
  bool on_plate = false;
  std::int64_t first = none, second = none;
  std::vector<std::array<int, 2>> rows;  // axis of the row, constrained axis of the second node
  int row = 0;                           // index of the row of the second node
};

class pin_maker {
 public:
  pin_maker(const node_sets& sets, const solid_parts& parts, const pinned_case& c) : sets_(sets), parts_(parts), case_(c) {}

  std::vector<support> run() {
    part_motions joint(parts_, case_.fixed);
    if (case_.rule) pin_on_plates(*case_.rule, joint);
    if (!case_.has_forces && parts_.count() > 1) pin_between_places(joint);
    return supports();
  }

 private:
  void pin_on_plates(const pin_rule& rule, part_motions& joint) {
    choose_sliding_parts(rule, joint.free_motions());
    if (pinned_.empty()) return;
    find_first_nodes();
    find_second_nodes();
    add(joint, list_candidates(rule));
  }

  void choose_sliding_parts(const pin_rule& rule, const std::vector<motion_mask>& motions) {
    clear();
    for (std::size_t p = 0; p < motions.size(); ++p) {
      const auto permits = [&](motion_mask plates) { return (motions[p] & ~plates) == 0; };
      if (motions[p] == 0 || std::none_of(rule.permits.begin(), rule.permits.end(), permits)) continue;
      pinned_part& chosen = choose(p);
      chosen.motions = motions[p];
      for (int about = 0; about < 3; ++about) {
        if (!has_bit(motions[p], 3 + about)) continue;
        for (const int row : rule.axes)
          if (row != about) chosen.rows.push_back({row, 3 - row - about});
      }
    }
  }

  // Pins at three nodes of one voxel prevent all motions of the part of the voxel.
  void pin_between_places(part_motions& joint) {
    const std::vector<std::uint8_t> spans = find_spanning_parts(parts_, joint, touched_plates());
    clear();
    for (std::size_t p = 0; p < spans.size(); ++p)
      if (spans[p] != 0) choose(p);
    if (pinned_.empty()) return;
    find_lowest_nodes(false);
    std::sort(pinned_.begin(), pinned_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<pin_candidate> candidates;
    for (const pinned_part& p : pinned_)
      for (const index3 corner : {index3{0, 0, 0}, index3{0, 0, 1}, index3{0, 1, 0}})
        for (int along = 0; along < 3; ++along) candidates.push_back({p.part, {place_of(p.first) + corner, along}});
    add(joint, candidates);
  }

  // Parts at supports of the job are not load paths, because the user is responsible for the remaining motions of these
  // parts.
  part_plates touched_plates() const {
    part_plates plates{std::vector<int>(at(parts_.count())), std::vector<int>(at(parts_.count()))};
    if (case_.rule) {
      for (std::size_t s = 0; s < case_.plates.size(); ++s)
        for (const std::int32_t node : case_.plates[s].on->nodes)
          for (const std::int32_t part : parts_.at_node(node)) plates.touched[at(part)] |= 1 << s;
    } else {
      for (const numerics::prescribed_displacement& p : case_.fixed)
        for (const std::int32_t part : parts_.at_node(p.node)) plates.ignored[at(part)] = 1;
    }
    comm::all_reduce(sets_.comm(), plates.touched.data(), parts_.count(), MPI_BOR);
    comm::all_reduce(sets_.comm(), plates.ignored.data(), parts_.count(), MPI_MAX);
    return plates;
  }

  void add(part_motions& joint, const std::vector<pin_candidate>& candidates) {
    const std::vector<std::uint8_t> is_pin = joint.add_pins(candidates);
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (is_pin[i]) held_[id_at(candidates[i].where.node)] |= 1 << candidates[i].where.along;
  }

  void clear() {
    pinned_.clear();
    pinned_of_part_.assign(at(parts_.count()), -1);
  }

  pinned_part& choose(std::size_t part) {
    pinned_of_part_[part] = static_cast<std::int32_t>(pinned_.size());
    pinned_.emplace_back().part = static_cast<std::int32_t>(part);
    return pinned_.back();
  }

  // Call visit(node, pinned part) for the nodes at which a part may be pinned.
  template <class F>
  void for_each_place(F&& visit) const {
    const auto all_parts = [&](std::int32_t node, bool is_on_plate) {
      for (const std::int32_t part : parts_.at_node(node))
        if (const std::int32_t k = pinned_of_part_[at(part)]; k >= 0 && pinned_[at(k)].on_plate == is_on_plate)
          visit(node, at(k));
    };
    if (case_.rule)
      for (const std::int32_t node : case_.rule->plate->nodes) all_parts(node, true);
    if (std::any_of(pinned_.begin(), pinned_.end(), [](const pinned_part& p) { return !p.on_plate; }))
      for (std::int32_t node = 0; node < sets_.grid().nodes->size(); ++node) all_parts(node, false);
  }

  // Select the node of the part on the plate with the lowest number. If the part has no node on the plate, select from all
  // nodes of the part.
  void find_first_nodes() {
    for (pinned_part& p : pinned_) p.on_plate = true;
    find_lowest_nodes(true);
    for (pinned_part& p : pinned_) p.on_plate = p.first != none;
    if (std::any_of(pinned_.begin(), pinned_.end(), [](const pinned_part& p) { return !p.on_plate; }))
      find_lowest_nodes(false);
  }

  void find_lowest_nodes(bool on_plate) {
    std::vector<std::int64_t> first(pinned_.size(), none);
    for_each_place([&](std::int32_t node, std::size_t k) { first[k] = std::min(first[k], sets_.id(node)); });
    comm::all_reduce(sets_.comm(), first.data(), first.size(), MPI_MIN);
    for (std::size_t k = 0; k < first.size(); ++k)
      if (pinned_[k].on_plate == on_plate) pinned_[k].first = first[k];
  }

  // Select the node farthest from the first node. If possible, the two nodes are aligned along an axis. The deformation of
  // a uniform specimen then remains symmetric.
  void find_second_nodes() {
    std::vector<double> best(pinned_.size(), 0.0);
    const auto visit_rows = [&](auto&& visit) {
      for_each_place([&](std::int32_t node, std::size_t k) {
        for (std::size_t r = 0; r < pinned_[k].rows.size(); ++r)
          if (const double score = score_of(node, pinned_[k], pinned_[k].rows[r]); score > 0) visit(node, k, r, score);
      });
    };
    visit_rows([&](std::int32_t, std::size_t k, std::size_t, double score) { best[k] = std::max(best[k], score); });
    comm::all_reduce(sets_.comm(), best.data(), best.size(), MPI_MAX);
    constexpr std::int64_t most_rows = 2;
    std::vector<std::int64_t> choice(pinned_.size(), none);
    visit_rows([&](std::int32_t node, std::size_t k, std::size_t r, double score) {
      if (score == best[k]) choice[k] = std::min(choice[k], most_rows * sets_.id(node) + static_cast<std::int64_t>(r));
    });
    comm::all_reduce(sets_.comm(), choice.data(), choice.size(), MPI_MIN);
    for (std::size_t k = 0; k < choice.size(); ++k)
      if (choice[k] != none)
        pinned_[k].second = choice[k] / most_rows, pinned_[k].row = static_cast<int>(choice[k] % most_rows);
  }

  double score_of(std::int32_t node, const pinned_part& p, const std::array<int, 2>& row) const {
    const auto [along, held] = row;
    const index3 from = place_of(p.first), to = sets_.grid().place(node);
    const double lever = std::abs(static_cast<double>(to[along] - from[along])) * sets_.grid().spacing_mm[along];
    if (!(lever > 0) || to[held] != from[held]) return lever;
    const vector3 low = sets_.solid_low_mm(), high = sets_.solid_high_mm();
    return lever + 2 * std::max({high.z - low.z, high.y - low.y, high.x - low.x});
  }

  // The order must be independent of the ranks, because only the first of several parts that move together is pinned.
  std::vector<pin_candidate> list_candidates(const pin_rule& rule) const {
    std::vector<const pinned_part*> order;
    for (const pinned_part& p : pinned_) order.push_back(&p);
    std::sort(order.begin(), order.end(), [](const pinned_part* a, const pinned_part* b) {
      return std::tuple(!a->on_plate, a->first, a->second) < std::tuple(!b->on_plate, b->first, b->second);
    });
    std::vector<pin_candidate> candidates;
    for (const pinned_part* p : order) {
      for (const int along : rule.axes)
        if (has_bit(p->motions, along)) candidates.push_back({p->part, {place_of(p->first), along}});
      if (p->second != none) candidates.push_back({p->part, {place_of(p->second), p->rows[at(p->row)][1]}});
    }
    return candidates;
  }

  std::vector<support> supports() const {
    std::vector<support> made;
    for (const int axes : {7, 6, 5, 3, 4, 2, 1}) {
      std::vector<std::int32_t> nodes;
      std::int64_t count = 0;
      bool on_plate = true;
      for (const auto& [id, held] : held_) {
        if (held != axes) continue;
        ++count;
        const index3 place = place_of(id), local = place - sets_.grid().begin;
        on_plate = on_plate && is_on_plate(place);
        if (const std::int32_t node = sets_.grid().nodes->find(local.z, local.y, local.x); node >= 0) nodes.push_back(node);
      }
      if (count == 0) continue;
      const std::string where = on_plate ? case_.rule->plate->name : "the solid";
      support s;
      s.on = sets_.make(count == 1 ? "a node of " + where : fmt::format("{} nodes of {}", count, where), std::move(nodes),
                        "chosen");
      for (int a = 0; a < 3; ++a) s.held[at(a)] = (axes >> a & 1) != 0;
      made.push_back(std::move(s));
    }
    return made;
  }

  bool is_on_plate(index3 place) const {
    if (!case_.rule) return false;
    const vector3 p = sets_.grid().position_mm(place), &low = case_.rule->plate->low_mm, &high = case_.rule->plate->high_mm;
    for (int a = 0; a < 3; ++a)
      if (p[a] < low[a] || p[a] > high[a]) return false;
    return true;
  }

  std::int64_t id_at(index3 place) const { return grid::node_id(sets_.part().where.domain, place); }

  index3 place_of(std::int64_t id) const {
    const index3 size = sets_.part().where.domain + index3{1, 1, 1};
    return {id / (size.y * size.x), id / size.x % size.y, id % size.x};
  }

  const node_sets& sets_;
  const solid_parts& parts_;
  const pinned_case& case_;
  std::vector<std::int32_t> pinned_of_part_;
  std::vector<pinned_part> pinned_;
  std::map<std::int64_t, int> held_;  // by id of the node: bits z, y, x
};

}  // namespace

std::vector<support> make_pins(const node_sets& sets, const solid_parts& parts, const pinned_case& c) {
  return pin_maker(sets, parts, c).run();
}

}  // namespace osteon::physics
