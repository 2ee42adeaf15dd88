#include <osteon/job/checkpoint.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <osteon/base/digest.hpp>
#include <osteon/base/splitmix.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/host_memory.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/checkpoint_file.hpp>
#include <osteon/io/files/model_header_bytes.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/job/batch_job.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

constexpr const char* ending = ".checkpoint";
constexpr double short_solve_s = 10;  // a resumed job repeats solves that take less time

bool is_ours(const std::string& name) {
  if (name == requeue_file) return true;
  return (name.starts_with("slot_") || name.starts_with("solve_")) && name.find(ending) != std::string::npos;
}

// Time limits of batch jobs. Slurm rounds limits, and needs some seconds for the end of a job. A rate that slow file systems
// reach predicts the time of the first checkpoint; later checkpoints are measured.
constexpr double reserve_s = 15, bytes_per_second = 50e6, bytes_of_voxel = 100;

/// SHA-256 of the content of a model: the header, and a sum over the voxels that is independent of their order. @collective
std::string digest_of_model(const local_model& part) {
  std::uint64_t sum = 0;
  const std::uint64_t numbers = part.header.materials.size() <= 256 ? 256 : most_materials + 1;
  const index3 n = part.header.shape, low = part.where.owned.begin;
  for (const voxel::run& r : part.cells.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const std::int64_t place = ((low.z + r.z) * n.y + low.y + r.y) * n.x + low.x + r.x + i;
      sum += splitmix64(static_cast<std::uint64_t>(place) * numbers + part.material[static_cast<std::size_t>(r.first + i)]);
    }
  comm::all_reduce(part.where.comm, &sum, 1, MPI_SUM);
  const std::vector<char> header = io::pack(part.header);
  sha256 digest;
  digest.update(std::as_bytes(std::span(header)));
  digest.update(std::as_bytes(std::span(&sum, 1)));
  return digest.hex();
}

struct saved_file {
  std::string path;
  io::checkpoint_index index;
};

std::string progress_of(const numerics::solver_state& state) {
  const auto number = [&](const char* name) { return static_cast<std::int64_t>(state.numbers.at(name).at(0)); };
  if (state.numbers.contains("steps")) return fmt::format("after step {}", number("steps"));
  return fmt::format("after iteration {}", number("iterations"));
}

}  // namespace

std::string checkpoint_directory(const spec& job) {
  return job.checkpoint.directory.empty() ? (fs::path(job.output_directory) / "checkpoint").string()
                                          : job.checkpoint.directory;
}

bool has_checkpoint(const std::string& directory) {
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (is_ours(name) && name.ends_with(ending)) return true;
  }
  return false;
}

std::string checkpoint_progress(const std::string& directory) {
  std::string latest, solves;
  std::int64_t highest = -1;
  std::error_code failed;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end; entry.increment(failed))
    files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (!is_ours(name) || !name.ends_with(ending)) continue;
    if (name.starts_with("solve_")) {
      solves += name + " ";
      continue;
    }
    try {
      const json facts = io::read_checkpoint_index(file.string()).facts;
      if (facts.value("sequence", std::int64_t{0}) <= highest) continue;
      highest = facts.value("sequence", std::int64_t{0});
      latest = fmt::format("solve {} {}", facts.value("solve", -1), facts.at("numbers").dump());
    } catch (const std::exception&) {  // a damaged slot: the job uses the other one
    }
  }
  return solves + latest;
}

struct file_checkpointer::state {
  state(MPI_Comm comm_, log_sink& log_, checkpoint_options options_, std::string directory_)
      : comm(comm_), log(log_), options(std::move(options_)), directory(std::move(directory_)) {}

  MPI_Comm comm;
  log_sink& log;
  checkpoint_options options;
  const spec* job = nullptr;
  std::string directory;
  json identity;  ///< identity of the job
  double every_s = 0, keep_from_s = 0;
  stopwatch since_save, since_begin, since_step;
  std::optional<allocation_end> end;       ///< on the first rank
  double longest_step_s = 0, write_s = 0;  ///< of iterations and checkpoints
  std::string reason = "on request";       ///< of a stop, equal on all ranks
  int solve = -1, due = 0;
  std::int64_t sequence = 0;
  int slot = 0;                       ///< slot of the next checkpoint
  std::optional<saved_file> running;  ///< the state found in the directory
  std::optional<saved_file> current;  ///< the state returned by begin()
  bool is_measured = false;           ///< write_s was measured
  bool is_finished = false;           ///< the solve of `current` is finished

  bool is_root() const { return comm::rank(comm) == 0; }
  std::string slot_path(int which) const { return (fs::path(directory) / fmt::format("slot_{}{}", which, ending)).string(); }
  std::string solve_path(int which) const {
    return (fs::path(directory) / fmt::format("solve_{}{}", which, ending)).string();
  }

  /// Return a file if the file is undamaged and belongs to this job. Otherwise, the result is empty. If the file exists,
  /// `why` receives the reason.
  std::optional<saved_file> open(const std::string& path, std::string& why) const {
    int exists = is_root() && fs::exists(path);
    MPI_Bcast(&exists, 1, MPI_INT, 0, comm);
    if (!exists) return std::nullopt;
    saved_file file{path, {}};
    try {
      comm::collectively(comm, [&] {
        file.index = io::read_checkpoint_index(path);
        const json& facts = file.index.facts;
        for (const auto& [key, text] : {std::pair{"model_sha256", "another model (different voxels or materials)"},
                                        std::pair{"keys_sha256", "another job (different keys that affect the answers)"}})
          if (facts.value(key, "") != identity.at(key))
            throw data_error(
                fmt::format("the checkpoint '{}' belongs to {}; start without --resume, or undo the changes", path, text));
      });
      io::verify_checkpoint(comm, path, file.index);
    } catch (const data_error& e) {
      why = e.what();
      return std::nullopt;
    }
    return file;
  }

  void find_slots() {
    std::vector<std::string> faults;
    for (int which = 0; which < 2; ++which) {
      std::string why;
      auto file = open(slot_path(which), why);
      if (!why.empty()) faults.push_back(why);
      if (!file) continue;
      const auto number = file->index.facts.value("sequence", std::int64_t{0});
      if (running && sequence > number) continue;
      sequence = number;
      slot = 1 - which;
      running = std::move(file);
    }
    if (running)
      for (const std::string& fault : faults) log.warn(fault + "; using the other slot");
    else if (!faults.empty())
      throw data_error(faults.front());
    else if (!has_checkpoint(directory))  // finished solves are reported later
      log.note(fmt::format("no checkpoint in '{}'; starting from iteration 0", directory));
  }

  std::int64_t write(const std::string& path, const numerics::solver_state& solution, bool finished) {
    json facts = identity;
    facts.update({{"sequence", sequence + 1},
                  {"solve", solve},
                  {"is_finished", finished},
                  {"solver", solution.solver},
                  {"numbers", solution.numbers},
                  {"ranks", comm::size(comm)},
                  {"written", utc_now()}});
    comm::collectively(comm, [&] {
      std::error_code failed;
      if (is_root()) fs::create_directories(directory, failed);
      if (failed)
        throw machine_error(
            fmt::format("cannot create the checkpoint folder '{}': {}; set another folder in checkpoint.directory",
                        directory, failed.message()));
    });
    const grid::plane_points points(solution.where, *solution.points, solution.are_nodes);
    // A rank holds the values that it sends and receives, and the numbers of the points.
    std::size_t width = 0;
    for (const grid::point_vector& v : solution.vectors)
      width = std::max(width, static_cast<std::size_t>(v.layout.components) * v.value_bytes());
    comm::check_job_memory(comm, static_cast<double>(points.most_points_at_once()) * (2.0 * width + 16), "a checkpoint",
                           "request more memory, or use more hosts");
    const std::int64_t bytes = io::write_checkpoint(path, points, solution.vectors, facts);
    ++sequence;
    return bytes;
  }

  [[noreturn]] void leave(const numerics::solver_state& solution) const {
    throw interrupted_error(fmt::format("stopped {} {}; continue with: osteon resume '{}'", reason, progress_of(solution),
                                        fs::absolute(directory).string()));
  }

  /// Time needed to complete the running iteration and to store a checkpoint, with a reserve for slower ones.
  double needed_s() const { return reserve_s + 2 * (write_s + longest_step_s); }

  /// Agree whether the job must stop: on request, or because the batch job ends before another iteration and its checkpoint
  /// would be complete. @param more further value, replaced by its maximum over the ranks @collective
  bool has_to_stop(int& more) {
    int asked[3] = {options.is_to_stop && options.is_to_stop(), -1, more};
    if (end && end->is_within(needed_s())) asked[1] = static_cast<int>(std::max(0.0, *end->seconds_left()));
    comm::all_reduce(comm, asked, 3, MPI_MAX);
    more = asked[2];
    if (!asked[0] && asked[1] >= 0) reason = fmt::format("{} s before the end of the batch job", asked[1]);
    return asked[0] || asked[1] >= 0;
  }

  /// Write a state, and log its size and time.
  void write_and_log(const std::string& path, const numerics::solver_state& solution, bool finished) {
    const stopwatch clock;
    const std::int64_t bytes = write(path, solution, finished);
    const double seconds = clock.seconds();
    write_s = std::max(is_measured ? write_s : 0.0, seconds);
    is_measured = true;
    log.note(fmt::format("checkpoint {}: '{}', {:.1f} MB in {:.2f} s ({:.1f} % of the time since the previous one)",
                         progress_of(solution), path, static_cast<double>(bytes) * 1e-6, seconds,
                         100 * seconds / std::max(since_save.seconds(), seconds)));
    since_save.restart();
  }
};

file_checkpointer::file_checkpointer(const spec& job, const local_model& part, const checkpoint_options& options,
                                     log_sink& log)
    : state_(std::make_unique<state>(part.where.comm, log, options, checkpoint_directory(job))) {
  struct state& s = *state_;
  s.job = &job;
  s.every_s = 60 * job.checkpoint.every_minutes;
  s.keep_from_s = s.every_s > 0 ? std::min(short_solve_s, s.every_s) : short_solve_s;
  s.identity = {{"keys_sha256", digest_of_keys(job)},
                {"model_sha256", digest_of_model(part)},
                {"job_file", fs::absolute(job.file).string()},
                {"output_directory", fs::absolute(job.output_directory).string()},
                {"changes", job.changes}};
  if (s.is_root())
    for (const int which : {0, 1}) io::remove_orphans(s.slot_path(which));
  if (options.resume) s.find_slots();
  double cells = static_cast<double>(part.cells.size());
  comm::all_reduce(s.comm, &cells, 1, MPI_SUM);
  s.write_s = cells * bytes_of_voxel / bytes_per_second;
  if (!s.is_root()) return;
  s.end.emplace();
  const auto left = s.end->seconds_left();
  if (left && *left < s.needed_s())
    log.warn(fmt::format("{} ends in {:.0f} s, but an iteration and a checkpoint may need {:.0f} s; request more time",
                         s.end->name(), std::max(0.0, *left), s.needed_s()));
}

file_checkpointer::~file_checkpointer() = default;

numerics::checkpointer::found file_checkpointer::begin() {
  state& s = *state_;
  ++s.solve;
  s.since_begin.restart();
  s.since_step.restart();
  s.current.reset();
  s.is_finished = false;
  if (s.is_root()) io::remove_orphans(s.solve_path(s.solve));
  if (!s.options.resume) return found::nothing;
  std::string why;
  s.current = s.open(s.solve_path(s.solve), why);
  if (!why.empty()) s.log.warn(why + "; solving this part again");
  s.is_finished = s.current.has_value();
  if (s.is_finished) return found::finished;
  if (!s.running || s.running->index.facts.value("solve", -1) != s.solve) return found::nothing;
  s.current = std::exchange(s.running, std::nullopt);
  return found::running;
}

void file_checkpointer::restore(numerics::solver_state& solution) {
  const std::string& path = state_->current->path;
  const io::checkpoint_index& index = state_->current->index;
  comm::collectively(state_->comm, [&] {
    if (index.facts.value("solver", "") != solution.solver)
      throw data_error(
          fmt::format("the checkpoint '{}' was written by another version of osteon; start without --resume", path));
    try {
      solution.numbers = index.facts.at("numbers").get<decltype(solution.numbers)>();
    } catch (const json::exception& e) {
      throw data_error(fmt::format("cannot resume from checkpoint '{}': {}", path, e.what()));
    }
  });
  const grid::plane_points points(solution.where, *solution.points, solution.are_nodes);
  io::read_checkpoint(path, index, points, solution.vectors);
  state_->log.note(
      fmt::format("{} {} of '{}'", state_->is_finished ? "already solved" : "resumed", progress_of(solution), path));
}

bool file_checkpointer::is_due(std::int64_t done) {
  state& s = *state_;
  if (done > 0) s.longest_step_s = std::max(s.longest_step_s, s.since_step.seconds());
  s.since_step.restart();
  const bool is_time = s.is_root() && s.every_s > 0 && s.since_save.seconds() >= s.every_s;
  s.due = is_time;
  if (s.has_to_stop(s.due)) s.due = 2;
  return s.due > 0;
}

void file_checkpointer::pass() {
  stop_together_if_requested(state_->comm, state_->options.is_to_stop, *state_->job, "setting up the solver");
}

void file_checkpointer::save(const numerics::solver_state& solution) {
  state& s = *state_;
  const std::string path = s.slot_path(s.slot);
  try {
    s.write_and_log(path, solution, false);
    s.slot = 1 - s.slot;
  } catch (const machine_error& e) {
    if (s.due == 2) throw;
    s.log.warn(fmt::format("no checkpoint: {}", e.what()));  // a failed checkpoint must not end the job
    s.since_save.restart();
  }
  if (s.due == 2) s.leave(solution);
}

void file_checkpointer::finish(const numerics::solver_state& solution) {
  state& s = *state_;
  int is_worth_it = s.is_root() && s.since_begin.seconds() >= s.keep_from_s;
  const bool has_to_leave = s.has_to_stop(is_worth_it);
  try {
    if (!s.is_finished && (is_worth_it || has_to_leave)) s.write_and_log(s.solve_path(s.solve), solution, true);
  } catch (const machine_error& e) {
    if (has_to_leave) throw;
    s.log.warn(fmt::format("no checkpoint: {}", e.what()));
  }
  if (has_to_leave) s.leave(solution);
}

void file_checkpointer::remove() {
  if (!state_->is_root()) return;
  std::error_code failed;
  if (!fs::is_directory(state_->directory, failed)) return;  // not a checkpoint directory
  for (const auto& entry : fs::directory_iterator(state_->directory, failed)) {
    std::error_code ignored;
    if (is_ours(entry.path().filename().string())) fs::remove(entry.path(), ignored);
  }
  fs::remove(state_->directory, failed);  // the call fails unless the directory is empty
}

resumable find_resumable(const std::string& directory) {
  fs::path folder(directory);
  std::error_code failed;
  if (fs::is_regular_file(folder, failed)) folder = folder.parent_path();
  // the user has specified the output directory
  if (fs::is_directory(folder / "checkpoint", failed)) folder /= "checkpoint";
  std::string why;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (!is_ours(name) || !name.ends_with(ending)) continue;
    try {
      const json facts = io::read_checkpoint_index(entry.path().string()).facts;
      return {facts.at("job_file").get<std::string>(), facts.at("output_directory").get<std::string>(), folder.string(),
              facts.value("changes", std::vector<std::string>{})};
    } catch (const data_error& e) {
      why = e.what();
    } catch (const json::exception&) {
      why = fmt::format("'{}' does not identify its job", entry.path().string());
    }
  }
  throw data_error(
      why.empty()
          ? fmt::format(
                "no checkpoint in '{}'; give the checkpoint folder of the job (default: checkpoint in the output directory)",
                directory)
          : why);
}

}  // namespace osteon::job
