#include <osteon/base/json_text.hpp>
#include <osteon/io/files/verify.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>

namespace osteon::io {

namespace {

using nlohmann::json;

// Limit of CPU time. After this limit, an infinite loop of HDF5 in a damaged index is assumed. Waiting for a slow disk
// requires no CPU time.
constexpr double seconds_at_least = 4, bytes_per_second = 20e6;

void set_cpu_limit(std::int64_t bytes) {
  const double seconds = seconds_at_least + static_cast<double>(bytes) / bytes_per_second;
  itimerval limit{};
  limit.it_value.tv_sec = static_cast<time_t>(seconds) + 1;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

json verify_to_json(const std::string& path) {
  verification found;
  try {
    set_cpu_limit(0);
    found = verify_file(path, set_cpu_limit);
  } catch (const std::exception& e) {
    found.faults.push_back({"", 0, -1, e.what()});
  }
  json faults = json::array();
  for (const fault& f : found.faults) faults.push_back({f.variable, f.first, f.last, f.text});
  return {found.schema, found.variables, found.planes, found.bytes, found.filter_missing, faults};
}

verification from_json(const json& answer) {
  verification found{answer.at(0), answer.at(1), answer.at(2), answer.at(3), answer.at(4), {}};
  for (const json& f : answer.at(5)) found.faults.push_back({f.at(0), f.at(1), f.at(2), f.at(3)});
  return found;
}

[[noreturn]] void write_result_and_exit(const std::string& path, int to) {
  signal(SIGPROF, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const std::string text = json_to_text(verify_to_json(path));
  const char* at = text.data();
  for (std::size_t left = text.size(); left > 0;) {
    const ssize_t written = write(to, at, left);
    if (written < 0) _exit(1);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  _exit(0);
}

}  // namespace

verification verify_apart(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) throw machine_error(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) throw machine_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    write_result_and_exit(path, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) != 0;) {
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const auto answer = json_from_text<json>(text);
  if (!answer.is_discarded() && WIFEXITED(status) && WEXITSTATUS(status) == 0) return from_json(answer);
  const char* failure = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "does not terminate" : "crashes";
  verification lost;
  lost.faults.push_back({"", 0, -1, fmt::format("damaged file: the HDF5 library {}", failure)});
  return lost;
}

}  // namespace osteon::io
