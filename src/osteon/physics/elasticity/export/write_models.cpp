#include <osteon/physics/elasticity/export/write_models.hpp>

#include <algorithm>
#include <osteon/io/files/parosol_file.hpp>
#include <osteon/io/n88/write_n88.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/physics/elasticity/loads/loaded_mesh.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace {

double edge_of(const voxel::model_header& header) {
  const vector3 h = header.spacing_mm;
  if (std::max({h.z, h.y, h.x}) > (1 + 1e-9) * std::min({h.z, h.y, h.x}))
    throw usage_error(fmt::format(
        "voxel size [{}, {}, {}] mm: .h5 files of ParOSol require cubic voxels; resample the image ([[image.step]])", h.z,
        h.y, h.x));
  for (int a = 0; a < 3; ++a)
    if (header.shape[a] > io::parosol_most_voxels)
      throw usage_error(
          fmt::format("{} voxels along {}: .h5 files of ParOSol allow at most {}; crop the image (image.crop_voxels)",
                      header.shape[a], "zyx"[a], io::parosol_most_voxels));
  return h.x;
}

double ratio_of(const voxel::material_table& materials) {
  const double ratio = materials.size() > 1 ? materials[1].poisson_ratio : 0.3;
  for (std::size_t m = 1; m < materials.size(); ++m)
    if (materials[m].poisson_ratio != ratio)
      throw usage_error(
          fmt::format("Poisson's ratios {} and {}: .h5 files of ParOSol store a single value; set equal values for all "
                      "materials, or write .inp",
                      ratio, materials[m].poisson_ratio));
  return ratio;
}

void note_scaling(const load_case& c, log_sink& log) {
  if (c.measures && c.measures->wanted)
    log.note("osteon scales the solution to the force or moment of the job; the file prescribes the unscaled displacement");
}

}  // namespace

parosol_report write_parosol_model(const spec& job, local_model part, const std::string& path, log_sink& log) {
  parosol_report report;
  with_loaded_mesh(job, part, ".h5", false, log, [&](const auto& problem, const node_sets& sets, const auto& cases) {
    if (cases.size() != 1)
      throw usage_error(fmt::format(
          "{} load cases: .h5 files of ParOSol contain a single load case; keep one [[case]] in the job", cases.size()));
    const load_case& c = cases.front();
    io::parosol_model model{part.header.shape, edge_of(part.header), ratio_of(part.header.materials), {}, {}};
    std::vector<index3> places(static_cast<std::size_t>(problem.nodes.size()));
    voxel::for_each_node(sets.grid(), [&](std::int32_t node, index3 at) { places[static_cast<std::size_t>(node)] = at; });
    const auto condition = [&](std::int32_t node, int a, double value) {
      const index3 at = places[static_cast<std::size_t>(node)];
      return io::parosol_condition{
          {static_cast<std::uint16_t>(at.z), static_cast<std::uint16_t>(at.y), static_cast<std::uint16_t>(at.x)},
          static_cast<std::uint16_t>(2 - a),
          static_cast<float>(value)};
    };
    for (const numerics::prescribed_displacement& p : c.fixed)
      model.fixed.push_back(condition(p.node, static_cast<int>(p.direction), p.value_mm));
    for (const auto& [node, force] : forces_of(c))
      for (int a = 0; a < 3; ++a)
        if (force[a] != 0) model.loaded.push_back(condition(node, a, force[a]));
    note_scaling(c, log);
    std::vector<float> modulus(static_cast<std::size_t>(part.header.materials.size()));
    for (std::size_t m = 1; m < modulus.size(); ++m)
      modulus[m] = static_cast<float>(1e-3 * part.header.materials[m].youngs_modulus_MPa);
    std::vector<float> of_cells(part.material.size());
    std::transform(part.material.begin(), part.material.end(), of_cells.begin(),
                   [&](material_number m) { return modulus[m]; });      // GPa
    const auto planes = cell_planes(part, share(std::move(of_cells)));  // NaN in empty voxels
    io::temporary_file file(path);
    io::write_parosol(file.name(), model, [&](std::int64_t first, std::int64_t count, std::span<float> values) {
      planes(first, count, values);
      std::replace_if(values.begin(), values.end(), [](float v) { return !(v > 0); }, 0.0F);
    });
    report = {problem.cells.size(), std::ssize(model.fixed), std::ssize(model.loaded), io::size_of_file(file.name())};
    file.commit();
  });
  return report;
}

namespace {

constexpr std::size_t at_once = std::size_t{1} << 18;

io::n88::problem problem_of(const load_case& c, log_sink& log) {
  io::n88::problem p{c.name.empty() ? "Problem1" : c.name, {}, {}};
  for (const numerics::prescribed_displacement& d : c.fixed)
    p.displacements.push_back({d.node, static_cast<int>(d.direction), d.value_mm});
  for (const auto& [node, force] : forces_of(c))
    for (int a = 0; a < 3; ++a)
      if (force[a] != 0) p.forces.push_back({node, a, force[a]});
  note_scaling(c, log);
  return p;
}

// Sets of the loads, without duplicates.
std::vector<io::n88::node_list> sets_of(const std::vector<load_case>& cases) {
  std::vector<io::n88::node_list> lists;
  std::set<std::string> known;
  for_each_set(cases, [&](const node_set& s) {
    if (known.insert(s.name).second) lists.push_back({s.name, s.nodes});
  });
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
    io::n88::description description;
    description.history = fmt::format("{}: written by osteon {}", job.name, this_build().version);
    description.materials = part.header.materials;
    description.sets = sets_of(cases);
    for (const load_case& c : cases) description.problems.push_back(problem_of(c, log));
    description.nodes = problem.nodes.size();
    description.elements = problem.cells.size();
    io::temporary_file file(path);
    io::n88::model_writer writer(file.name(), description);
    add_mesh(writer, problem, sets);
    writer.close();
    report = {description.nodes, description.elements, std::ssize(cases), io::size_of_file(file.name())};
    file.commit();
  });
  return report;
}

}  // namespace osteon::physics
