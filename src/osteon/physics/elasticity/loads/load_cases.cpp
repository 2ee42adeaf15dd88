#include <osteon/physics/elasticity/loads/load_cases.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/numbered_sets.hpp>
#include <osteon/physics/elasticity/solver/reactions.hpp>
#include <osteon/physics/elasticity/solver/solid_parts.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>
#include <utility>

namespace osteon::physics {

namespace {

// Displacement of a node prescribed by the model.
struct prescribed_node {
  int axes = 0;  // bits z, y, x
  vector3 move_mm;
  void add(const voxel::node_condition& c) {
    for (int a = 0; a < 3; ++a)
      if (c.held[static_cast<std::size_t>(a)]) axes |= 1 << a, move_mm[a] = c.move_mm[a];
  }
};

// Nodes constrained along the same axes form a support. If the displacements of these nodes have few distinct values, each
// distinct value has its own support. Examples are faces or grips that move as a whole.
struct support_of_nodes {
  int axes = 0;
  std::optional<vector3> move_mm;  // empty: individual displacements
};

std::vector<support_of_nodes> supports_of_model(const std::vector<voxel::node_condition>& conditions) {
  constexpr std::size_t most_of_axes = 6;
  std::map<std::array<std::int64_t, 3>, prescribed_node> nodes;
  for (const voxel::node_condition& c : conditions) nodes[{c.node.z, c.node.y, c.node.x}].add(c);
  std::array<std::set<std::array<double, 3>>, 8> moves;
  for (const auto& [place, of] : nodes) {
    auto& own = moves[static_cast<std::size_t>(of.axes)];
    if (own.size() <= most_of_axes) own.insert({of.move_mm.z, of.move_mm.y, of.move_mm.x});
  }
  std::vector<support_of_nodes> supports;
  for (int axes = 1; axes < 8; ++axes) {
    const auto& own = moves[static_cast<std::size_t>(axes)];
    if (own.size() > most_of_axes) {
      supports.push_back({axes, {}});
      continue;
    }
    for (const auto& [z, y, x] : own) supports.push_back({axes, vector3{z, y, x}});
  }
  return supports;
}

// Make a support of the model. @param held constrained nodes of this rank, ascending @collective
std::optional<support> make_support(const node_sets& sets, const support_of_nodes& group,
                                    const std::map<std::int32_t, prescribed_node>& held) {
  std::vector<std::int32_t> nodes;
  support s;
  std::array<double, 4> sums{};  // sum of the displacements of owned nodes, and number of these nodes
  for (const auto& [node, of] : held) {
    if (of.axes != group.axes || (group.move_mm && !(of.move_mm == *group.move_mm))) continue;
    nodes.push_back(node);
    if (group.move_mm) continue;
    s.own_mm.push_back(of.move_mm);
    if (!sets.owns(node)) continue;
    for (int a = 0; a < 3; ++a) sums[static_cast<std::size_t>(a)] += of.move_mm[a];
    ++sums[3];
  }
  const int any = comm::max_over_ranks(sets.comm(), !nodes.empty());
  if (!any) return std::nullopt;
  for (std::size_t a = 0; a < 3; ++a) s.held[a] = (group.axes >> a & 1) != 0;
  const std::string letters = letters_of(s.held);
  std::string name = "nodes held along " + letters;
  if (!group.move_mm) {
    s.varies = true;
    comm::all_reduce(sets.comm(), sums.data(), 4, MPI_SUM);
    for (int a = 0; a < 3; ++a) s.move_mm[a] = sums[static_cast<std::size_t>(a)] / sums[3];
    name = fmt::format("nodes moved along {}, individual displacements", letters);
  } else if (s.move_mm = *group.move_mm; !(s.move_mm == vector3{})) {
    std::vector<std::string> parts;
    for (int a = 0; a < 3; ++a)
      if (s.held[static_cast<std::size_t>(a)]) parts.push_back(fmt::format("{:.6g}", s.move_mm[a]));
    name = fmt::format("nodes moved along {} by {} mm", letters, fmt::join(parts, ", "));
  }
  s.on = sets.make(name, std::move(nodes), "listed nodes");
  s.about_mm = s.on->centroid_mm;
  return s;
}

// Add the supports and forces prescribed at nodes by the model.
// @throws data_error if a node without solid has a force or a displacement @collective
void add_conditions(const node_sets& sets, load_case& to, log_sink& log) {
  const auto& conditions = sets.part().header.conditions;
  if (conditions.empty()) return;
  const MPI_Comm comm = sets.comm();
  std::map<std::int32_t, prescribed_node> held;  // nodes of this rank
  std::map<std::int32_t, vector3> pulled;
  std::vector<std::uint8_t> found(conditions.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const voxel::node_condition& c = conditions[i];
    const index3 at = c.node - sets.grid().begin;
    const std::int32_t node = sets.grid().nodes->find(at.z, at.y, at.x);
    if (node < 0) continue;
    found[i] = 1;
    if (c.held[0] || c.held[1] || c.held[2]) held[node].add(c);
    if (c.force_N == vector3{} || !sets.owns(node)) continue;  // contributions of ranks are summed
    vector3& force = pulled[node];
    for (int a = 0; a < 3; ++a) force[a] += c.force_N[a];
  }
  comm::all_reduce(comm, found.data(), found.size(), MPI_BOR);
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const voxel::node_condition& c = conditions[i];
    if (found[i] || c.preserved) continue;
    ++lost;
    if (!(c.force_N == vector3{}))  // equal on all ranks
      throw data_error(
          fmt::format("a force of the model acts at node x, y, z = {}, {}, {} (indices from 0), which is not a node of the "
                      "supported solid; "
                      "move the force to the solid, or support the part at this node",
                      c.node.x, c.node.y, c.node.z));
  }
  if (lost > 0)
    log.warn(fmt::format("{} constrained nodes of the model are not nodes of the solid; they have no effect", lost));

  for (const support_of_nodes& group : supports_of_model(conditions))
    if (auto s = make_support(sets, group, held)) to.supports.push_back(std::move(*s));
  applied_force force{"forces of the model", static_cast<std::int64_t>(pulled.size()), {}, {}};
  force.kind = "model";
  for (const auto& [node, f] : pulled) force.nodes.push_back({node, f});
  comm::all_reduce(comm, &force.size, 1, MPI_SUM);
  sum_nodal_forces(force, comm);
  if (force.size > 0) to.forces.push_back(std::move(force));
}

using json = nlohmann::ordered_json;

vector3 minus(const vector3& a, const vector3& b) { return {a.z - b.z, a.y - b.y, a.x - b.x}; }
vector3 plus(const vector3& a, const vector3& b) { return {a.z + b.z, a.y + b.y, a.x + b.x}; }

// Warn of forces along constrained axes, because such forces do no work.
void warn_of_forces_on_held_nodes(const node_sets& sets, const load_case& c, log_sink& log) {
  for (const applied_force& force : c.forces) {
    double sums[2] = {};  // number of nodes, sum of forces [N]
    for (const numerics::nodal_force& f : force.nodes)
      for (int a = 0; a < 3; ++a) {
        const auto at = std::lower_bound(
            c.fixed.begin(), c.fixed.end(), std::pair(f.node, a),
            [](const auto& p, const auto& key) { return std::pair(p.node, static_cast<int>(p.direction)) < key; });
        if (f.force_N[a] == 0 || at == c.fixed.end() || at->node != f.node || static_cast<int>(at->direction) != a) continue;
        sums[0] += sets.owns(f.node);
        sums[1] += std::abs(f.force_N[a]);
      }
    comm::all_reduce(sets.comm(), sums, 2, MPI_SUM);
    if (sums[0] > 0)
      log.warn(
          fmt::format("{}{:.6g} N of the force on '{}' act along {:.0f} prescribed displacements and load only the supports",
                      c.name.empty() ? "" : "case '" + c.name + "': ", sums[1], force.on, sums[0]));
  }
}

// Pin movable parts under load. @param of_test number of supports of the test
void add_pins(const node_sets& sets, std::optional<pin_rule> rule, std::size_t of_test, std::optional<solid_parts>& parts,
              load_case& to, log_sink& log) {
  if (!parts) parts.emplace(sets.part().where, *sets.grid().cells, *sets.grid().nodes);
  if (!rule && parts->count() == 1) return;
  std::vector<support> pins =
      make_pins(sets, *parts, {std::move(rule), std::span(to.supports).first(of_test), !to.forces.empty(), to.fixed});
  if (pins.empty()) return;
  if (parts->count() > 1) {
    std::int64_t pinned = 0;
    for (const support& s : pins) pinned += s.on->size * std::count(s.held.begin(), s.held.end(), true);
    log.note(fmt::format(
        "{}supports permit rigid motions of parts that carry load; {} additional displacements without reactions "
        "are prescribed (pins)",
        to.name.empty() ? "" : "case '" + to.name + "': ", pinned));
  }
  const std::size_t place = of_test > 0 ? of_test : to.supports.size();
  to.supports.insert(to.supports.begin() + static_cast<std::ptrdiff_t>(place), std::make_move_iterator(pins.begin()),
                     std::make_move_iterator(pins.end()));
  to.fixed = prescribe(sets, to.supports);
}

// @param parts of the solid, computed if a case needs them
load_case make_case(node_sets& sets, const std::string& name, const mechanical_load& load,
                    const std::vector<support_spec>& supports, const std::vector<force_spec>& forces,
                    std::optional<solid_parts>& parts, log_sink& log) {
  load_case c;
  c.name = name;
  c.load = load;
  c.test = test_of(load, supports);
  std::optional<pin_rule> pins;
  if (c.test != elastic_test::custom) {
    standard_test standard = make_test(sets, load, c.test);
    c.supports = std::move(standard.supports);
    c.measures = std::move(standard.measures);
    pins = std::move(standard.pins);
  }
  const std::size_t of_test = c.supports.size();
  for (const support_spec& s : supports) c.supports.push_back(make_support(sets, s));
  for (const force_spec& f : forces) c.forces.push_back(make_force(sets, f));
  if (load.gravity_m_per_s2) c.forces.push_back(body_weight(sets, to_vector(*load.gravity_m_per_s2)));
  add_conditions(sets, c, log);
  c.fixed = prescribe(sets, c.supports);
  if (pins || c.forces.empty()) add_pins(sets, std::move(pins), of_test, parts, c, log);
  return c;
}

// Resultant of the reactions along the constrained axes of a support. Other supports can share the nodes of the support.
wrench borne_by(const support& s, const numerics::elasticity_problem& problem, elasticity_solution& solution,
                std::optional<vector3> about_mm = std::nullopt) {
  std::vector<std::pair<std::size_t, double>> hidden;
  for (const std::int32_t node : s.on->nodes)
    for (std::size_t a = 0; a < 3; ++a)
      if (!s.held[a]) {
        const std::size_t i = 3 * static_cast<std::size_t>(node) + a;
        hidden.emplace_back(i, std::exchange(solution.reaction_N[i], 0.0));
      }
  const wrench w = resultant(problem, solution, s.on->nodes, about_mm);
  for (const auto& [i, value] : hidden) solution.reaction_N[i] = value;
  return w;
}

// Work-conjugate displacement of a force: the mean displacement along the force, weighted by the nodal forces. The result
// is empty if the nodal forces have different directions.
std::optional<double> displacement_along(const applied_force& f, MPI_Comm comm, const std::vector<double>& displacement_mm) {
  double sums[2] = {};  // work, magnitudes
  for (const numerics::nodal_force& n : f.nodes) {
    const double* u = displacement_mm.data() + 3 * static_cast<std::size_t>(n.node);
    sums[0] += n.force_N.z * u[0] + n.force_N.y * u[1] + n.force_N.x * u[2];
    sums[1] += std::hypot(n.force_N.z, n.force_N.y, n.force_N.x);
  }
  comm::all_reduce(comm, sums, 2, MPI_SUM);
  const double total = std::hypot(f.total_N.z, f.total_N.y, f.total_N.x);
  constexpr double rounding = 1e-9;
  if (!(total > 0) || sums[1] > (1 + rounding) * total) return std::nullopt;
  return sums[0] / total;
}

double dot(const vector3& a, const vector3& b) { return a.z * b.z + a.y * b.y + a.x * b.x; }

// Stiffness of a test with supports and forces. The stiffness is defined if a single support with a translation or
// rotation, or a single force, drives the specimen. Load and displacement are work-conjugate.
json stiffness_of(const load_case& c, const json& forces, const numerics::elasticity_problem& problem,
                  elasticity_solution& solution, const vector3& origin_mm) {
  const json none = json::object();
  const support* driven = nullptr;
  for (const support& s : c.supports)
    if (s.varies || dot(s.move_mm, s.move_mm) + dot(s.turn_rad, s.turn_rad) > 0) {
      if (driven || s.varies) return none;
      driven = &s;
    }
  if (!driven) {
    if (c.forces.size() != 1 || c.load.gravity_m_per_s2 || !forces[0].contains("displacement_mm")) return none;
    const vector3& f = c.forces[0].total_N;
    const double moved = forces[0].at("displacement_mm");
    return moved > 0 ? json({{"stiffness_N_per_mm", std::sqrt(dot(f, f)) / moved}}) : none;
  }
  if (!c.forces.empty()) return none;
  const double shift = dot(driven->move_mm, driven->move_mm), turn = dot(driven->turn_rad, driven->turn_rad);
  if (shift > 0 && turn > 0) return none;
  const wrench w = borne_by(*driven, problem, solution, minus(driven->about_mm, origin_mm));
  if (shift > 0) return {{"stiffness_N_per_mm", dot(w.force_N, driven->move_mm) / shift}};
  const double stiffness = dot(w.moment_N_mm, driven->turn_rad) / turn;
  return {{"stiffness_N_mm_per_rad", stiffness}, {"stiffness_N_mm_per_deg", stiffness * std::numbers::pi / 180}};
}

json describe_load(const load_case& c) {
  json load = {{"test", name_of(c.test)}, {"axis", c.load.axis.name()}};
  if (!c.measures) return load;
  const measure& m = *c.measures;
  if (m.along != *c.load.axis || m.test == elastic_test::bending)
    load["direction"] = std::string(1, "zyx"[static_cast<int>(m.along)]);
  if (m.turns) {
    load["angle_deg"] = m.amount * 180 / std::numbers::pi;
    load["about_mm"] = list_z_y_x(m.about_mm);
  } else {
    load["strain"] = m.amount / m.length_mm;
    load["displacement_mm"] = m.amount;
  }
  load["length_mm"] = m.length_mm;
  load["cross_section_mm2"] = m.area.area_mm2;
  load["cross_section_definition"] = m.area.definition;
  return load;
}

}  // namespace

std::vector<load_case> make_cases(node_sets& sets, log_sink& log) {
  const mechanical_keys& keys = sets.job().groups.of<mechanical_keys>();
  std::vector<load_case> cases;
  std::optional<solid_parts> parts;
  if (keys.cases.empty()) cases.push_back(make_case(sets, "", job_load(sets.job()), keys.supports, keys.forces, parts, log));
  for (const case_spec& c : keys.cases) {
    cases.push_back(
        make_case(sets, c.name, c.load, joined(keys.supports, c.supports), joined(keys.forces, c.forces), parts, log));
  }
  for (const load_case& c : cases) {
    warn_of_forces_on_held_nodes(sets, c, log);
    if (c.measures && !c.measures->turns)
      log.note(fmt::format("{}reference area of the apparent stress: {:.6g} mm2 ({})", c.name.empty() ? "" : c.name + ": ",
                           c.measures->area.area_mm2, c.measures->area.definition));
  }
  return cases;
}

std::vector<std::vector<std::size_t>> group_by_supports(MPI_Comm comm, const std::vector<load_case>& cases) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    std::vector<int> same;  // per group
    for (const auto& group : groups) {
      const auto &a = cases[group.front()].fixed, &b = cases[c].fixed;
      same.push_back(std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& p, const auto& q) {
        return p.node == q.node && p.direction == q.direction;
      }));
    }
    comm::all_reduce(comm, same.data(), same.size(), MPI_MIN);
    const auto found = static_cast<std::size_t>(std::find(same.begin(), same.end(), 1) - same.begin());
    if (found == groups.size()) groups.emplace_back();
    groups[found].push_back(c);
  }
  return groups;
}

elasticity_load load_of(const load_case& c) {
  elasticity_load load;
  for (const numerics::prescribed_displacement& p : c.fixed) load.prescribed_mm.push_back(p.value_mm);
  for (const applied_force& f : c.forces) load.forces.insert(load.forces.end(), f.nodes.begin(), f.nodes.end());
  return load;
}

load_answers read_loads(const load_case& given, const numerics::elasticity_problem& problem, const vector3& origin_mm,
                        elasticity_solution& solution) {
  load_answers answers;
  load_case c = given;  // scaled with the solution
  if (c.measures) {
    measure& m = *c.measures;
    const auto reaction = [&] {
      return resultant(problem, solution, m.driven->nodes,
                       m.turns ? std::optional(minus(m.about_mm, origin_mm)) : std::nullopt);
    };
    const int a = static_cast<int>(m.along);
    wrench w = reaction();
    double load = m.turns ? w.moment_N_mm[a] : w.force_N[a];
    if (m.wanted) {
      const double factor = *m.wanted / load;
      if (!std::isfinite(factor))
        throw solve_error(fmt::format(
            "the reaction of the driven face is {} {}: the solution cannot be scaled to {}; check that the solid "
            "connects both faces",
            load, m.turns ? "N mm" : "N", *m.wanted));
      for (double& u : solution.displacement_mm) u *= factor;
      for (double& r : solution.reaction_N) r *= factor;
      m.amount *= factor;
      w = reaction();
      load = m.turns ? w.moment_N_mm[a] : w.force_N[a];
    }
    answers.load = load;
    answers.is_moment = m.turns;
    answers.keys["reaction_N"] = list_z_y_x(w.force_N);
    answers.keys["reaction_moment_N_mm"] = list_z_y_x(w.moment_N_mm);
    answers.keys["reaction_point_mm"] = list_z_y_x(plus(w.about_mm, origin_mm));
    answers.keys.update(measured(m, load));
  }
  json supports = json::array(), forces = json::array();
  for (const support& s : c.supports) {
    const wrench w = borne_by(s, problem, solution);
    supports.push_back({{"on", s.on->name},
                        {"held", letters_of(s.held)},
                        {"nodes", s.on->size},
                        {"reaction_N", list_z_y_x(w.force_N)},
                        {"moment_N_mm", list_z_y_x(w.moment_N_mm)},
                        {"about_mm", list_z_y_x(plus(w.about_mm, origin_mm))}});
  }
  for (const applied_force& f : c.forces) {
    forces.push_back({{"on", f.on}, {"nodes", f.size}, {"force_N", list_z_y_x(f.total_N)}});
    if (const auto u = displacement_along(f, problem.where.comm, solution.displacement_mm))
      forces.back()["displacement_mm"] = *u;
  }
  if (!c.measures) answers.keys.update(stiffness_of(c, forces, problem, solution, origin_mm));
  answers.keys["supports"] = supports;
  if (!forces.empty()) answers.keys["forces"] = forces;
  answers.keys["load"] = describe_load(c);
  return answers;
}

}  // namespace osteon::physics
