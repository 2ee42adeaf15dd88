#include <osteon/job/system_info.hpp>

#include <fmt/format.h>
#include <netcdf.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <osteon/base/container_limits.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/job/batch_job.hpp>
#include <osteon/job/container.hpp>
#include <set>
#include <string_view>

#ifndef OSTEON_VERSION
#error "the build defines OSTEON_VERSION, OSTEON_GIT and OSTEON_FLAGS (src/osteon/job/CMakeLists.txt)"
#endif

namespace osteon::job {

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> mpi{};
  int length = 0;
  MPI_Get_library_version(mpi.data(), &length);
  return {mpi.data(), static_cast<std::size_t>(length)};
}

build_info this_build() {
  // "Open MPI v4.1.4, package: ...", or lines of which the first is "MPICH Version:\t4.0.2"
  std::string mpi_version = mpi_library();
  mpi_version.resize(std::min({mpi_version.find(", "), mpi_version.find('\n'), mpi_version.size()}));
  constexpr std::string_view title = "MPICH Version:";
  if (mpi_version.starts_with(title)) {
    const auto number = mpi_version.find_first_not_of(" \t", title.size());
    mpi_version = "MPICH " + (number == std::string::npos ? "" : mpi_version.substr(number));
  }
  while (!mpi_version.empty() && std::isspace(static_cast<unsigned char>(mpi_version.back()))) mpi_version.pop_back();
  std::string netcdf = nc_inq_libvers();
  if (const auto space = netcdf.find(' '); space != std::string::npos) netcdf.resize(space);
  return {OSTEON_VERSION, OSTEON_GIT, "gcc " __VERSION__, OSTEON_FLAGS, mpi_version, netcdf, OSTEON_HDF5};
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

int usable_cores() { return osteon::usable_cores(); }

std::int64_t default_ranks(std::int64_t threads, std::int64_t planes) {
  constexpr double bytes_of_rank = 64e6;  // a process with its libraries and MPI buffers, before reading data
  const std::optional<allocation> batch = allocation_of(own_variable);
  const std::int64_t of_cores = usable_cores() / std::max<std::int64_t>(threads, 1);
  std::int64_t ranks = batch ? ranks_of(*batch, threads) : of_cores;
  if (batch && batch->hosts.size() == 1) ranks = std::min(ranks, of_cores);  // several jobs can share the batch job
  // The limits of the container hold on this host only.
  if (const auto memory = limits_of_container().memory_bytes; memory && (!batch || batch->hosts.size() == 1))
    ranks = std::min(ranks, static_cast<std::int64_t>(*memory / bytes_of_rank));
  return std::clamp<std::int64_t>(ranks, 1, std::max<std::int64_t>(planes, 1));
}

std::string text_of_container_limits() {
  const container_limits limits = limits_of_container();
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  std::string text;
  if (limits.cores && *limits.cores < static_cast<double>(cores))
    text = fmt::format("{:.3g} of {} cores", *limits.cores, cores);
  if (limits.memory_bytes)
    text += fmt::format("{}{:.3g} GB of memory ({:.3g} GB in use)", text.empty() ? "" : " and ", *limits.memory_bytes / 1e9,
                        *limits.memory_used_bytes / 1e9);
  return text.empty() ? text : "the container allows " + text;
}

std::string lack_of_memory(double bytes) {
  const auto left = memory_left_in_container();
  if (!left || bytes <= *left) return {};
  return fmt::format(
      "the job needs up to {:.3g} GB of memory, but the container has {:.3g} GB left; raise its limit, use fewer ranks, or "
      "coarsen or crop the image",
      bytes / 1e9, *left / 1e9);
}

std::string cache_folder() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
  };
  if (const char* own = set("OSTEON_CACHE")) return own;
  if (const char* all = set("XDG_CACHE_HOME")) return std::string(all) + "/osteon";
  if (const char* home = set("HOME")) return std::string(home) + "/.cache/osteon";
  return {};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::vector<std::string> host_names(MPI_Comm comm) {
  // Only the first rank of each host sends a name. The list therefore contains one name per host.
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  const bool is_first = comm::rank(host) == 0;
  MPI_Comm_free(&host);
  MPI_Comm first_ranks = MPI_COMM_NULL;
  MPI_Comm_split(comm, is_first ? 0 : MPI_UNDEFINED, 0, &first_ranks);
  if (first_ranks == MPI_COMM_NULL) return {};
  const int rank = comm::rank(first_ranks), size = comm::size(first_ranks);
  std::vector<char> all(rank == 0 ? static_cast<std::size_t>(size) * name.size() : 0);
  MPI_Gather(name.data(), static_cast<int>(name.size()), MPI_CHAR, all.data(), static_cast<int>(name.size()), MPI_CHAR, 0,
             first_ranks);
  MPI_Comm_free(&first_ranks);
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); i += name.size()) names.insert(&all[i]);
  return {names.begin(), names.end()};
}

void write_file(const std::string& path, const std::string& text) {
  // A device or a pipe is written directly, because only regular files can be replaced.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool replace = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  std::optional<io::temporary_file> temporary;
  if (replace) temporary.emplace(path);
  std::ofstream file(replace ? temporary->name() : path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file)
    throw machine_error(fmt::format("cannot write '{}': {}; free some space or choose another output directory", path,
                                    std::strerror(errno)));
  if (replace) temporary->commit();
}

long long peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<long long>(usage.ru_maxrss) * 1024;
}

}  // namespace osteon::job
