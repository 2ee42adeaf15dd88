#include <app/process/launcher.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <app/process/front_link.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher_variables.hpp>
#include <app/process/parent_process.hpp>
#include <app/process/srun.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <common/run_folder.hpp>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/job/batch_job.hpp>
#include <osteon/job/system_info.hpp>
#include <string>
#include <string_view>

extern char** environ;

namespace osteon::app {

namespace {

// Return the folder that Open MPI also chooses.
std::string folder_for_temporaries() {
  for (const char* name : {"OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base", "TMPDIR", "TEMP", "TMP"})
    if (const char* folder = std::getenv(name); folder && *folder) return folder;
  return "/tmp";
}

// Check the free space of the folder for temporary files. mpirun and its ranks exchange addresses in this folder. If the
// folder is full, Open MPI 4 fails in MPI_Init of one rank, and its mpirun never ends.
// @throws machine_error
void require_room_for_launcher(int ranks) {
  if (job::this_build().mpi.find("Open MPI") == std::string::npos) return;
  const std::string folder = folder_for_temporaries();
  struct statvfs system{};
  if (statvfs(folder.c_str(), &system) != 0)
    throw machine_error(fmt::format("cannot use the folder for temporary files '{}': {}; set TMPDIR to a writable folder",
                                    folder, std::strerror(errno)));
  // Open MPI 4.1 used 8.2 MB for 2 to 16 ranks. Each additional rank needs space for sockets and small files.
  const double megabyte = 1e6, needed = 12 * megabyte + 0.064 * megabyte * ranks;
  const double free = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
  if (free < needed)
    throw machine_error(
        fmt::format("the folder for temporary files '{}' has {:.1f} MB of free space, but mpirun requires {:.1f} MB for {} "
                    "ranks; free space, or set TMPDIR to another folder",
                    folder, free / megabyte, needed / megabyte, ranks));
}

// Set environment variables of launchers, because the options of launchers differ. The variables allow more ranks than cores
// and the user root (containers). The variables disable binding and messages about exit codes, because osteon binds ranks
// and prints errors itself.
void set_up_launchers() {
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           // Open MPI 4
           {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
           {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
           {"OMPI_MCA_orte_execute_quiet", "1"},
           {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
           {"OMPI_MCA_hwloc_base_binding_policy", "none"},
           {"OMPI_MCA_ess_singleton_isolated", "1"},  // a rank without a launcher starts no daemon
           // Open MPI 5
           {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
           {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
           {"PRTE_MCA_prte_execute_quiet", "1"},
           {"PRTE_MCA_rmaps_default_mapping_policy", ":OVERSUBSCRIBE"},
           {"PRTE_MCA_hwloc_default_binding_policy", "none"}})
    setenv(name, value, 1);
}

// Keep mpirun from the other hosts of a Slurm job, which it would reach by srun.
void use_this_host_only() {
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{{"OMPI_MCA_plm", "isolated"},
                                                                                              {"OMPI_MCA_ras", "^slurm"},
                                                                                              {"PRTE_MCA_ras", "^slurm"},
                                                                                              {"HYDRA_RMK", "user"},
                                                                                              {"HYDRA_LAUNCHER", "fork"}})
    setenv(name, value, 1);
}

// Value of a variable; empty if unset.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A single rank is a complete MPI world and starts faster without a launcher. In an allocation of a batch system some MPIs
// require a step.
bool needs_no_launcher(int ranks) { return ranks == 1 && variable("OSTEON_MPIRUN").empty() && !std::getenv("SLURM_JOB_ID"); }

// Return the launcher that the user selected, the launcher of the MPI in use (python/osteon/processes/installed_program.py),
// or the launcher in PATH.
std::string launcher() {
  for (const char* name : {"OSTEON_MPIRUN", "OSTEON_MPIRUN_BESIDE"})
    if (const std::string_view found = variable(name); !found.empty()) return std::string(found);
  return "mpirun";
}

// Start the launcher in a new session. Ctrl-C must reach only this process, which ends the ranks in order, whereas a
// launcher would end the ranks immediately. The launcher inherits the lock of the run's folder as a descriptor.
pid_t spawn_in_new_session(std::vector<std::string>& arguments, answer_by by, int inherited) {
  std::vector<char*> argv;
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (by == answer_by::ranks) posix_spawn_file_actions_adddup2(&actions, answer_descriptor(), STDOUT_FILENO);
  if (inherited >= 0) posix_spawn_file_actions_adddup2(&actions, inherited, inherited);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw machine_error(
        fmt::format("cannot start '{}': {}; install Open MPI (openmpi-bin), or set OSTEON_MPIRUN to the mpirun "
                    "of the MPI that osteon was built with",
                    arguments.front(), std::strerror(failed)));
  return pid;
}

using monotonic = std::chrono::steady_clock;
constexpr auto never = monotonic::time_point::max();

// Exit status of a launcher.
struct launcher_end {
  int status = 0;
  bool was_left_over = false;  ///< the launcher did not end after its ranks and was killed
};

// Kills the process group of a launcher that does not end after its ranks.
class launcher_ending {
 public:
  explicit launcher_ending(pid_t pid) : pid_(pid) {}
  /// Request the end of the launcher. After `patience`, poll() kills the launcher.
  void begin() {
    if (began_ != never) return;
    began_ = monotonic::now();
    kill(-pid_, SIGTERM);
  }
  void poll() const {
    if (monotonic::now() - began_ > patience) kill(-pid_, SIGKILL);
  }
  void by_force() const { kill(-pid_, SIGKILL); }

 private:
  static constexpr std::chrono::seconds patience{3};
  pid_t pid_;
  monotonic::time_point began_ = never;
};

// Wait for the launcher or the only rank, and forward stop requests to the ranks.
launcher_end wait_for_launcher(pid_t pid, rank_line& line) {
  using namespace std::chrono_literals;
  constexpr auto patience_with_launcher = 15s;  // waiting time after the end of the last rank on this host
  const auto start = monotonic::now();
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));  // -1 before Linux 5.3
  const auto longest = ended < 0 ? 20ms : 200ms;
  int sent_urgency = 0;
  bool by_signal = false;
  launcher_end end;
  launcher_ending ending(pid);
  auto without_ranks = never;
  while (waitpid(pid, &end.status, WNOHANG) != pid) {
    line.wait(ended, longest);
    const int urgency = stop_urgency();
    if (urgency > sent_urgency) {
      sent_urgency = urgency;
      line.tell(urgency);
      if (urgency == 2) ending.begin();
      if (urgency > 2) ending.by_force();
    }
    ending.poll();
    // If no rank has connected on this host, stop the ranks through the launcher, which forwards SIGUSR1 to ranks on other
    // hosts.
    if (sent_urgency == 1 && !by_signal && !line.has_ranks() && monotonic::now() - start > 10s) {
      by_signal = true;
      kill(pid, SIGUSR1);
    }
    if (!line.has_ranks() || line.connected() > 0) {
      without_ranks = never;
    } else if (without_ranks == never) {
      without_ranks = monotonic::now();
    } else if (monotonic::now() - without_ranks > patience_with_launcher) {
      end.was_left_over = true;
      ending.begin();
    }
  }
  if (ended >= 0) close(ended);
  line.listen();
  return end;
}

// Start the launcher with a folder for temporary files, and wait for its end.
launcher_end run_launcher(std::vector<std::string>& command, answer_by by, rank_line& line) {
  const run_folder folder;
  const pid_t pid = [&] {
    const tmpdir_of_run meanwhile(folder);
    return spawn_in_new_session(command, by, folder.lock());
  }();
  return wait_for_launcher(pid, line);
}

}  // namespace

bool under_launcher(int wanted) {
  if (parent()) return true;  // the parent starts a single rank without a launcher
  const std::optional<int> count = launched_processes();
  return count && !(*count == 1 && wanted > 1);
}

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) throw machine_error("cannot read the path of the program from /proc/self/exe");
  return {path.data(), static_cast<std::size_t>(length)};
}

void reject_independent_copies(int world_size) {
  if (world_size > 1) return;
  const int started = std::max({parent() ? parent()->ranks : 0, launched_processes().value_or(0), processes_of_step()});
  if (started <= 1) return;
  // All processes reach this point independently. Only one process prints the message.
  if (launched_rank() > 0) throw usage_error("");
  const std::string mpi = job::this_build().mpi;
  if (!parent() && processes_of_step() > 1)
    throw usage_error(
        fmt::format("srun started {} independent copies of osteon, each of which would compute the whole job; use srun "
                    "--mpi={}, the interface of {} (srun --mpi=list shows the types){}, or start one process, which starts "
                    "its ranks itself",
                    started, mpi_type_of_srun(mpi), mpi,
                    mpi.find("Intel") != std::string::npos && !std::getenv("I_MPI_PMI_LIBRARY")
                        ? ", and set I_MPI_PMI_LIBRARY to libpmi2.so of Slurm"
                        : ""));
  throw usage_error(
      fmt::format("{} processes were started without a common MPI world: the launcher does not belong to the MPI of this "
                  "build ({}); use the mpirun of that MPI, or set OSTEON_MPIRUN to it",
                  started, mpi));
}

int start_ranks(int ranks, int threads, const std::vector<std::string>& arguments, answer_by by,
                const job::image_digests& digests) {
  reject_independent_copies(1);
  drop_launcher_variables();
  const std::optional<allocation> batch = allocation_of(own_variable);
  const srun_choice by_srun = choose_srun(batch, job::this_build().mpi);
  if (!needs_no_launcher(ranks) && by_srun.mpi_type.empty()) require_room_for_launcher(ranks);
  setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  set_up_launchers();
  if (!by_srun.reason.empty()) use_this_host_only();
  const bool crowded = batch && !batch->cores.empty()
                           ? static_cast<std::int64_t>(ranks) * threads >
                                 std::accumulate(batch->cores.begin(), batch->cores.end(), std::int64_t{0})
                           : static_cast<std::int64_t>(ranks) * threads > job::usable_cores();
  if (crowded) {  // there are more ranks than cores, so that waiting ranks must yield their core to computing ranks
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
  }

  note_stop_signals();
  wait_for_ranks(true);
  rank_line line;
  parent_process self;
  self.ranks = ranks;
  self.interactive = is_interactive();
  self.time = start_time();
  self.images = digests.images;
  self.labels = digests.labels;
  line.describe(self);
  std::vector<std::string> command;
  if (!by_srun.mpi_type.empty()) {
    command = srun_command(by_srun, *batch, ranks, threads);
  } else if (!needs_no_launcher(ranks)) {
    command = {launcher(), "-np", std::to_string(ranks)};
  }
  command.insert(command.end(), {own_path(), started_by(self)});
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto [status, was_left_over] = run_launcher(command, by, line);
  wait_for_ranks(false);
  if (stop_urgency() > 1) {
    print_message("osteon: ended immediately\n");
    return was_stopped_from_keyboard() ? 128 + SIGINT : 128 + SIGTERM;
  }
  if (was_left_over && !line.exit_code())
    throw machine_error(
        fmt::format("the ranks ended without an exit code; '{}' did not end after them and was killed", command[0]));
  int code = line.exit_code().value_or(0);
  if (code == 0 && !was_left_over) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code == exit_code(error_kind::interrupted) ? program_exit_code(error_kind::interrupted) : code;
}

}  // namespace osteon::app
