#include <bridge/launch/child_process.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bridge/error.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

extern char** environ;

namespace osteon::bridge::launch {

namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> p{};
  if (pipe2(p.data(), O_CLOEXEC) != 0)
    throw machine_error(fmt::format("cannot create a pipe for a child process: {}", std::strerror(errno)));
  return p;
}

/// Write the complete script to a pipe before the shell reads the script. If a running shell ended early, writing to the
/// shell would raise SIGPIPE in this process. For example, ssh ends early if the login fails.
void fill(int fd, const std::string& text, const std::string& name) {
  const int bytes = static_cast<int>(text.size());
  if (fcntl(fd, F_GETPIPE_SZ) < bytes) fcntl(fd, F_SETPIPE_SZ, bytes);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  const ssize_t written = text.empty() ? 0 : write(fd, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()))
    throw usage_error(
        fmt::format("{}: its start script has {} bytes, more than the capacity of a pipe; shorten the "
                    "program's arguments, or put them into a file",
                    name, bytes));
}

}  // namespace

child_process::child_process(std::string name, const std::vector<std::string>& command, const std::string& input,
                             listener heard, int inherited)
    : name_(std::move(name)), heard_(std::move(heard)) {
  const auto in = make_pipe();
  try {
    fill(in[1], input, name_);
  } catch (...) {
    close(in[0]), close(in[1]);
    throw;
  }
  const auto out = make_pipe(), err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  if (inherited >= 0) posix_spawn_file_actions_adddup2(&actions, inherited, inherited);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int failed = posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  out_.fd = out[0];
  err_.fd = err[0];
  if (failed != 0) {
    for (const int fd : {in[1], out[0], err[0]}) close(fd);
    throw machine_error(fmt::format("{}: cannot start '{}': {}", name_, command.front(), std::strerror(failed)));
  }
  close(in[1]);
  fcntl(out_.fd, F_SETFL, O_NONBLOCK);
  fcntl(err_.fd, F_SETFL, O_NONBLOCK);
}

child_process::child_process(child_process&& other) noexcept
    : name_(std::move(other.name_)),
      heard_(std::move(other.heard_)),
      pid_(std::exchange(other.pid_, -1)),
      ended_(other.ended_),
      status_(other.status_),
      out_(std::exchange(other.out_, stream{})),
      err_(std::exchange(other.err_, stream{})) {}

child_process::~child_process() {
  for (const int fd : {out_.fd, err_.fd}) {
    if (fd >= 0) close(fd);
  }
  if (pid_ <= 0 || ended_) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
}

void child_process::print(const std::string& line, std::FILE* to) const {
  if (!heard_ || heard_(line)) fmt::print(to, "[{}] {}\n", name_, line);
}

bool child_process::read_from(stream& s, std::FILE* to) {
  std::array<char, 65536> part;
  while (s.fd >= 0) {
    const ssize_t n = read(s.fd, part.data(), part.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n <= 0) {
      close(std::exchange(s.fd, -1));
      return false;
    }
    for (const char c : std::string_view(part.data(), static_cast<std::size_t>(n))) {
      if (c != '\n') {
        s.line += c;
        continue;
      }
      print(s.line, to);
      s.line.clear();
    }
    std::fflush(to);
  }
  return false;
}

bool child_process::flush() {
  const bool more_output = read_from(out_, stdout);
  const bool more_errors = read_from(err_, stderr);
  return more_output || more_errors;
}

void child_process::hand_on_rest() {
  flush();
  if (!out_.line.empty()) print(std::exchange(out_.line, ""), stdout);
  if (!err_.line.empty()) print(std::exchange(err_.line, ""), stderr);
}

bool child_process::ended() {
  if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) {
    ended_ = true;
    // Other processes of the process group must end together with the child.
    kill(-pid_, SIGTERM);
  }
  return ended_;
}

void child_process::signal(int number) const {
  if (pid_ > 0 && !ended_) kill(-pid_, number);
}

int reported_signal(const std::string& line) {
  // These lines are written by Hydra of MPICH, and by mpirun and prterun of Open MPI.
  const bool is_report =
      line.find("EXIT STRING:") != std::string::npos || line.find("noticed that process") != std::string::npos;
  const auto at = is_report ? line.rfind("signal ") : std::string::npos;
  const int number = at == std::string::npos ? 0 : std::atoi(line.c_str() + at + 7);
  return number > 0 && number < 65 ? number : 0;
}

std::string fate(int status, int reported) {
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  const int code = WEXITSTATUS(status);
  if (reported == 0 && code > 128 && code < 128 + 65) reported = code - 128;
  if (reported == 0) return fmt::format("exited with code {}", code);
  return fmt::format("exited with code {}: one of its processes was killed by signal {} ({})", code, reported,
                     strsignal(reported));
}

int code_of(int status, int reported) {
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status) != 0 && reported != 0 ? 128 + reported : WEXITSTATUS(status);
}

}  // namespace osteon::bridge::launch
