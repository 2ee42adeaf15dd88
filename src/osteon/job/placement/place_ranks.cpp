#include <osteon/job/placement/place_ranks.hpp>

#include <fmt/format.h>
#include <omp.h>

#include <mpi.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/machine/probe/probe.hpp>
#include <osteon/machine/topology/bind_ranks.hpp>
#include <osteon/placement/reorder.hpp>

namespace osteon::job {

namespace {

namespace fs = std::filesystem;
constexpr double probe_seconds = 2;
constexpr std::chrono::hours kept_for{24 * 7};

// The machine file for these hosts and this number of ranks per host.
fs::path cache_file(const machine::job_hosts& hosts) {
  const fs::path folder = job::cache_folder();
  if (folder.empty()) return {};
  std::string key;
  for (int h = 0; h < hosts.hosts.size(); ++h)
    key += fmt::format("{}:{}\n", hosts.hosts.name(h), hosts.ranks_of_host[static_cast<std::size_t>(h)].size());
  return folder / ("machine-" + xxh64_of(std::as_bytes(std::span(key))) + ".json");
}

std::optional<machine::description> read_cache(const fs::path& file, const machine::job_hosts& hosts) {
  std::error_code absent;
  const auto written = fs::last_write_time(file, absent);
  if (file.empty() || absent || fs::file_time_type::clock::now() - written > kept_for) return std::nullopt;
  try {
    return machine::matched(machine::read_machine(file), hosts.hosts, file);
  } catch (const error&) {  // the file is damaged, or the hosts have changed: measure again
    return std::nullopt;
  }
}

void write_cache(const fs::path& file, const machine::description& machine) {
  if (file.empty()) return;
  std::error_code refused;
  fs::create_directories(file.parent_path(), refused);
  try {
    machine::write_machine(file, machine);
  } catch (const error&) {  // the next job measures again
  }
}

// Return the link data of the hosts and a description of their source.
std::pair<machine::description, std::string> machine_of(MPI_Comm comm, const machine::job_hosts& hosts) {
  const bool root = comm::rank(comm) == 0;
  std::optional<machine::description> known;
  fs::path file;
  if (root) {
    file = cache_file(hosts);
    known = read_cache(file, hosts);
  }
  int found = known ? 1 : 0;
  MPI_Bcast(&found, 1, MPI_INT, 0, comm);
  if (found) return {machine::shared(comm, known.value_or(machine::description{})), "links measured earlier"};
  machine::probe_options options;
  options.budget_s = probe_seconds;
  const machine::probe_result result = machine::probe(comm, hosts, options);
  if (root) write_cache(file, result.machine);
  return {machine::shared(comm, result.machine), fmt::format("links measured in {:.1f} s", result.seconds)};
}

// Bind the ranks and return a description.
std::string bind(MPI_Comm comm, const spec& job, const machine::local_ranks& here, const rank_timer& seconds_of_iteration) {
  using machine::binding_policy;
  if (job.run.bind == "measured") {
    const auto trial = machine::try_bindings(comm, here, 2, [&] { return seconds_of_iteration(comm); });
    return "bound by trial (" + trial.summary() + ")";
  }
  const bool is_automatic = job.run.bind == "auto";
  const binding_policy policy = is_automatic ? here.default_policy() : machine::parse_binding(job.run.bind);
  if (policy != binding_policy::none) {
    comm::collectively(comm, [&] { here.bind(policy); });
    return fmt::format("bound to {}", machine::name_of(policy));
  }
  return !is_automatic          ? "not bound"
         : here.bound_already() ? "bound by the launcher"
         : here.enough_cores()  ? "not bound, because the job does not use all cores"
                                : "not bound, because there are more threads than cores";
}

}  // namespace

placed_ranks place_ranks(MPI_Comm comm, const spec& job,
                         const std::function<std::pair<placement::graph, std::string>()>& graph,
                         const rank_timer& seconds_of_iteration, log_sink& log) {
  const int ranks = comm::size(comm), threads = omp_get_max_threads();
  const machine::local_ranks here(comm, threads);
  const std::string ranks_text = fmt::format("{} x {}", counted(ranks, "rank"), counted(threads, "thread"));
  int several = here.ranks() < ranks ? 1 : 0;
  comm::all_reduce(comm, &several, 1, MPI_MAX);
  if (!several || !job.run.place) {
    const std::string binding = bind(comm, job, here, seconds_of_iteration);
    log.note(fmt::format("{} {}, not reordered, {}", ranks_text, several ? "on several hosts" : "on one host", binding));
    return placed_ranks(comm);
  }
  // All ranks throw the same errors. A failed placement must not end the job.
  std::optional<std::pair<machine::description, std::string>> known;
  std::optional<placement::reordered> placed;
  std::string fault, weights;
  try {
    known = machine_of(comm, machine::hosts_of(comm));
  } catch (const error& e) {
    fault = e.what();
  }
  const std::string binding =
      bind(comm, job, here, seconds_of_iteration);  // after the probe, because the probe binds and releases the ranks
  if (known) try {
      placement::reorder_options options;
      options.threads = threads;
      auto [ranks_as_graph, by] = graph();
      weights = by;
      placed = placement::reorder(comm, ranks_as_graph, known->first, options);
    } catch (const error& e) {
      fault = e.what();
    }
  if (!placed) {
    log.warn(fmt::format("{} on several hosts, not reordered, {}: {}", ranks_text, binding, fault));
    return placed_ranks(comm);
  }
  log.note(fmt::format("{} on {}, {}; {}; {}; weights: {}", ranks_text, counted(known->first.hosts.size(), "host"),
                       known->second, binding, placed->report.line, weights));
  return placed_ranks(std::move(placed->ranks));
}

}  // namespace osteon::job
