#include <app/process/python.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <app/process/json_output.hpp>
#include <app/process/launcher_variables.hpp>
#include <app/process/terminal.hpp>
#include <cerrno>
#include <common/printable.hpp>
#include <cstdio>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/job/subprocess.hpp>
#include <sstream>
#include <string_view>

namespace osteon::app {

std::string run_python(const std::vector<std::string>& call, const char* failure) {
  auto result = job::run_program(call);
  while (result.err.ends_with('\n')) result.err.pop_back();
  if (result.exit_code == 127)
    throw machine_error(result.err + "; set OSTEON_PYTHON to a Python that has the osteon package");
  job::require_python_packages(result);
  if (result.exit_code == exit_code(error_kind::data)) throw data_error(result.err);
  if (result.exit_code == exit_code(error_kind::usage)) throw usage_error(result.err);
  if (result.exit_code != 0)
    throw machine_error(fmt::format("{} (exit code {}): {}", failure, result.exit_code, result.err));
  constexpr std::string_view mark = "warning: ";  // lines without this mark may be from other packages
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(mark)) terminal_sink(false).warn(line.substr(mark.size()));
  return std::move(result.out);
}

void print_python_answer(const std::vector<std::string>& call, const char* failure, const std::string& json) {
  const std::string answer = run_python(call, failure);
  if (json == "-")
    write_to_reserved_stdout(answer);
  else
    fmt::print("{}", printable(answer));
}

void exec_python(const std::vector<std::string>& call) {
  std::vector<char*> argv;
  for (const std::string& word : call) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(stdout);
  drop_launcher_variables();  // programs that Python starts have their own ranks
  if (answer_descriptor() != STDOUT_FILENO) dup2(answer_descriptor(), STDOUT_FILENO);
  execvp(argv[0], argv.data());
  throw machine_error(fmt::format("cannot start '{}': {}; set OSTEON_PYTHON to a Python that has the osteon package",
                                  call.front(), std::strerror(errno)));
}

}  // namespace osteon::app
