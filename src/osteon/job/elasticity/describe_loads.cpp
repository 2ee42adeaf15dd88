#include <osteon/job/elasticity/describe_loads.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_sets = 255;  // that a byte of the volume can tell apart

json in_z_y_x(const vector3& v) { return {v.z, v.y, v.x}; }

// Sets by number, from 1, in the order in which the cases name them.
class set_list {
 public:
  explicit set_list(const node_sets& sets) : sets_(sets) {}

  // Its number; 0 if there is no room for more. @collective local
  int add(const node_set_ptr& set) {
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i]->name == set->name && known_[i]->size == set->size) return static_cast<int>(i) + 1;
    if (known_.size() == most_sets) return 0;
    known_.push_back(set);
    return static_cast<int>(known_.size());
  }

  json described() const {
    json all = json::array();
    for (std::size_t i = 0; i < known_.size(); ++i)
      all.push_back({{"number", i + 1},
                     {"name", known_[i]->name},
                     {"nodes", known_[i]->size},
                     {"low_mm", in_z_y_x(known_[i]->low_mm)},
                     {"high_mm", in_z_y_x(known_[i]->high_mm)},
                     {"centroid_mm", in_z_y_x(known_[i]->centroid_mm)}});
    return all;
  }

  // Voxels that have a node of a set, as runs of one number.
  std::vector<io::label_run> runs() const {
    const voxel::node_grid& grid = sets_.grid();
    std::vector<std::uint8_t> number(static_cast<std::size_t>(grid.nodes->size()));
    std::vector<std::size_t> order(known_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return known_[a]->size > known_[b]->size; });
    std::vector<std::uint8_t> rank(known_.size() + 1);  // of a number: the higher, the smaller the set
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank[order[i] + 1] = static_cast<std::uint8_t>(i);
      for (const std::int32_t node : known_[order[i]]->nodes)
        number[static_cast<std::size_t>(node)] = static_cast<std::uint8_t>(order[i] + 1);
    }
    std::vector<std::uint8_t> of_cell(static_cast<std::size_t>(grid.cells->size()));
    voxel::for_each_cell(grid, [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
      std::uint8_t& mine = of_cell[static_cast<std::size_t>(cell)];
      for (const std::int32_t node : corners)
        if (const std::uint8_t n = number[static_cast<std::size_t>(node)]; n && (!mine || rank[n] > rank[mine])) mine = n;
    });
    std::vector<io::label_run> found;
    for (const voxel::run& r : grid.cells->runs())
      for (std::int32_t i = 0; i < r.length; ++i) {
        const int n = of_cell[static_cast<std::size_t>(r.first + i)];
        if (n == 0) continue;
        const bool goes_on = i > 0 && of_cell[static_cast<std::size_t>(r.first + i - 1)] == n;
        if (goes_on)
          ++found.back().length;
        else
          found.push_back({static_cast<std::int32_t>(grid.begin.z + r.z), static_cast<std::int32_t>(grid.begin.y + r.y),
                           static_cast<std::int32_t>(grid.begin.x + r.x + i), 1, n});
      }
    return found;
  }

 private:
  const node_sets& sets_;
  std::vector<node_set_ptr> known_;
};

// By what a standard test was scaled to the load that the job asks for.
double scale_of(const load_case& c, const json& answers) {
  if (!c.measures || !c.measures->wanted || c.measures->amount == 0) return 1;
  const json& load = answers.at("load");
  const double amount = c.measures->turns ? load.at("angle_deg").get<double>() * std::numbers::pi / 180
                                          : load.at("displacement_mm").get<double>();
  return amount / c.measures->amount;
}

// Where the nodes' forces act in the mean, each weighed by its magnitude. @collective
vector3 point_of(const applied_force& f, const node_sets& sets) {
  double sums[4] = {};
  for (const solve::nodal_force& n : f.nodes) {
    const double magnitude = std::hypot(n.force_N.z, n.force_N.y, n.force_N.x);
    const vector3 at = sets.position_mm(n.node);
    sums[0] += magnitude;
    for (int a = 0; a < 3; ++a) sums[1 + a] += magnitude * at[a];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, sets.comm());
  if (!(sums[0] > 0)) return {};
  return {sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]};
}

}  // namespace

load_scene describe_loads(const node_sets& sets, std::span<const load_case> cases, std::span<const json> answers) {
  load_scene scene;
  set_list known(sets);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const load_case& c = cases[n];
    const double scale = scale_of(c, answers[n]);
    json supports = json::array(), forces = json::array();
    for (std::size_t i = 0; i < c.supports.size(); ++i) {
      const support& s = c.supports[i];
      const vector3 u = s.displacement_mm(s.on->centroid_mm);
      const bool moves = u.z != 0 || u.y != 0 || u.x != 0,
                 turns = s.turn_rad.z != 0 || s.turn_rad.y != 0 || s.turn_rad.x != 0;
      json entry = {{"kind", moves || turns ? "displaced" : "held"}, {"set", known.add(s.on)}};
      entry.update(answers[n].at("supports").at(i));  // set, held axes, nodes, reaction
      if (moves || turns) entry["displacement_mm"] = {scale * u.z, scale * u.y, scale * u.x};
      if (turns) {
        const double degrees = scale * 180 / std::numbers::pi;
        entry["turn_deg"] = {degrees * s.turn_rad.z, degrees * s.turn_rad.y, degrees * s.turn_rad.x};
        entry["turn_about_mm"] = in_z_y_x(s.about_mm);
      }
      supports.push_back(std::move(entry));
    }
    for (std::size_t i = 0; i < c.forces.size(); ++i) {
      const applied_force& f = c.forces[i];
      json entry = {{"kind", f.kind}, {"set", f.set ? known.add(f.set) : 0}, {"point_mm", in_z_y_x(point_of(f, sets))}};
      entry.update(answers[n].at("forces").at(i));  // set, nodes, force, displacement
      forces.push_back(std::move(entry));
    }
    scene.cases.push_back({{"name", c.name}, {"test", c.test}, {"supports", supports}, {"forces", forces}});
  }
  scene.sets = known.described();
  scene.runs = known.runs();
  return scene;
}

}  // namespace osteon::job
