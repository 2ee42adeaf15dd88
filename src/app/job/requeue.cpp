#include <app/job/requeue.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/job/batch_job.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::app {

namespace {

constexpr int most_idle_restarts = 3;
constexpr double longest_answer_s = 20;

job::program_result ask(const std::vector<std::string>& command) {
  const stopwatch clock;
  return job::run_program(command, [&] { return clock.seconds() > longest_answer_s; });
}

std::optional<allocation> slurm_job() {
  auto batch = allocation_of(own_variable);
  if (batch && batch->system != batch_system::slurm) batch.reset();
  return batch;
}

// Number of restarts of this job without an iteration since the last one. The file is in the checkpoint folder, so that all
// hosts find it.
int count_idle_restarts(const job::spec& job, const std::string& number) {
  const std::string folder = job::checkpoint_directory(job), file = folder + "/" + job::requeue_file;
  const std::string progress = job::checkpoint_progress(folder);
  std::error_code failed;
  nlohmann::json before = nlohmann::json::object();
  try {
    if (std::filesystem::exists(file, failed)) before = json_from_text<nlohmann::json>(read_text(file));
  } catch (const std::exception&) {  // a damaged file counts as the first restart
  }
  int idle = 0;
  if (before.is_object() && before.value("job", "") == number && before.value("progress", "") == progress)
    idle = before.value("restarts_without_iteration", 0) + 1;
  std::filesystem::create_directories(folder, failed);
  job::write_file(
      file, nlohmann::json{{"job", number}, {"progress", progress}, {"restarts_without_iteration", idle}}.dump() + "\n");
  return idle;
}

}  // namespace

void require_requeue_is_possible() {
  if (!slurm_job()) throw usage_error("--requeue requires a batch job of Slurm; start the job by sbatch, or use --resume");
}

int requeue_if_stopped(const job::spec& job, int code, log_sink& log) {
  const auto batch = slurm_job();
  if (!batch || code != exit_code(error_kind::interrupted)) return code;
  const std::string& number = batch->job;
  // Slurm also stops a job that its user cancels; this job is then in the state COMPLETING.
  const job::program_result state = ask({"squeue", "--noheader", "--jobs=" + number, "--format=%T"});
  if (!state.out.starts_with("RUNNING")) {
    log.note(fmt::format("Slurm job {} is ending; it is not queued again", number));
    return code;
  }
  const int idle = count_idle_restarts(job, number);
  if (idle >= most_idle_restarts) {
    log.warn(
        fmt::format("Slurm job {} was restarted {} times without an iteration; it is not queued again: request more time or "
                    "memory, and submit it with --resume",
                    number, idle));
    return code;
  }
  log.note(fmt::format("queueing Slurm job {} again", number));
  const job::program_result done = ask({"scontrol", "requeue", number});
  if (done.exit_code == 0) return code;
  log.warn(fmt::format("Slurm job {} cannot be queued again: {}; submit it again with --resume", number,
                       done.err.substr(0, done.err.find('\n'))));
  return exit_code(error_kind::machine);
}

}  // namespace osteon::app
