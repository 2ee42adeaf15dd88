#include <osteon/physics/elasticity/solver/rigid_bodies.hpp>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>
#include <osteon/base/at.hpp>
#include <utility>

namespace osteon::physics {

namespace {

// Merging is efficient only for small neighbourhoods. The elimination processes larger neighbourhoods.
constexpr std::size_t largest_neighbourhood = 24;

// Coefficients of a displacement with respect to the coordinates of the motion.
std::array<std::int64_t, 6> displacement_row(const held_node& of) {
  const int next = (of.along + 1) % 3, third = (of.along + 2) % 3;
  std::array<std::int64_t, 6> row{};
  row[at(of.along)] = 1;
  row[at(3 + next)] = of.node[third];
  row[at(3 + third)] = -of.node[next];
  return row;
}

void append(sparse_row& row, std::int32_t place, const std::array<std::int64_t, 6>& values, std::int64_t sign) {
  for (std::int32_t i = 0; i < 6; ++i)
    if (values[at(i)] != 0) row.push_back({6 * place + i, residue_of(sign * values[at(i)])});
}

bool add_support(exact_rows& rows, std::int32_t place, const held_node& support) {
  sparse_row row;
  append(row, place, displacement_row(support), 1);
  return rows.add(std::move(row));
}

// Add the rows that equate the displacements of a common node of two bodies.
void add_joint(exact_rows& rows, std::int32_t a, std::int32_t b, index3 node) {
  for (int along = 0; along < 3; ++along) {
    const auto values = displacement_row({node, along});
    sparse_row row;
    append(row, std::min(a, b), values, 1);
    append(row, std::max(a, b), values, -1);
    rows.add(std::move(row));
  }
}

rigid_motion motion_at(const std::vector<residue>& values, std::int32_t place) {
  rigid_motion motion;
  std::copy_n(values.begin() + 6 * static_cast<std::ptrdiff_t>(place), 6, motion.begin());
  return motion;
}

bool are_in_a_row(index3 a, index3 b, index3 c) {
  const index3 p = b - a, q = c - a;
  return p.y * q.x == p.x * q.y && p.x * q.z == p.z * q.x && p.z * q.y == p.y * q.z;
}

}  // namespace

bool contact::add(index3 node) {
  if (is_weld() || std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end()) return false;
  if (nodes_.size() == 2 && are_in_a_row(nodes_[0], nodes_[1], node)) return false;
  nodes_.push_back(node);
  return true;
}

bool body_supports::add(const held_node& support) {
  if (hold_all()) return false;
  rigid_motion row;
  const auto values = displacement_row(support);
  std::transform(values.begin(), values.end(), row.begin(), residue_of);
  for (const rigid_motion& known : rows_) {
    const auto lead = at(std::find_if(known.begin(), known.end(), [](residue r) { return r != 0; }) - known.begin());
    const residue factor = negative_of(row[lead]);
    if (factor == 0) continue;
    for (std::size_t i = lead; i < 6; ++i) row[i] = sum_of(row[i], product_of(factor, known[i]));
  }
  const auto lead = std::find_if(row.begin(), row.end(), [](residue r) { return r != 0; });
  if (lead == row.end()) return false;
  const residue scale = inverse_of(*lead);
  for (residue& r : row) r = product_of(scale, r);
  rows_.push_back(row);
  list_.push_back(support);
  return true;
}

rigid_bodies::rigid_bodies(std::size_t count) : parent_(count + 1), contacts_(count + 1), supports_(count + 1) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

void rigid_bodies::join(std::int32_t a, std::int32_t b, index3 node) { touch(a + 1, b + 1, node); }

void rigid_bodies::hold(std::int32_t body, const held_node& support) { restrain(body + 1, support); }

void rigid_bodies::settle() {
  weld_pending();
  merge_neighbourhoods();
  eliminate();
}

rigid_motion rigid_bodies::motion_of(std::int32_t body) {
  const std::int32_t root = root_of(body + 1);
  if (root == ground) return {};
  if (motion_.empty()) motion_ = rows_->null_vector();
  return motion_at(motion_, place_[at(root)]);
}

bool rigid_bodies::pin(std::int32_t body, const held_node& where) {
  const std::int32_t root = root_of(body + 1);
  if (root == ground || !add_support(*rows_, place_[at(root)], where)) return false;
  motion_.clear();
  return true;
}

std::int32_t rigid_bodies::root_of(std::int32_t member) {
  while (parent_[at(member)] != member) member = parent_[at(member)] = parent_[at(parent_[at(member)])];
  return member;
}

void rigid_bodies::touch(std::int32_t a, std::int32_t b, index3 node) {
  contacts_[at(b)][a].add(node);
  contact& nodes = contacts_[at(a)][b];
  if (nodes.add(node) && nodes.is_weld()) pending_.push_back({a, b});
}

void rigid_bodies::restrain(std::int32_t root, const held_node& support) {
  body_supports& known = supports_[at(root)];
  if (known.add(support) && known.hold_all()) pending_.push_back({ground, root});
}

void rigid_bodies::weld_pending() {
  while (!pending_.empty()) {
    const auto [a, b] = pending_.back();
    pending_.pop_back();
    weld(root_of(a), root_of(b));
  }
}

// Merge two bodies. One root receives the joints and supports of the other root.
void rigid_bodies::weld(std::int32_t a, std::int32_t b) {
  if (a == b) return;
  const bool keeps_b = b == ground || (a != ground && contacts_[at(a)].size() < contacts_[at(b)].size());
  const std::int32_t root = keeps_b ? b : a, other = keeps_b ? a : b;
  parent_[at(other)] = root;
  const auto given = std::exchange(contacts_[at(other)], {});
  for (const auto& [neighbour, shared] : given) {
    contacts_[at(neighbour)].erase(other);
    if (neighbour == root) continue;
    for (const index3& node : shared.nodes()) {
      if (root != ground) touch(root, neighbour, node);
      for (int along = 0; root == ground && along < 3; ++along) restrain(neighbour, {node, along});
    }
  }
  const body_supports held = std::exchange(supports_[at(other)], {});
  if (root != ground)
    for (const held_node& support : held.list()) restrain(root, support);
}

// Merge rigid rings of bodies. A ring without rigid pairs is detected at a body that is adjacent to all other bodies.
void rigid_bodies::merge_neighbourhoods() {
  std::vector<std::int32_t> waiting;
  for (std::size_t m = parent_.size(); m-- > 1;) waiting.push_back(static_cast<std::int32_t>(m));
  while (!waiting.empty()) {
    const std::int32_t root = root_of(waiting.back());
    waiting.pop_back();
    if (root != ground) merge_around(root, waiting);
  }
}

// Merge a body with each neighbour that has the motion of the body in all motions permitted by joints.
// @param changed receives the bodies with a changed neighbourhood @return true if bodies were merged
bool rigid_bodies::merge_around(std::int32_t root, std::vector<std::int32_t>& changed) {
  const auto& around = contacts_[at(root)];
  if (around.empty() || around.size() > largest_neighbourhood) return false;
  std::vector<std::int32_t> bodies{root};
  for (const auto& [neighbour, shared] : around) bodies.push_back(neighbour);
  exact_rows rows(6 * bodies.size());
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(bodies.size()); ++i) {
    const std::int32_t body = bodies[at(i)];
    for (const held_node& support : supports_[at(body)].list()) add_support(rows, i, support);
    for (std::int32_t j = 0; j < i; ++j)
      if (const auto found = contacts_[at(body)].find(bodies[at(j)]); found != contacts_[at(body)].end())
        for (const index3& node : found->second.nodes()) add_joint(rows, i, j, node);
  }
  const std::vector<residue> motion = rows.null_vector();
  std::map<rigid_motion, std::int32_t> alike{{rigid_motion{}, ground}};
  std::vector<std::int32_t> merged;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(bodies.size()); ++i) {
    const auto [first, is_new] = alike.try_emplace(motion_at(motion, i), bodies[at(i)]);
    if (is_new) continue;
    pending_.push_back({first->second, bodies[at(i)]});
    merged.push_back(bodies[at(i)]);
  }
  for (const std::int32_t body : merged)
    if (contacts_[at(body)].size() <= largest_neighbourhood)
      for (const auto& [neighbour, shared] : contacts_[at(body)]) changed.push_back(neighbour);
  changed.insert(changed.end(), merged.begin(), merged.end());
  weld_pending();
  return !merged.empty();
}

void rigid_bodies::eliminate() {
  std::vector<std::int32_t> roots;
  for (std::int32_t m = 1; m < static_cast<std::int32_t>(parent_.size()); ++m)
    if (parent_[at(m)] == m) roots.push_back(m);
  place_.assign(parent_.size(), -1);
  const std::vector<std::int32_t> order = order_of_elimination(roots);
  for (std::size_t i = 0; i < order.size(); ++i) place_[at(order[i])] = static_cast<std::int32_t>(i);
  rows_.emplace(6 * roots.size());
  for (const std::int32_t root : order) {
    for (const held_node& support : supports_[at(root)].list()) add_support(*rows_, place_[at(root)], support);
    for (const auto& [other, shared] : contacts_[at(root)])
      if (place_[at(root)] < place_[at(other)])
        for (const index3& node : shared.nodes()) add_joint(*rows_, place_[at(root)], place_[at(other)], node);
  }
}

std::vector<std::int32_t> rigid_bodies::order_of_elimination(const std::vector<std::int32_t>& roots) const {
  std::vector<std::int32_t> number(parent_.size(), -1);
  for (std::size_t i = 0; i < roots.size(); ++i) number[at(roots[i])] = static_cast<std::int32_t>(i);
  std::vector<Eigen::Triplet<float, int>> pairs;
  for (const std::int32_t root : roots) {
    pairs.emplace_back(number[at(root)], number[at(root)], 1.0F);
    for (const auto& [other, shared] : contacts_[at(root)]) pairs.emplace_back(number[at(root)], number[at(other)], 1.0F);
  }
  const auto size = static_cast<Eigen::Index>(roots.size());
  Eigen::SparseMatrix<float, Eigen::ColMajor, int> graph(size, size);
  graph.setFromTriplets(pairs.begin(), pairs.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  if (size > 0) Eigen::AMDOrdering<int>()(graph, order);
  std::vector<std::int32_t> sorted;
  for (Eigen::Index i = 0; i < size; ++i) sorted.push_back(roots[at(order.indices()[i])]);
  return sorted;
}

}  // namespace osteon::physics
