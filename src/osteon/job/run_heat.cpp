#include <algorithm>
#include <cmath>
#include <osteon/comm/together.hpp>
#include <osteon/job/heat_case.hpp>
#include <osteon/solve/post.hpp>

namespace osteon::job {

namespace {

// Conductivity averaged over the whole image box, void counting as zero: what the box would conduct along its axis if
// every path were straight. @collective
double mean_conductivity(const specimen& part, const std::vector<std::uint8_t>& material) {
  std::vector<std::int64_t> count(256, 0);
  for (std::uint8_t m : material) ++count[m];
  MPI_Allreduce(MPI_IN_PLACE, count.data(), static_cast<int>(count.size()), MPI_INT64_T, MPI_SUM, part.where.comm);
  double sum = 0;
  for (std::size_t m = 1; m < part.header.materials.size(); ++m)
    sum += static_cast<double>(count[m]) * part.header.materials[m].conductivity_W_per_mK;
  return sum / static_cast<double>(part.header.shape.volume());
}

}  // namespace

physics_result run_heat(const spec& job, const specimen& part, sink& log) {
  const MPI_Comm comm = part.where.comm;
  solve::heat_problem problem;
  comm::together(comm, [&] { problem = make_heat_problem(job, part); });
  const solve::options how{job.solve.tolerance, static_cast<int>(job.solve.max_iterations)};
  const solve::heat_solution solution = solve::solve_heat(problem, how, log);

  physics_result result;
  result.proof = solution.proof;
  result.elements = part.cells.size();
  MPI_Allreduce(MPI_IN_PLACE, &result.elements, 1, MPI_INT64_T, MPI_SUM, comm);

  const double drop_K = job.load.high_K - job.load.low_K;
  const double flux_W = solution.flux_high_W;
  const double conductivity = std::abs(flux_W / drop_K) * length_mm(part.header, problem.along) /
                              cross_section_mm2(part.header, problem.along) * 1000;
  const double mean = mean_conductivity(part, problem.material);
  result.answers = {{"flux_W", std::abs(flux_W)},
                    {"effective_conductivity_W_per_mK", conductivity},
                    {"tortuosity", mean / conductivity},
                    {"load",
                     {{"test", "conduction"},
                      {"axis", job.load.axis},
                      {"low_K", job.load.low_K},
                      {"high_K", job.load.high_K},
                      {"length_mm", length_mm(part.header, problem.along)},
                      {"cross_section_mm2", cross_section_mm2(part.header, problem.along)}}}};

  const std::vector<float> density = solve::heat_flux_density(problem, solution.temperature_K);
  const auto statistics = solve::statistics(comm, density);
  result.shown = density;
  result.shown_name = "heat_flux";
  result.shown_units = "W mm-2";
  result.shown_high = statistics.p99 > statistics.median ? statistics.p99 : statistics.max;
  result.shown_low = statistics.median < result.shown_high ? statistics.median : 0;  // a uniform field is shown from nothing
  result.fields = heat_fields(part, solution.temperature_K, density);
  return result;
}

}  // namespace osteon::job
