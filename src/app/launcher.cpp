#include <app/launcher.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <app/terminal.hpp>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/job/manifest.hpp>

extern char** environ;

namespace osteon::app {

namespace {

// The one process that a signal is passed on to; handlers cannot be given arguments.
std::atomic<pid_t> started{0};

void pass_on(int number) {
  if (const pid_t pid = started.load(); pid > 0) kill(pid, number);
}

// mpirun would end the ranks a second after SIGTERM: it is told by SIGUSR1, which it hands to them. A second SIGTERM does
// not wait for a checkpoint.
void ask_to_stop(int number) {
  pass_on(SIGUSR1);
  if (number == SIGTERM) signal(SIGTERM, pass_on);
}

}  // namespace

bool under_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (std::getenv(name)) return true;
  return false;
}

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0) throw machine_error("cannot find the path of the osteon program in /proc/self/exe");
  return {path.data(), static_cast<std::size_t>(length)};
}

int start_ranks(int ranks, int threads, const std::vector<std::string>& arguments) {
  setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  setenv("OSTEON_INTERACTIVE", is_interactive() ? "1" : "0", 1);
  // A laptop's user may be root in a container; Open MPI asks twice.
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const bool crowded = static_cast<std::int64_t>(ranks) * threads > job::usable_cores();
  if (crowded) {  // those who wait must not keep a core from those who work
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
  }

  const char* chosen = std::getenv("OSTEON_MPIRUN");
  std::vector<std::string> words{
      chosen && *chosen ? chosen : "mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", std::to_string(ranks)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (const int failed = posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ); failed != 0)
    throw machine_error(
        fmt::format("cannot start '{}': {}; install Open MPI (openmpi-bin), or set OSTEON_MPIRUN to its mpirun",
                    words.front(), std::strerror(failed)));
  started = pid;
  struct sigaction action{};
  action.sa_handler = pass_on;
  std::array<struct sigaction, 3> before{};
  sigaction(SIGINT, &action, &before[0]);
  action.sa_handler = ask_to_stop;
  sigaction(SIGTERM, &action, &before[1]);
  sigaction(SIGUSR1, &action, &before[2]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  started = 0;
  sigaction(SIGINT, &before[0], nullptr);
  sigaction(SIGTERM, &before[1], nullptr);
  sigaction(SIGUSR1, &before[2], nullptr);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace osteon::app
