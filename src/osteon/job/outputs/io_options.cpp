#include <osteon/job/outputs/io_options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/job/subprocess.hpp>

namespace osteon::job {

io::access access_of(const spec& job) {
  io::access options;
  options.mode = io::access_mode_of(job.io.mode);
  options.ranks_per_writer = static_cast<int>(job.io.ranks_per_writer);
  options.alignment_bytes = job.io.alignment_bytes;
  options.read_back = job.io.read_back;
  for (const std::string& hint : job.io.hints) {
    const auto equals = hint.find('=');
    options.hints.emplace_back(hint.substr(0, equals), hint.substr(equals + 1));
  }
  return options;
}

io::storage storage_of(const spec& job) {
  io::storage stored;
  stored.method = io::compression_of(job.io.compression);
  if (job.io.compression_level) stored.level = static_cast<int>(*job.io.compression_level);
  stored.significant_digits = static_cast<int>(job.io.significant_digits);
  return stored;
}

bool find_filters() {
  if (std::getenv("HDF5_PLUGIN_PATH")) return true;
  const auto found = run_program(python_command({"-c", "import hdf5plugin; print(hdf5plugin.PLUGIN_PATH, end='')"}));
  if (found.exit_code != 0 || found.out.empty()) return false;
  return setenv("HDF5_PLUGIN_PATH", found.out.c_str(), 1) == 0;
}

void find_filters(const spec& job) {
  if (job.io.compression == "zstd") find_filters();
}

io::file_report report_reading(MPI_Comm comm, const std::string& path, const io::access& access, std::int64_t values,
                               double seconds) {
  const io::file_team team = io::file_team::make(comm, path, access, io::direction::read);
  io::file_report report{0, values, seconds, team.mode, team.system.name};
  comm::collectively(comm, [&] {
    if (comm::rank(comm) == 0) report.bytes = io::size_of_file(path);
  });
  return report;
}

double io_clock::share() const { return std::min(1.0, seconds_ / std::max(since_start_.seconds(), 1e-9)); }

std::string io_clock::note(const std::string& verb, const std::string& path, const io::file_report& r) {
  seconds_ += r.seconds;
  const double megabytes = static_cast<double>(r.values) * 1e-6, seconds = std::max(r.seconds, 1e-9);
  const double ratio = static_cast<double>(r.values) / static_cast<double>(std::max<std::int64_t>(r.bytes, 1));
  files_.push_back({{"file", path},
                    {"action", verb},
                    {"bytes", r.bytes},
                    {"value_bytes", r.values},
                    {"compression_ratio", ratio},
                    {"seconds", r.seconds},
                    {"MB_per_s", megabytes / seconds},
                    {"mode", io::name_of(r.mode)},
                    {"file_system", r.system}});
  return fmt::format(
      "{} {}: {:.1f} MB for {:.1f} MB of values (ratio {:.1f}) in {:.2f} s, {:.0f} MB/s, {} on {}; file access used {:.0f} "
      "% of the time so far",
      verb, std::filesystem::path(path).filename().string(), static_cast<double>(r.bytes) * 1e-6, megabytes, ratio,
      r.seconds, megabytes / seconds, io::name_of(r.mode), r.system, 100 * share());
}

nlohmann::ordered_json io_clock::to_json() const {
  return {{"seconds", seconds_}, {"share_of_run", share()}, {"files", files_}};
}

}  // namespace osteon::job
