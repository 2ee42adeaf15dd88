#include <osteon/job/plans/ranks_by_plans.hpp>

#include <fmt/format.h>

#include <map>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/placement/rank_graph.hpp>

namespace osteon::job {

namespace {

constexpr std::int64_t most_voxels_in_seconds = std::int64_t{1} << 23;
constexpr const char* by_iteration = "bytes of an iteration on all levels";
constexpr const char* by_fine_level = "values of shared nodes on the fine level";

// Reason why a run does not compute the plans. If the run computes the plans, the text is empty.
std::string why_not_planned(const spec& job, index3 shape) {
  if (!source_of(job).is_image()) return "the job has no image";
  if (shape.volume() > most_voxels_in_seconds)
    return fmt::format("planning for {:.0f} million voxels takes too long", static_cast<double>(shape.volume()) / 1e6);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) return "the MPI library does not support MPI_THREAD_SERIALIZED";
  return {};
}

}  // namespace

placement::graph graph_of_iteration(const job_plans& plans) {
  std::map<std::pair<int, int>, double> bytes;  // sum of both directions
  for (const job_part& part : plans.parts) {
    if (!is_iteration(part)) continue;
    for (const comm::plan_traffic& p : part.plans) {
      if (p.plan.starts_with("reductions")) continue;
      std::map<std::pair<int, int>, std::int64_t> once;
      std::int64_t sum = 0;
      for (std::int64_t round = 0; round < p.what.rounds; ++round)
        for (int r = 0; r < p.what.ranks; ++r)
          for (const plan::message& m : p.what.of(r, round).sends) {
            once[std::minmax(r, m.peer)] += p.what.bytes(m);
            sum += p.what.bytes(m);
          }
      // The plan contains each distinct run once.
      for (const auto& [pair, n] : once)
        bytes[pair] +=
            static_cast<double>(n) * static_cast<double>(p.bytes) / static_cast<double>(std::max<std::int64_t>(1, sum));
    }
  }
  std::vector<placement::edge> edges;
  for (const auto& [pair, n] : bytes) edges.push_back({pair.first, pair.second, static_cast<std::int64_t>(n / 2 + 0.5)});
  return placement::from_edges(plans.ranks, edges);
}

ranks_to_place ranks_to_place_of(const spec& job, int ranks, log_sink& log) {
  try {
    return {graph_of_iteration(plans_of_job(job, ranks, log)), by_iteration};
  } catch (const plans_unknown& why) {
    const std::string path = import_model(job, output_paths(job).model, log).path;
    const bool bricks = uses_bricks(job, io::read_model_header(path).shape.z, ranks);
    return {subdomain_graph(MPI_COMM_SELF, path, ranks, !bricks, values_per_node(job), log),
            fmt::format("{}, because {}", by_fine_level, why.what())};
  }
}

ranks_to_place ranks_to_place_of_run(MPI_Comm comm, const spec& job) {
  const voxel::model_header header = source_of(job).outline(comm, job);
  ranks_to_place found;
  const int ranks = comm::size(comm);
  comm::collectively(comm, [&] {
    found = {rank_graph(job, header.shape, header.active_per_plane, ranks), by_fine_level};
    if (comm::rank(comm) != 0) return;  // only the graph of rank 0 is used
    std::string why = why_not_planned(job, header.shape);
    const stopwatch clock;
    if (why.empty()) try {
        found = {graph_of_iteration(plans_of_model(job, output_paths(job).model, ranks, null_log())), ""};
        found.by = fmt::format("{}, planned in {:.1f} s", by_iteration, clock.seconds());
      } catch (const error& e) {
        why = e.what();
      }
    if (!why.empty()) found.by += ", because " + why;
  });
  return found;
}

}  // namespace osteon::job
