#include <fmt/format.h>

#include <algorithm>
#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/job/pilot.hpp>
#include <app/job/serialized_mpi.hpp>
#include <app/process/json_output.hpp>
#include <app/process/terminal.hpp>
#include <common/printable.hpp>
#include <memory>
#include <numeric>
#include <optional>
#include <osteon/base/container_limits.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/container.hpp>
#include <osteon/job/estimate/time_estimate.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/before_run.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/net/networks/network_request.hpp>

namespace osteon::app {

namespace {

struct estimate_options {
  std::string job, json, machine, network, like, costs, keep_costs;
  std::optional<int> ranks;
  int ranks_per_host = 0;
  bool count = false, quick = false, pilot_anew = false;
  job::reader_options script;
  std::vector<std::string> set;
};

// Network of the messages for any number of ranks.
std::function<job::rank_network(int)> network_of(const estimate_options& o) {
  const auto machine = std::make_shared<machine::description>(
      o.machine.empty() ? machine::assumed(machine::host_list(1, machine::this_host())) : machine::read_machine(o.machine));
  if (o.network.empty())
    return [machine, per = o.ranks_per_host](int ranks) { return job::network_of_machine(*machine, ranks, per); };
  const auto model = std::make_shared<net::network>(
      o.network.ends_with(".json") ? net::parse_graph(read_text(o.network), o.network) : net::network_by_text(o.network));
  const auto inside = (machine->loaded ? machine->loaded : machine->isolated)->within_host(machine::path::inter_l3);
  return [model, memory = inside.value_or(machine::link{0.5e-6, 8e9}), per = o.ranks_per_host](int ranks) {
    return job::network_of_model(model, memory, ranks, per);
  };
}

// Costs of a finished job, scaled by the number of unknowns.
job::stage_costs costs_of_result(const job::spec& job, const job::job_size& size, const std::string& folder) {
  const std::string name = folder + "/summary.json";
  const auto summary = json_from_text<nlohmann::json>(read_text(name));
  if (summary.is_discarded()) throw data_error(fmt::format("'{}' is not valid JSON", name));
  const double pixels =
      job.picture.enabled ? static_cast<double>(job.picture.width) * static_cast<double>(job.picture.height) : 0;
  const job::measured_run run = job::run_of_summary(summary, pixels, name);
  if (const std::string other = summary.value("physics", "?"); other != job::physics_of(job).name)
    throw usage_error(
        fmt::format("--like {}: the physics of these results is {}, but the job has {}", folder, other, job.physics));
  job::stage_costs costs = job::costs_of(run, nullptr);
  const job::stage_costs usual = job::costs_of_physics(job, size.work);
  costs.start = usual.start;
  costs.report = usual.report;
  costs.source = fmt::format("stages of '{}' on {} ranks", name, run.ranks);
  costs.spread = 0.15;
  costs.iterations_spread = 0.05;
  return costs;
}

job::stage_costs find_costs(const estimate_options& o, const job::spec& spec, const job::job_size& size, int ranks,
                            std::vector<std::string>& assumed, log_sink& log) {
  if (!o.costs.empty()) return job::parse_costs(read_text(o.costs), o.costs);
  if (!o.like.empty()) return costs_of_result(spec, size, o.like);
  if (!o.quick && size.imported) {
    const pilot_request request{o.job, o.set, ranks > 1, o.pilot_anew};
    if (const auto costs = costs_by_pilot(spec, size.header.shape, request, log)) return *costs;
  }
  assumed.push_back(
      size.imported ? "costs of another machine and 15 iterations are assumed; leave out --quick, or pass --like or --costs"
                    : "the image is not imported: size and solid share follow from its header and some planes; costs of "
                      "another machine and 15 iterations are assumed");
  if (!size.work.assumed.empty()) assumed.push_back(size.work.assumed);
  return job::costs_of_physics(spec, size.work);
}

job::plan_image image_of(const job::spec& spec, const job::job_size& size, const job::plan_limits& limits, log_sink& log) {
  // Larger models are not read, because a synthetic solid with the same volume fraction has equivalent messages.
  constexpr std::int64_t most_voxels_to_read = std::int64_t{1} << 28;
  const double elements = static_cast<double>(
      std::accumulate(size.header.active_per_plane.begin(), size.header.active_per_plane.end(), std::int64_t{0}));
  const index3 shape = size.header.shape;
  if (!size.imported || shape.volume() > most_voxels_to_read)
    return job::made_up_image(shape, elements / static_cast<double>(shape.volume()), limits, job::thinning_of(spec));
  const voxel::model_header header = io::read_model_header(size.model, log);
  return job::image_for_plans(header, io::read_model_planes(MPI_COMM_SELF, size.model, header, {{}, header.shape}), limits,
                              job::thinning_of(spec));
}

int estimate(const estimate_options& o) {
  const job::spec spec = job::read_job(o.job, o.script, o.set);
  terminal_sink log(is_interactive());
  job::warn_of_older_spellings(spec, log);
  const auto network = network_of(o);
  const job::job_size size = job::size_of(spec, o.count, log);
  job::estimation e = job::estimate(spec, size, o.ranks.value_or(0));
  const bool is_for_this_host =
      o.network.empty() && o.machine.empty() && e.ranks * e.threads <= std::max(cores_of_host(), e.threads);
  const double memory =
      std::max(static_cast<double>(e.memory_bytes_per_rank) * e.ranks, static_cast<double>(e.import_memory_bytes));
  if (const std::string lack = job::lack_of_memory(memory); is_for_this_host && !lack.empty()) log.warn(lack);

  job::time_question question;
  question.network = network;
  question.costs = find_costs(o, spec, size, e.ranks, question.assumed, log);
  if (!o.keep_costs.empty()) job::write_file(o.keep_costs, job::to_text(job::to_json(question.costs)));
  job::find_filters(spec);
  const serialized_mpi session("estimate");
  question.image = image_of(spec, size, question.limits, log);
  constexpr std::int64_t most_voxels =
      std::int64_t{1} << 23;  // takes one second for elasticity, because the virtual ranks compute no values
  if (size.imported && job::thinning_of(spec) == job::thinning::to_a_level && question.image->volume_factor != 1 &&
      size.header.shape.volume() <= most_voxels) {
    question.of_asked = image_of(spec, size, {.most_voxels = most_voxels, .counts_levels = false}, log);
    question.of_asked->stands_for.nodes_of_levels = question.image->stands_for.nodes_of_levels;
  }
  const job::time_estimate time = job::estimate_time(spec, size, e.ranks, question);

  e.cpu_seconds = time.solving_cpu_seconds();
  e.wall_seconds = time.solving_seconds();
  nlohmann::ordered_json answer = e.to_json();
  answer["time"] = time.to_json();
  write_json(o.json, answer);
  if (o.json != "-") fmt::print("{}{}", printable(e.to_text()), printable(time.to_text()));
  return 0;
}

}  // namespace

void add_estimate(registry& commands) {
  const auto o = std::make_shared<estimate_options>();
  command c = commands.add("estimate", "Predict memory and run time of a job", [o] { return estimate(*o); });
  add_job(c, o->job);
  c.add_option("-n,--ranks", o->ranks, "Number of MPI processes to estimate for").positive();
  c.add_option("--machine", o->machine, "Hosts and links: machine.json of `osteon probe` (default: this host)");
  c.add_option("--network", o->network,
               "Network model between hosts, such as fattree:16x8x4, or a JSON file (docs/reference/network.md)");
  c.add_option("--ranks-per-host", o->ranks_per_host,
               "Ranks per host (default: one per core), or per PU of the network (default: as many as fill it, at most 512)")
      .positive();
  c.add_option("--like", o->like, "Use times and iterations of the results of a similar job");
  c.add_option("--costs", o->costs, "Read cost constants from this file (written by --keep-costs)");
  c.add_option("--keep-costs", o->keep_costs, "Write cost constants to this file");
  c.add_flag("--quick", o->quick, "Skip the pilot, which runs the job on two small pieces of its image");
  c.add_flag("--pilot-anew", o->pilot_anew, "Repeat the pilot although its constants are stored");
  c.add_flag("--count", o->count,
             "Import and count images of any size (default: sample images larger than 64 MiB that are not imported)");
  add_set(c, o->set);
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer(
      "Examples:\n  osteon estimate examples/bone.toml --ranks 64\n"
      "  osteon estimate examples/bone.toml -n 4096 --network fattree:16x8x4,rate=10Gbit/s --ranks-per-host 8");
}

}  // namespace osteon::app
