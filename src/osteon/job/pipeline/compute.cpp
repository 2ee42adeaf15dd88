#include <osteon/job/pipeline/compute.hpp>

#include <osteon/job/pipeline/job_state.hpp>
#include <utility>

namespace osteon::job {

job_state::job_state(MPI_Comm c, spec j, sinks where, const checkpoint_options& checkpoints, std::string command_line,
                     std::string start, log_sink& sink)
    : comm(c),
      job(std::move(j)),
      to(where),
      options(checkpoints),
      command(std::move(command_line)),
      started(std::move(start)),
      log(sink),
      physics(physics_of(job)),
      paths(job),
      clock(comm, log),
      cpu_before(has_files() ? 0 : cpu_seconds()) {
  if (options.trace_messages) counting.emplace(comm);
}

std::span<const stage* const> all_stages() {
  // Pictures are written last. If a picture fails, the results are then already on disk.
  static constexpr const stage* stages[] = {&read_stage,    &solve_stage, &write_stage,
                                            &picture_stage, &film_stage,  &report_stage};
  return stages;
}

void run_stages(job_state& state) {
  for (const stage* s : all_stages())
    if (s->is_requested(state.job, state.to)) s->run(state);
}

nlohmann::ordered_json compute(MPI_Comm comm, const spec& job, const std::string& command, const std::string& started,
                               log_sink& log, const checkpoint_options& checkpoints) {
  job_state state(comm, job, sinks::files, checkpoints, command, started, log);
  run_stages(state);
  return std::move(state.summary);
}

}  // namespace osteon::job
