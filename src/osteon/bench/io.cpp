#include <osteon/bench/bench.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <osteon/base/stopwatch.hpp>
#include <osteon/bench/io_workload.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/file_system.hpp>
#include <osteon/io/npy.hpp>

namespace osteon::bench {
namespace {

/// Temporary folder. The first rank creates the folder, and removes the folder at the end of the run.
class scratch_folder {
 public:
  explicit scratch_folder(const std::string& parent)
      : path_(std::filesystem::path(parent) / fmt::format("osteon-bench-io-{}", ::getpid())) {
    std::error_code failed;
    std::filesystem::create_directory(path_, failed);
    if (failed)
      throw machine_error(fmt::format("cannot create the folder '{}': {}; choose another folder with --folder",
                                      path_.string(), failed.message()));
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct cost {
  double cpu = std::numeric_limits<double>::infinity(), wall = cpu;
};

void run_once(MPI_Comm comm, io_workload& load, const io_method& method, cost& least) {
  MPI_Barrier(comm);
  const stopwatch watch;
  const double before = cpu_seconds();
  method.run();
  double cpu = cpu_seconds() - before - load.waited(), wall = watch.seconds();
  comm::all_reduce(comm, &cpu, 1, MPI_SUM);
  comm::all_reduce(comm, &wall, 1, MPI_MAX);
  least.cpu = std::min(least.cpu, cpu);
  least.wall = std::min(least.wall, wall);
}

bool has(const io_method& method, const std::string& text) {
  return fmt::format("{}, {}", method.operation, method.name).find(text) != std::string::npos;
}

std::string shared_path(MPI_Comm comm, const std::optional<scratch_folder>& folder) {
  std::string path = folder ? folder->path() : "";
  int length = static_cast<int>(path.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  path.resize(static_cast<std::size_t>(length));
  MPI_Bcast(path.data(), length, MPI_CHAR, 0, comm);
  return path;
}

}  // namespace

voxel::image gyroid(int edge) {
  voxel::image image;
  image.shape = {edge, edge, edge};
  image.type = voxel::scalar::u1;
  image.bytes.resize(static_cast<std::size_t>(image.shape.volume()));
  const double wave = 2 * 3.14159265358979 / 24;  // wave number of a cell of 24 voxels
  std::uint32_t noise = 1;
  std::size_t at = 0;
  for (int z = 0; z < edge; ++z)
    for (int y = 0; y < edge; ++y)
      for (int x = 0; x < edge; ++x, ++at) {
        const double g = std::sin(wave * x) * std::cos(wave * y) + std::sin(wave * y) * std::cos(wave * z) +
                         std::sin(wave * z) * std::cos(wave * x);
        noise = noise * 1664525U + 1013904223U;
        const double grey = 140 + 60 * g + static_cast<double>(noise >> 28);
        image.bytes[at] = static_cast<std::byte>(g < 0.3 ? 0 : std::clamp(static_cast<int>(grey), 1, 255));
      }
  return image;
}

nlohmann::ordered_json measure_io(MPI_Comm comm, const io_options& options) {
  const bool first = comm::rank(comm) == 0;
  voxel::image image;
  std::optional<scratch_folder> folder;
  comm::collectively(comm, [&] {
    if (!first) return;
    image = options.image.empty() ? gyroid(options.edge) : io::read_npy(options.image);
    folder.emplace(options.folder.empty() ? "." : options.folder);
  });
  const std::string path = shared_path(comm, folder);
  io_workload load(comm, image, path);
  std::vector<io_method> methods = load.methods();
  for (const std::string& text : options.only)
    if (std::none_of(methods.begin(), methods.end(), [&](const io_method& method) { return has(method, text); }))
      throw usage_error(fmt::format("--only '{}' matches no method; omit --only to list all methods", text));
  std::erase_if(methods, [&](const io_method& method) {
    const auto& only = options.only;
    return !only.empty() && std::none_of(only.begin(), only.end(), [&](const auto& text) { return has(method, text); });
  });
  std::vector<cost> costs(methods.size());
  for (int k = 0; k < options.repetitions; ++k)
    for (std::size_t i = 0; i < methods.size(); ++i) run_once(comm, load, methods[i], costs[i]);
  nlohmann::ordered_json out{{"schema", "osteon.bench/1"}, {"ranks", comm::size(comm)}};
  comm::collectively(comm, [&] {
    if (!first) return;
    out.update(load.facts());
    out["file_system"] = io::file_system_of(path).name;
    out["rows"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < methods.size(); ++i)
      out["rows"].push_back({{"operation", methods[i].operation},
                             {"way", methods[i].name},
                             {"cpu_seconds", costs[i].cpu},
                             {"wall_seconds", costs[i].wall},
                             {"bytes", std::filesystem::file_size(methods[i].file)}});
  });
  return out;
}

}  // namespace osteon::bench
