#include <osteon/physics/elasticity/loads/loads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <tuple>

namespace osteon::physics {

namespace {

double length(const vector3& v) { return std::hypot(v.z, v.y, v.x); }
vector3 scaled(const vector3& v, double by) { return {v.z * by, v.y * by, v.x * by}; }

// Outward vector area at each node, from the free voxel faces within the set. The areas are complete on all ranks.
std::vector<double> areas(const node_sets& sets, const node_set& on) {
  std::vector<bool> chosen(static_cast<std::size_t>(sets.grid().nodes->size()));
  for (const std::int32_t node : on.nodes) chosen[static_cast<std::size_t>(node)] = true;
  std::vector<double> area = voxel::face_areas(sets.grid(), chosen);
  sets.shared().exchange_add(area.data(), {3, 1, 3});
  return area;
}

vector3 area_of(const std::vector<double>& areas, std::int32_t node) {
  const auto i = 3 * static_cast<std::size_t>(node);
  return {areas[i], areas[i + 1], areas[i + 2]};
}

// Fraction of a total at each node of the set. The sum of the fractions over all owned nodes is 1.
std::vector<double> shares(const node_sets& sets, const node_set& on, bool by_area) {
  std::vector<double> share(on.nodes.size(), 1.0 / static_cast<double>(on.size));
  if (!by_area) return share;
  const std::vector<double> area = areas(sets, on);
  double total = 0;
  for (std::size_t i = 0; i < share.size(); ++i) {
    share[i] = length(area_of(area, on.nodes[i]));
    if (sets.owns(on.nodes[i])) total += share[i];
  }
  comm::all_reduce(sets.comm(), &total, 1, MPI_SUM);
  if (!(total > 0))
    throw data_error(fmt::format(
        "set '{}' ({} nodes) contains no free voxel face with all four nodes; set spread = \"equal\", or choose a "
        "set on the surface",
        on.name, on.size));
  for (double& s : share) s /= total;
  return share;
}

}  // namespace

void sum_nodal_forces(applied_force& force, MPI_Comm comm) {
  double sum[3] = {};
  for (const numerics::nodal_force& f : force.nodes)
    for (int a = 0; a < 3; ++a) sum[a] += f.force_N[a];
  comm::all_reduce(comm, sum, 3, MPI_SUM);
  force.total_N = {sum[0], sum[1], sum[2]};
}

std::string letters_of(const std::array<bool, 3>& axes) {
  std::string letters;
  for (std::size_t a = 0; a < 3; ++a)
    if (axes[a]) letters += "zyx"[a];
  return letters;
}

vector3 support::displacement_mm(const vector3& at) const {
  const vector3 r{at.z - about_mm.z, at.y - about_mm.y, at.x - about_mm.x};
  const vector3& w = turn_rad;
  return {move_mm.z + w.x * r.y - w.y * r.x, move_mm.y + w.z * r.x - w.x * r.z, move_mm.x + w.y * r.z - w.z * r.y};
}

support make_support(node_sets& sets, const support_spec& keys) {
  support s;
  s.on = sets.find(keys.on);
  const std::optional<double> moves[] = {keys.move_z_mm, keys.move_y_mm, keys.move_x_mm};
  for (int a = 0; a < 3; ++a) {
    s.held[static_cast<std::size_t>(a)] = moves[a] || keys.fix.find("zyx"[a]) != std::string::npos;
    s.move_mm[a] = moves[a].value_or(0);
  }
  if (keys.rotate_deg) s.turn_rad = scaled(to_vector(*keys.rotate_deg), std::numbers::pi / 180);
  s.about_mm = keys.about_mm ? to_vector(*keys.about_mm) : s.on->centroid_mm;
  return s;
}

applied_force make_force(node_sets& sets, const force_spec& keys) {
  const node_set_ptr on = sets.find(keys.on);
  applied_force force{on->name, on->size, {}, {}};
  force.kind = keys.pressure_MPa ? "pressure" : keys.toward_mm ? "toward" : "force";
  force.set = on;
  std::vector<double> share, area;
  if (keys.pressure_MPa)
    area = areas(sets, *on);
  else
    share = shares(sets, *on, keys.spread == force_spread::area);
  comm::collectively(sets.comm(), [&] {
    for (std::size_t i = 0; i < on->nodes.size(); ++i) {
      const std::int32_t node = on->nodes[i];
      if (!sets.owns(node)) continue;  // contributions of ranks are summed
      vector3 f;
      if (keys.pressure_MPa) {
        f = scaled(area_of(area, node), -*keys.pressure_MPa);
      } else if (keys.node_force_N) {
        f = to_vector(*keys.node_force_N);
      } else if (keys.force_N) {
        f = scaled(to_vector(*keys.force_N), share[i]);
      } else {
        const vector3 to = to_vector(*keys.toward_mm), at = sets.position_mm(node);
        const vector3 arm{to.z - at.z, to.y - at.y, to.x - at.x};
        if (!(length(arm) > 0))
          throw data_error(fmt::format(
              "a node of set '{}' is at toward_mm = {}: its force has no direction; move toward_mm away from the "
              "set",
              on->name, in_mm(at)));
        f = scaled(arm, *keys.magnitude_N * share[i] / length(arm));
      }
      if (length(f) > 0) force.nodes.push_back({node, f});
    }
  });
  sum_nodal_forces(force, sets.comm());
  const auto loaded = comm::sum_over_ranks(sets.comm(), static_cast<std::int64_t>(force.nodes.size()));
  if (keys.pressure_MPa && loaded == 0)
    throw data_error(fmt::format(
        "set '{}' ({} nodes) contains no free voxel face with all four nodes: a pressure has no effect; choose a set "
        "on the surface",
        on->name, on->size));
  return force;
}

applied_force body_weight(const node_sets& sets, const vector3& gravity) {
  const vector3& h = sets.grid().spacing_mm;
  const double volume_m3 = h.z * h.y * h.x * 1e-9;
  const local_model& part = sets.part();
  const std::vector<material_number>& material = part.material;
  std::vector<double> mass_kg(material.empty() ? 0 : static_cast<std::size_t>(sets.grid().nodes->size()));
  voxel::for_each_cell(sets.grid(), [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
    // The first material of a model is void. The materials of the job follow in order.
    const material_spec& m = sets.job().materials[material[static_cast<std::size_t>(cell)] - std::size_t{1}];
    for (const std::int32_t node : corners) mass_kg[static_cast<std::size_t>(node)] += *m.density_kg_per_m3 * volume_m3 / 8;
  });
  applied_force force{"all voxels", sets.grid().nodes->size(), {}, {}};
  force.kind = "weight";
  for (std::size_t i = 0; i < mass_kg.size(); ++i)
    force.nodes.push_back({static_cast<std::int32_t>(i), scaled(gravity, mass_kg[i])});
  force.size -= static_cast<std::int64_t>(sets.shared().not_owned().size());
  comm::all_reduce(sets.comm(), &force.size, 1, MPI_SUM);
  sum_nodal_forces(force, sets.comm());
  return force;
}

std::vector<numerics::prescribed_displacement> prescribe(const node_sets& sets, const std::vector<support>& supports) {
  struct entry {
    std::int32_t node;
    int direction;
    std::size_t by;
    double value;
  };
  std::vector<entry> entries;
  for (std::size_t s = 0; s < supports.size(); ++s)
    for (std::size_t n = 0; n < supports[s].on->nodes.size(); ++n) {
      const std::int32_t node = supports[s].on->nodes[n];
      const vector3 u = supports[s].varies ? supports[s].own_mm[n] : supports[s].displacement_mm(sets.position_mm(node));
      for (int a = 0; a < 3; ++a)
        if (supports[s].held[static_cast<std::size_t>(a)]) entries.push_back({node, a, s, u[a]});
    }
  std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
    return std::tuple(a.node, a.direction, a.by) < std::tuple(b.node, b.direction, b.by);
  });
  std::vector<numerics::prescribed_displacement> fixed;
  std::vector<std::pair<entry, entry>> conflicts;
  const entry* kept = nullptr;
  for (const entry& e : entries) {
    if (kept && kept->node == e.node && kept->direction == e.direction) {
      constexpr double rounding = 1e-9;
      if (std::abs(kept->value - e.value) > rounding * std::max(std::abs(kept->value), std::abs(e.value)) &&
          (conflicts.empty() || conflicts.back().first.node != e.node))
        conflicts.push_back({*kept, e});
      continue;
    }
    kept = &e;
    fixed.push_back({e.node, static_cast<axis>(e.direction), e.value});
  }

  std::int64_t count = 0, first = std::numeric_limits<std::int64_t>::max();
  for (const auto& c : conflicts) {
    count += sets.owns(c.first.node);
    first = std::min(first, sets.id(c.first.node));
  }
  comm::all_reduce(sets.comm(), &count, 1, MPI_SUM);
  comm::all_reduce(sets.comm(), &first, 1, MPI_MIN);
  comm::collectively(sets.comm(), [&] {
    for (const auto& [a, b] : conflicts)
      if (sets.id(a.node) == first)
        throw usage_error(
            fmt::format("two supports prescribe different displacements at {} nodes; at {}: {:.6g} mm along {} for '{}', "
                        "but {:.6g} mm for "
                        "'{}'; make the sets disjoint, or omit the axis in one support",
                        count, in_mm(sets.position_mm(a.node)), a.value, "zyx"[a.direction], supports[a.by].on->name,
                        b.value, supports[b.by].on->name));
  });
  return fixed;
}

}  // namespace osteon::physics
