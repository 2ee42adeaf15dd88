#include <bridge/launch/other_mpi.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace osteon::bridge::launch {

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Value of a variable in /proc/PID/environ.
std::string variable_in(const std::string& environment, const std::string& name) {
  const std::string wanted = name + "=";
  for (std::size_t at = 0; at < environment.size();) {
    const auto end = std::min(environment.find('\0', at), environment.size());
    if (environment.compare(at, wanted.size(), wanted) == 0)
      return environment.substr(at + wanted.size(), end - at - wanted.size());
    at = end + 1;
  }
  return "";
}

}  // namespace

std::string mpi_without_ours(const std::string& maps) {
  std::string found, line;
  for (std::istringstream lines(maps); std::getline(lines, line);) {
    const auto slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string name = line.substr(line.rfind('/') + 1);
    if (name.rfind("libmpi_abi.so", 0) == 0) return "";
    if (name.rfind("libmpi.so", 0) == 0 || name.rfind("libmpich.so", 0) == 0) found = line.substr(slash);
  }
  return found;
}

std::vector<other_mpi> find_other_mpi(const std::string& key) {
  std::vector<other_mpi> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    const std::string environment = content(entry.path() / "environ");  // for a process of another user, the text is empty
    if (variable_in(environment, "OSTEON_WIRE_KEY") != key) continue;
    const std::string library = mpi_without_ours(content(entry.path() / "maps"));
    if (library.empty()) continue;
    std::string program = content(entry.path() / "cmdline");
    std::replace(program.begin(), program.end(), '\0', ' ');
    while (!program.empty() && program.back() == ' ') program.pop_back();
    found.push_back({std::atoi(name.c_str()), std::atoi(variable_in(environment, "OSTEON_WIRE_CLUSTER").c_str()),
                     program.substr(0, 200), library});
  }
  return found;
}

}  // namespace osteon::bridge::launch
