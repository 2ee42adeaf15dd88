#include <osteon/physics/elasticity/export/write_n88_model.hpp>

#include <osteon/io/n88/write_n88.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/physics/elasticity/loads/loaded_mesh.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace {

constexpr std::size_t at_once = std::size_t{1} << 18;

io::n88::problem problem_of(const load_case& c, log_sink& log) {
  io::n88::problem p{c.name.empty() ? "Problem1" : c.name, {}, {}};
  for (const numerics::prescribed_displacement& d : c.fixed)
    p.displacements.push_back({d.node, static_cast<int>(d.direction), d.value_mm});
  for (const auto& [node, force] : forces_of(c))
    for (int a = 0; a < 3; ++a)
      if (force[a] != 0) p.forces.push_back({node, a, force[a]});
  if (c.measures && c.measures->wanted)
    log.note(
        "osteon scales the solution to the force or moment of the job; in the file the face moves by the full "
        "displacement");
  return p;
}

// Sets of supports, once each.
std::vector<io::n88::node_list> sets_of(const std::vector<load_case>& cases) {
  std::vector<io::n88::node_list> lists;
  std::set<std::string> known;
  const auto add = [&](const node_set& s) {
    if (known.insert(s.name).second) lists.push_back({s.name, s.nodes});
  };
  for (const load_case& c : cases) {
    for (const support& s : c.supports) add(*s.on);
    if (c.measures) add(*c.measures->driven);
  }
  return lists;
}

void add_mesh(io::n88::model_writer& writer, const numerics::elasticity_problem& problem, const node_sets& sets) {
  std::vector<float> places;
  const auto put_nodes = [&] {
    writer.add_nodes(places);
    places.clear();
  };
  voxel::for_each_node(sets.grid(), [&](std::int32_t, index3 place) {
    const vector3 at = sets.grid().position_mm(place);
    for (const double p : {at.x, at.y, at.z}) places.push_back(static_cast<float>(p));
    if (places.size() >= 3 * at_once) put_nodes();
  });
  put_nodes();
  std::vector<std::array<std::int32_t, 8>> corners;
  std::vector<material_number> materials;
  const auto put_elements = [&] {
    writer.add_elements(corners, materials);
    corners.clear();
    materials.clear();
  };
  voxel::for_each_cell(sets.grid(), [&](std::int32_t cell, const std::array<std::int32_t, 8>& of) {
    corners.push_back(of);
    materials.push_back(problem.material[static_cast<std::size_t>(cell)]);
    if (corners.size() >= at_once) put_elements();
  });
  put_elements();
}

}  // namespace

n88_report write_n88_model(const spec& job, local_model part, const std::string& path, log_sink& log) {
  n88_report report;
  with_loaded_mesh(job, part, ".n88model", false, log, [&](const auto& problem, const node_sets& sets, const auto& cases) {
    io::n88::description what;
    what.history = fmt::format("{}: written by osteon {}", job.name, this_build().version);
    what.materials = part.header.materials;
    what.sets = sets_of(cases);
    for (const load_case& c : cases) what.problems.push_back(problem_of(c, log));
    what.nodes = problem.nodes.size();
    what.elements = problem.cells.size();
    io::temporary_file file(path);
    io::n88::model_writer writer(file.name(), what);
    add_mesh(writer, problem, sets);
    writer.close();
    report = {what.nodes, what.elements, std::ssize(cases), io::size_of_file(file.name())};
    file.commit();
  });
  return report;
}

}  // namespace osteon::physics
