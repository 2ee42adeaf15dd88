#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <osteon/comm/together.hpp>
#include <osteon/job/physics.hpp>
#include <osteon/solve/elasticity.hpp>
#include <osteon/solve/post.hpp>
#include <osteon/voxel/boundary.hpp>

namespace osteon::job {

namespace {

// Dense node values as result files want them: components x, y, z, NaN where there is no node.
std::vector<float> spread_nodes(const voxel::run_set& nodes, const std::vector<double>& zyx) {
  const index3 shape = nodes.shape();
  std::vector<float> dense(static_cast<std::size_t>(3 * shape.volume()), std::numeric_limits<float>::quiet_NaN());
  for (const voxel::run& r : nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const auto from = static_cast<std::size_t>(3 * (static_cast<std::int64_t>(r.first) + i));
      const auto to = static_cast<std::size_t>(3 * ((r.z * shape.y + r.y) * shape.x + r.x + i));
      for (std::size_t c = 0; c < 3; ++c) dense[to + c] = static_cast<float>(zyx[from + 2 - c]);
    }
  return dense;
}

}  // namespace

physics_result run_elasticity(const spec& job, const specimen& part, sink& log) {
  const MPI_Comm comm = part.where.comm;
  const axis along = load_axis(job);
  const double length = length_mm(part.header, along);
  const double driven_mm = job.load.strain * length;

  solve::elasticity_problem problem;
  comm::together(comm, [&] {
    problem.where = part.where;
    problem.spacing_mm = part.header.spacing_mm;
    problem.materials = &part.header.materials;
    problem.cells = part.cells;
    problem.nodes = voxel::corner_nodes(part.cells);
    problem.material = voxel::gather(part.cells, {part.image.data(), part.where.owned.shape()});
    for (const voxel::face_displacement& d :
         voxel::bonded_axial(problem.nodes, part.where.owned, part.where.domain, along, driven_mm))
      problem.fixed.push_back({d.node, d.direction, d.value_mm});
  });
  const solve::options how{job.solve.tolerance, static_cast<int>(job.solve.max_iterations)};
  const solve::elasticity_solution solution = solve::solve_elasticity(problem, how, log);

  physics_result result;
  result.proof = solution.proof;
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, comm);

  const vector3 reaction = solve::sum_of_reactions(
      comm, solution, voxel::face_nodes(problem.nodes, part.where.owned, part.where.domain, along, true));
  const std::vector<float> sed = solve::strain_energy_density(problem, solution.displacement_mm);
  const std::vector<float> strain = solve::effective_strain(part.header.materials, problem.material, sed);
  const auto sed_statistics = solve::statistics(comm, sed);
  const auto strain_statistics = solve::statistics(comm, strain);
  const double force = reaction[static_cast<int>(along)];
  const auto failure =
      solve::pistoia(comm, strain, std::abs(force), job.pistoia.critical_strain, job.pistoia.critical_volume);

  result.answers = {{"reaction_N", {reaction.z, reaction.y, reaction.x}},
                    {"stiffness_N_per_mm", force / driven_mm},
                    {"apparent_modulus_MPa", force / driven_mm * length / cross_section_mm2(part.header, along)},
                    {"sed_MPa",
                     {{"mean", sed_statistics.mean},
                      {"p95", sed_statistics.p95},
                      {"p98", sed_statistics.p98},
                      {"max", sed_statistics.max}}},
                    {"effective_strain", {{"p98", strain_statistics.p98}}},
                    {"pistoia",
                     {{"critical_strain", job.pistoia.critical_strain},
                      {"critical_volume", job.pistoia.critical_volume},
                      {"factor", failure.factor},
                      {"failure_load_N", failure.failure_load_N}}},
                    {"load",
                     {{"test", "axial_bonded"},
                      {"axis", job.load.axis},
                      {"strain", job.load.strain},
                      {"displacement_mm", driven_mm},
                      {"length_mm", length},
                      {"cross_section_mm2", cross_section_mm2(part.header, along)}}}};

  result.shown = sed;
  result.shown_name = "sed";
  result.shown_units = "MPa";
  result.shown_high = sed_statistics.p99 > sed_statistics.median ? sed_statistics.p99 : sed_statistics.max;
  result.shown_low =
      sed_statistics.median < result.shown_high ? sed_statistics.median : 0;  // a uniform field is shown from nothing
  const auto displacement = std::make_shared<std::vector<double>>(solution.displacement_mm);
  const auto nodes = std::make_shared<voxel::run_set>(problem.nodes);
  result.fields = {
      {{"displacement", "displacement", "mm", io::centring::node, 3},
       [nodes, displacement] { return spread_nodes(*nodes, *displacement); }},
      {{"sed", "strain energy density", "MPa", io::centring::cell, 1}, [&part, sed] { return spread_cells(part, sed); }},
      {{"effective_strain", "effective strain, sqrt(2 SED / E)", "1", io::centring::cell, 1},
       [&part, strain] { return spread_cells(part, strain); }}};
  return result;
}

}  // namespace osteon::job
