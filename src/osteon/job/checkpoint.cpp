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
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/checkpoint_file.hpp>
#include <osteon/io/files/model_header_bytes.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

constexpr const char* ending = ".checkpoint";
constexpr double short_solve_s = 10;  // a resumed job repeats solves that take less time

bool is_ours(const std::string& name) {
  return (name.starts_with("slot_") || name.starts_with("solve_")) && name.find(ending) != std::string::npos;
}

/// SHA-256 of the content of a model. The content is the header, and a sum over the voxels that is independent of their
/// order. @collective
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
  stopwatch since_save, since_begin;
  int solve = -1, due = 0;
  std::int64_t sequence = 0;
  int slot = 0;                       ///< slot of the next checkpoint
  std::optional<saved_file> running;  ///< the state that was found in the directory
  std::optional<saved_file> current;  ///< the state that begin() has returned
  bool is_finished = false;           ///< true if the solve of `current` is finished

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
    else
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
    const std::int64_t bytes = io::write_checkpoint(path, points, solution.vectors, facts);
    ++sequence;
    return bytes;
  }

  [[noreturn]] void leave(const numerics::solver_state& solution) const {
    throw interrupted_error(fmt::format("stopped on request {}; continue with: osteon resume '{}'", progress_of(solution),
                                        fs::absolute(directory).string()));
  }

  /// Write a state, and log its size and the time of writing.
  void write_and_log(const std::string& path, const numerics::solver_state& solution, bool finished) {
    const stopwatch clock;
    const std::int64_t bytes = write(path, solution, finished);
    const double seconds = clock.seconds();
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
}

file_checkpointer::~file_checkpointer() = default;

numerics::checkpointer::found file_checkpointer::begin() {
  state& s = *state_;
  ++s.solve;
  s.since_begin.restart();
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

bool file_checkpointer::is_due(std::int64_t /*done*/) {
  state& s = *state_;
  const bool is_time = s.is_root() && s.every_s > 0 && s.since_save.seconds() >= s.every_s;
  s.due = s.options.is_to_stop && s.options.is_to_stop() ? 2 : is_time ? 1 : 0;
  comm::all_reduce(s.comm, &s.due, 1, MPI_MAX);
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
  const bool is_to_stop = s.options.is_to_stop && s.options.is_to_stop();
  int asked[2] = {s.is_root() && s.since_begin.seconds() >= s.keep_from_s, is_to_stop};
  comm::all_reduce(s.comm, asked, 2, MPI_MAX);
  const auto [is_worth_it, has_to_leave] = asked;
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
