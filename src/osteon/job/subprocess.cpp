#include <osteon/job/subprocess.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <osteon/base/error.hpp>

extern char** environ;

namespace osteon::job {

program_result run_program(const std::vector<std::string>& arguments, const stop_query& is_to_stop) {
  std::array<int, 2> out{}, err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0) throw machine_error(std::string("cannot create a pipe: ") + std::strerror(errno));
  if (pipe2(err.data(), O_CLOEXEC) != 0) {
    close(out[0]), close(out[1]);
    throw machine_error(std::string("cannot create a pipe: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);

  program_result result;
  // Both pipes are read concurrently. Otherwise, a deadlock would be possible: the program waits until one pipe is read,
  // while this process waits for the other pipe.
  std::array<pollfd, 2> pipes{pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
  std::array<std::string*, 2> text{&result.out, &result.err};
  std::array<char, 4096> buffer;
  const int patience_ms = is_to_stop ? 50 : -1;
  for (int open = 2; open > 0;) {
    const int ready = poll(pipes.data(), pipes.size(), patience_ms);
    if (ready < 0 && errno != EINTR) break;
    if (failed == 0 && is_to_stop && is_to_stop()) kill(pid, SIGTERM);
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      const ssize_t count = read(pipes[i].fd, buffer.data(), buffer.size());
      if (count > 0) {
        text[i]->append(buffer.data(), static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        close(pipes[i].fd);
        pipes[i].fd = -1;
        --open;
      }
    }
  }
  if (failed != 0) {
    result.exit_code = 127;
    result.err = "cannot start '" + arguments.front() + "': " + std::strerror(failed);
    return result;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

bool lacks_package(const program_result& result) {
  return result.exit_code == exit_code(error_kind::machine) && result.err.starts_with("the Python package '");
}

void require_python_packages(const program_result& result) {
  if (result.exit_code == exit_code(error_kind::usage) && result.err.find("nknown option: -P") < 3)
    throw machine_error(
        "the Python interpreter is older than 3.11, the minimum of the osteon package; set OSTEON_PYTHON to a newer "
        "interpreter");
  if (!lacks_package(result)) return;
  throw machine_error(result.err.substr(0, result.err.find('\n')));
}

std::vector<std::string> python_command(std::vector<std::string> arguments) {
  const char* chosen = std::getenv("OSTEON_PYTHON");
  arguments.insert(arguments.begin(), {chosen && *chosen ? chosen : "python3", "-P"});
  return arguments;
}

}  // namespace osteon::job
