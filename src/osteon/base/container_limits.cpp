#include <osteon/base/container_limits.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace osteon {

namespace fs = std::filesystem;

namespace {

// Hierarchy of control groups, with the mount point, the mounted group, and the group of this process.
struct hierarchy {
  fs::path mount_point, mounted_group, group;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool has(const std::string& list, std::string_view name) {
  const auto names = split(list, ',');
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Group of this process for a controller of version 1. If `controller` is empty, the result is the group for version 2. The
// lines of /proc/self/cgroup have the format "number:controllers:path".
std::optional<std::string> group_of(const fs::path& root, std::string_view controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : has(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The lines of /proc/self/mountinfo have the format "id parent device root mount-point options ... - type source options".
std::optional<hierarchy> hierarchy_of(const fs::path& root, std::string_view controller) {
  const auto group = group_of(root, controller);
  if (!group) return std::nullopt;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto mark = line.find(" - ");
    if (mark == std::string::npos) continue;
    const auto before = split(line.substr(0, mark), ' '), after = split(line.substr(mark + 3), ' ');
    if (before.size() < 5 || after.empty()) continue;
    const bool fits =
        controller.empty() ? after[0] == "cgroup2" : after[0] == "cgroup" && after.size() > 2 && has(after[2], controller);
    if (fits) return hierarchy{root / fs::path(before[4]).relative_path(), before[3], *group};
  }
  return std::nullopt;
}

// Folders of the group of this process, and folders of those parent groups that are mounted. In a container, the mount point
// may be the folder of the group, although the path contains another group.
std::vector<fs::path> folders_of(const hierarchy& of) {
  std::error_code failed;
  fs::path inside = of.group.lexically_relative(of.mounted_group);
  if (inside.empty() || *inside.begin() == "..") inside = ".";
  if (!fs::is_directory(of.mount_point / inside, failed)) inside = ".";
  std::vector<fs::path> folders{of.mount_point};
  fs::path at = of.mount_point;
  for (const fs::path& part : inside)
    if (part != "." && !part.empty()) folders.push_back(at /= part);
  return folders;
}

std::optional<double> number_of(const std::string& text) {
  try {
    std::size_t length = 0;
    const double value = std::stod(text, &length);
    if (length > 0 && std::isfinite(value)) return value;
  } catch (const std::exception&) {  // the file contains "max" or is empty
  }
  return std::nullopt;
}

std::optional<double> number_in_file(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return number_of(word);
}

// Value of a line of memory.stat.
double stat_in(const fs::path& folder, std::string_view row) {
  std::ifstream file(folder / "memory.stat");
  std::string key;
  for (double value = 0; file >> key >> value;)
    if (key == row) return value;
  return 0;
}

void take_cores(container_limits& found, std::optional<double> quota, std::optional<double> period) {
  if (!quota || !period || !(*quota > 0) || !(*period > 0)) return;
  found.cores = std::min(found.cores.value_or(*quota / *period), *quota / *period);
}

// The limit with the least remaining memory applies.
void take_memory(container_limits& found, std::optional<double> limit, std::optional<double> used, double cache) {
  const double physical = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (!limit || *limit < 0 || *limit >= physical) return;
  const double taken = std::max(0.0, used.value_or(0) - cache);
  if (found.memory_bytes && *found.memory_bytes - *found.memory_used_bytes <= *limit - taken) return;
  found.memory_bytes = limit;
  found.memory_used_bytes = taken;
}

}  // namespace

container_limits limits_of_container(const fs::path& root) {
  container_limits found;
  if (const auto unified = hierarchy_of(root, "")) {
    for (const fs::path& folder : folders_of(*unified)) {
      std::ifstream file(folder / "cpu.max");
      std::string quota, period;
      if (file >> quota >> period) take_cores(found, number_of(quota), number_of(period));
      take_memory(found, number_in_file(folder / "memory.max"), number_in_file(folder / "memory.current"),
                  stat_in(folder, "inactive_file"));
    }
  }
  if (const auto cpu = hierarchy_of(root, "cpu"))
    for (const fs::path& folder : folders_of(*cpu))
      take_cores(found, number_in_file(folder / "cpu.cfs_quota_us"), number_in_file(folder / "cpu.cfs_period_us"));
  if (const auto memory = hierarchy_of(root, "memory"))
    for (const fs::path& folder : folders_of(*memory))
      take_memory(found, number_in_file(folder / "memory.limit_in_bytes"), number_in_file(folder / "memory.usage_in_bytes"),
                  stat_in(folder, "total_inactive_file"));
  return found;
}

container_limits limits_of_container() {
  const char* given = std::getenv("OSTEON_SYSTEM_ROOT");
  return limits_of_container(given && *given ? given : "/");
}

namespace {

int within_quota(int cores) {
  const double quota = limits_of_container().cores.value_or(cores);
  return std::max(1, static_cast<int>(std::min<double>(cores, std::floor(quota + 1e-9))));
}

}  // namespace

int usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return within_quota(sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1);
}

int cores_of_host() { return within_quota(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

std::optional<double> memory_left_in_container() {
  const container_limits limits = limits_of_container();
  if (!limits.memory_bytes) return std::nullopt;
  return std::max(0.0, *limits.memory_bytes - *limits.memory_used_bytes);
}

}  // namespace osteon
