#include <osteon/job/outputs/step_files.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// Path relative to the folder of the series.
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
      throw machine_error(fmt::format("cannot create the folder '{}/steps': {}", paths_.directory, failed.message()));
  });
}

void step_files::write(std::size_t record, double time_s, const std::vector<cell_field>& fields) {
  std::vector<io::field_info> infos;
  for (const cell_field& f : fields) infos.push_back(f.first);
  auto writer = io::result_writer::create((fs::path(paths_.directory) / name_of_step(record)).string(), part_.where,
                                          part_.header, infos,
                                          {{"title", job_.name + ": " + job_.physics},
                                           {"time_s", fmt::format("{}", time_s)},
                                           {"input_sha256", part_.header.source_sha256}},
                                          access_of(job_), storage_of(job_));
  writer.write_material(image_planes(part_));
  for (const auto& [info, planes] : fields) writer.write_cells(info.name, planes);
  const io::file_report report = writer.close();
  total_ = {total_.bytes + report.bytes, total_.values + report.values, total_.seconds + report.seconds, report.mode,
            report.system};
}

io::file_report step_files::close(std::span<const double> times_s) {
  comm::collectively(part_.where.comm, [&] {
    if (comm::rank(part_.where.comm) != 0) return;
    nlohmann::ordered_json series = {{"file-series-version", "1.0"}, {"files", nlohmann::ordered_json::array()}};
    for (std::size_t n = 0; n < times_s.size(); ++n)
      series["files"].push_back({{"name", name_of_step(n)}, {"time", times_s[n]}});
    write_file(path(), to_text(series));
  });
  return total_;
}

}  // namespace osteon::job
