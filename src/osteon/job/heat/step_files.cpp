#include <osteon/job/heat/step_files.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// Relative to the series.
std::string name_of_step(std::size_t record) { return fmt::format("steps/step_{:04}.vtkhdf", record); }

}  // namespace

std::string step_files::path() const { return (fs::path(paths_.directory) / "results.vtkhdf.series").string(); }

step_files::step_files(const spec& job, const local_model& part) : job_(job), part_(part), paths_(job) {
  comm::collectively(part.where.comm, [&] {
    if (comm::rank(part.where.comm) != 0) return;
    std::error_code failed;
    fs::remove(path(), failed);
    fs::create_directories(fs::path(paths_.directory) / "steps", failed);
    if (failed)
      throw machine_error(fmt::format("cannot make the folder '{}/steps': {}", paths_.directory, failed.message()));
  });
}

void step_files::write(std::span<const solve::heat_record> history, const std::vector<double>& temperature_K) {
  const std::string name = name_of_step(history.size() - 1);
  const std::vector<io::field_info> fields{{"temperature", "temperature", "K", io::centring::cell, 1}};
  auto writer = io::result_writer::create((fs::path(paths_.directory) / name).string(), part_.where, part_.header, fields,
                                          {{"title", job_.name + ": " + job_.physics},
                                           {"time_s", fmt::format("{}", history.back().time_s)},
                                           {"input_sha256", part_.header.source_sha256}},
                                          access_of(job_), storage_of(job_));
  cell_values values;
  comm::collectively(part_.where.comm, [&] { values = share({temperature_K.begin(), temperature_K.end()}); });
  writer.write_material(image_planes(part_));
  writer.write_cells("temperature", cell_planes(part_, values));
  const io::file_report report = writer.close();
  total_ = {total_.bytes + report.bytes, total_.values + report.values, total_.seconds + report.seconds, report.mode,
            report.system};
}

io::file_report step_files::close(std::span<const solve::heat_record> history) {
  comm::collectively(part_.where.comm, [&] {
    if (comm::rank(part_.where.comm) != 0) return;
    nlohmann::ordered_json series = {{"file-series-version", "1.0"}, {"files", nlohmann::ordered_json::array()}};
    for (std::size_t n = 0; n < history.size(); ++n)
      series["files"].push_back({{"name", name_of_step(n)}, {"time", history[n].time_s}});
    write_file(path(), to_text(series));
  });
  return total_;
}

}  // namespace osteon::job
