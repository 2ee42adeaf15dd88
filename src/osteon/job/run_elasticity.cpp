#include <algorithm>
#include <cmath>
#include <memory>
#include <osteon/comm/together.hpp>
#include <osteon/job/elastic_output.hpp>
#include <osteon/solve/post.hpp>
#include <osteon/solve/reactions.hpp>
#include <osteon/voxel/boundary.hpp>

namespace osteon::job {

physics_result run_elasticity(const spec& job, const specimen& part, sink& log) {
  const MPI_Comm comm = part.where.comm;
  const axis along = load_axis(job);
  const double length = length_mm(part.header, along);
  const double strain = job.load.strain.value_or(-0.01), driven_mm = strain * length;

  const auto shared_problem = elastic_problem(part);
  solve::elasticity_problem& problem = *shared_problem;
  comm::together(comm, [&] {
    for (const voxel::face_displacement& d :
         voxel::bonded_axial(problem.nodes, part.where.owned, part.where.domain, along, driven_mm))
      problem.fixed.push_back({d.node, d.direction, d.value_mm});
  });
  const solve::options how{job.solve.tolerance, static_cast<int>(job.solve.max_iterations)};
  solve::elasticity_solution solution = solve::solve_elasticity(problem, how, log);

  physics_result result;
  result.proof = solution.proof;
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, comm);

  const solve::wrench driven = solve::resultant(
      problem, solution, voxel::face_nodes(problem.nodes, part.where.owned, part.where.domain, along, true));
  elastic_state state;
  comm::together(comm, [&] { state = read_off(shared_problem, std::move(solution.displacement_mm)); });
  const vector3 reaction = driven.force_N, moment = driven.moment_N_mm, origin = part.header.origin_mm;
  const double force = reaction[static_cast<int>(along)];
  const auto failure = solve::pistoia(comm, *state.effective_strain, std::abs(force), job.pistoia.critical_strain,
                                      job.pistoia.critical_volume);

  result.answers = {
      {"reaction_N", {reaction.z, reaction.y, reaction.x}},
      {"reaction_moment_N_mm", {moment.z, moment.y, moment.x}},
      {"reaction_point_mm", {origin.z + driven.about_mm.z, origin.y + driven.about_mm.y, origin.x + driven.about_mm.x}},
      {"stiffness_N_per_mm", force / driven_mm},
      {"apparent_modulus_MPa", force / driven_mm * length / cross_section_mm2(part.header, along)},
  };
  result.answers.update(statistics_of(comm, state));
  result.answers["pistoia"] = {{"critical_strain", job.pistoia.critical_strain},
                               {"critical_volume", job.pistoia.critical_volume},
                               {"factor", failure.factor},
                               {"failure_load_N", failure.failure_load_N}};
  result.answers["load"] = {{"test", "axial_bonded"}, {"axis", job.load.axis},
                            {"strain", strain},       {"displacement_mm", driven_mm},
                            {"length_mm", length},    {"cross_section_mm2", cross_section_mm2(part.header, along)}};

  if (auto table = by_material(part, state); !table.is_null()) result.answers["by_material"] = std::move(table);
  show(result, part, job.picture.field.value_or("sed"), state);
  result.fields = elastic_fields(part, job.output_fields.value_or(default_elastic_fields()), state);
  return result;
}

}  // namespace osteon::job
