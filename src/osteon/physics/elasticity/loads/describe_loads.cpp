#include <osteon/physics/elasticity/loads/describe_loads.hpp>

#include <numbers>
#include <osteon/physics/elasticity/loads/numbered_sets.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

// Factor by which a standard test was scaled to the requested load.
double scale_of(const load_case& c, const json& answers) {
  if (!c.measures || !c.measures->wanted || c.measures->amount == 0) return 1;
  const json& load = answers.at("load");
  const double amount = c.measures->turns ? load.at("angle_deg").get<double>() * std::numbers::pi / 180
                                          : load.at("displacement_mm").get<double>();
  return amount / c.measures->amount;
}

}  // namespace

load_scene describe_loads(const node_sets& sets, std::span<const load_case> cases, std::span<const json> answers) {
  load_scene scene;
  numbered_sets known(sets);
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
      entry.update(answers[n].at("supports").at(i));  // set, constrained axes, nodes, reaction
      if (moves || turns) entry["displacement_mm"] = {scale * u.z, scale * u.y, scale * u.x};
      if (turns) {
        const double degrees = scale * 180 / std::numbers::pi;
        entry["turn_deg"] = {degrees * s.turn_rad.z, degrees * s.turn_rad.y, degrees * s.turn_rad.x};
        entry["turn_about_mm"] = list_z_y_x(s.about_mm);
      }
      supports.push_back(std::move(entry));
    }
    for (std::size_t i = 0; i < c.forces.size(); ++i) {
      const applied_force& f = c.forces[i];
      json entry = {{"kind", f.kind}, {"set", f.set ? known.add(f.set) : 0}, {"point_mm", list_z_y_x(point_of(f, sets))}};
      entry.update(answers[n].at("forces").at(i));  // set, nodes, force, displacement
      forces.push_back(std::move(entry));
    }
    scene.cases.push_back({{"name", c.name}, {"test", name_of(c.test)}, {"supports", supports}, {"forces", forces}});
  }
  scene.sets = known.described();
  scene.runs = known.runs();
  return scene;
}

}  // namespace osteon::physics
