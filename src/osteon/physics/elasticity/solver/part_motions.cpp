#include <osteon/physics/elasticity/solver/part_motions.hpp>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/gather_to_all.hpp>

namespace osteon::physics {

namespace {

// A node shared by two parts, or a prescribed displacement of the first part.
struct constraint_record {
  std::int32_t part, other;
  index3 node;
  std::int64_t along;
};

// Independent supports of the parts on this rank.
std::vector<constraint_record> supports_on(const solid_parts& parts, std::span<const prescribed_displacement> fixed) {
  std::vector<body_supports> supports(at(parts.count()));
  std::vector<constraint_record> records;
  for (const prescribed_displacement& p : fixed) {
    if (!parts.owns(p.node)) continue;
    const held_node where{parts.place(p.node), static_cast<int>(p.direction)};
    for (const std::int32_t part : parts.at_node(p.node))
      if (supports[at(part)].add(where)) records.push_back({part, -1, where.node, where.along});
  }
  return records;
}

std::vector<constraint_record> joints_on(const solid_parts& parts) {
  std::map<std::array<std::int32_t, 2>, contact> contacts;
  std::vector<constraint_record> records;
  for (const meeting_node& m : parts.meetings()) {
    if (!parts.owns(m.node)) continue;
    for (std::size_t i = 1; i < m.parts.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (contacts[{m.parts[j], m.parts[i]}].add(m.place)) records.push_back({m.parts[j], m.parts[i], m.place, 0});
  }
  return records;
}

}  // namespace

part_motions::part_motions(const solid_parts& parts, std::span<const prescribed_displacement> fixed, bool holds_largest)
    : comm_(parts.comm()), count_(at(parts.count())) {
  std::vector<constraint_record> mine;
  comm::collectively(comm_, [&] {
    mine = supports_on(parts, fixed);
    const std::vector<constraint_record> joints = joints_on(parts);
    mine.insert(mine.end(), joints.begin(), joints.end());
  });
  const std::vector<constraint_record> all = comm::gather_on_first(comm_, mine).values;
  const std::vector<std::int64_t> voxels = holds_largest ? parts.voxels() : std::vector<std::int64_t>{};
  comm::collectively(comm_, [&] {
    if (comm::rank(comm_) != 0) return;
    bodies_.emplace(count_);
    for (const constraint_record& r : all)
      if (r.other >= 0)
        bodies_->join(r.part, r.other, r.node);
      else
        bodies_->hold(r.part, {r.node, static_cast<int>(r.along)});
    if (holds_largest && count_ > 0) {
      const auto largest = std::max_element(voxels.begin(), voxels.end()) - voxels.begin();
      for (const index3 node : {index3{0, 0, 0}, index3{0, 0, 1}, index3{0, 1, 0}})
        for (int along = 0; along < 3; ++along) bodies_->hold(static_cast<std::int32_t>(largest), {node, along});
    }
    bodies_->settle();
  });
}

std::vector<motion_mask> part_motions::free_motions() {
  std::vector<motion_mask> masks(count_);
  comm::collectively(comm_, [&] {
    if (comm::rank(comm_) != 0) return;
    for (std::size_t p = 0; p < count_; ++p) {
      const rigid_motion motion = bodies_->motion_of(static_cast<std::int32_t>(p));
      for (std::size_t i = 0; i < 6; ++i)
        if (motion[i] != 0) masks[p] = static_cast<motion_mask>(masks[p] | 1U << i);
    }
  });
  MPI_Bcast(masks.data(), static_cast<int>(masks.size()), MPI_UINT8_T, 0, comm_);
  return masks;
}

std::vector<std::int32_t> part_motions::bodies() {
  std::map<rigid_motion, std::int32_t> known{{rigid_motion{}, 0}};
  std::vector<std::int32_t> numbers(count_);
  for (std::size_t p = 0; p < count_; ++p)
    numbers[p] = known.try_emplace(bodies_->motion_of(static_cast<std::int32_t>(p)), static_cast<std::int32_t>(known.size()))
                     .first->second;
  return numbers;
}

std::vector<std::uint8_t> part_motions::add_pins(std::span<const pin_candidate> candidates) {
  std::vector<std::uint8_t> is_pin(candidates.size());
  comm::collectively(comm_, [&] {
    if (comm::rank(comm_) != 0) return;
    for (std::size_t i = 0; i < candidates.size(); ++i) is_pin[i] = bodies_->pin(candidates[i].part, candidates[i].where);
  });
  MPI_Bcast(is_pin.data(), static_cast<int>(is_pin.size()), MPI_UINT8_T, 0, comm_);
  return is_pin;
}

}  // namespace osteon::physics
