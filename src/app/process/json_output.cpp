#include <app/process/json_output.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace osteon::app {

namespace {

int kept_stdout = STDOUT_FILENO;

}  // namespace

void keep_stdout() {
  if (kept_stdout != STDOUT_FILENO) return;
  std::fflush(stdout);
  const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) throw machine_error(fmt::format("cannot reserve standard output for the answer: {}", std::strerror(errno)));
  if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {  // no standard error: discard the output of libraries
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0)
      throw machine_error(fmt::format("cannot redirect standard output: {}", std::strerror(errno)));
    if (nothing > STDERR_FILENO) close(nothing);
  }
  kept_stdout = copy;
}

int answer_descriptor() { return kept_stdout; }

void write_to_reserved_stdout(std::string_view text) {
  std::fflush(stdout);
  while (!text.empty()) {
    const ssize_t written = write(kept_stdout, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw machine_error(fmt::format("cannot write the answer to standard output: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace osteon::app
