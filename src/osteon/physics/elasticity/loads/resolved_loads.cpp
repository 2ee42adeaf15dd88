#include <osteon/physics/elasticity/loads/describe_loads.hpp>

#include <algorithm>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_cases.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/necks.hpp>
#include <osteon/physics/elasticity/loads/numbered_sets.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

using json = nlohmann::ordered_json;

namespace {

json described_case(const load_case& c, const node_sets& sets, numbered_sets& known) {
  json supports = json::array(), forces = json::array();
  for (const support& s : c.supports) {
    supports.push_back({{"set", known.add(s.on)},
                        {"on", s.on->name},
                        {"held", letters_of(s.held)},
                        {"displacement_mm", list_z_y_x(s.displacement_mm(s.on->centroid_mm))}});
  }
  for (const applied_force& f : c.forces)
    forces.push_back({{"set", f.set ? known.add(f.set) : 0},
                      {"on", f.on},
                      {"kind", f.kind},
                      {"nodes", f.size},
                      {"point_mm", list_z_y_x(point_of(f, sets))},
                      {"force_N", list_z_y_x(f.total_N)}});
  return {{"name", c.name}, {"test", name_of(c.test)}, {"supports", supports}, {"forces", forces}};
}

// Limit of the search for necks. For larger models, the search requires gigabytes.
constexpr std::int64_t most_voxels_searched = std::int64_t{1} << 28;

json described_necks(const local_model& part) {
  if (part.header.shape.volume() > most_voxels_searched) return nullptr;
  const std::vector<std::uint8_t> necks = find_necks(part);
  json first = nullptr;
  for (const voxel::run& r : part.cells.runs())
    for (std::int32_t e = 0; e < r.length && first.is_null(); ++e)
      if (necks[static_cast<std::size_t>(r.first + e)] != 0) first = {r.z, r.y, r.x + e};
  return {{"voxels", std::count(necks.begin(), necks.end(), 1)}, {"first", first}};
}

}  // namespace

json resolve_loads(const spec& job, const std::function<local_model()>& read, const std::string& volume) {
  if (is_homogenisation(job)) return nullptr;
  const local_model part = read();
  const auto problem = make_problem(part);
  node_sets sets(job, part, problem->nodes);
  numbered_sets known(sets);
  json empty = json::array(), cases = json::array();
  const std::vector<set_spec>& keys = job.groups.of<mechanical_keys>().sets;
  for (const set_spec& s : keys) try {
      known.add(sets.find(s.name));
    } catch (const data_error& e) {
      const bool is_listed = std::any_of(empty.begin(), empty.end(), [&](const json& m) { return m["name"] == s.name; });
      if (!is_listed) empty.push_back({{"number", 0}, {"name", s.name}, {"fault", e.what()}});
    }
  try {
    for (const load_case& c : make_cases(sets, null_log())) cases.push_back(described_case(c, sets, known));
  } catch (const data_error&) {  // check_loads_on_solid reports the faults
  } catch (const usage_error&) {
  }
  json all = known.described();
  for (json& m : empty) all.push_back(std::move(m));
  for (json& entry : all) {
    entry["entries"] = json::array();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (entry["name"] == keys[i].name) entry["entries"].push_back(i);
  }
  const voxel::model_header& h = part.header;
  if (!volume.empty()) io::write_labels(volume, {h.shape, h.spacing_mm, h.origin_mm, std::nullopt}, known.runs());
  return {{"shape", {h.shape.z, h.shape.y, h.shape.x}},
          {"spacing_mm", list_z_y_x(h.spacing_mm)},
          {"origin_mm", list_z_y_x(h.origin_mm)},
          {"sets", all},
          {"cases", cases},
          {"necks", described_necks(part)}};
}

}  // namespace osteon::physics
