#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/json_output.hpp>
#include <app/terminal.hpp>
#include <filesystem>
#include <osteon/job/compute.hpp>
#include <osteon/job/estimate.hpp>
#include <osteon/job/external.hpp>
#include <osteon/job/import.hpp>
#include <osteon/job/io_options.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

namespace {

job::spec read_or_throw(const std::string& path, const job::script_options& script) {
  std::vector<problem> problems;
  job::spec spec = job::read_job(path, script, problems);
  if (!problems.empty()) throw usage_error(job::join(problems));
  return spec;
}

}  // namespace

int estimate(const std::string& path, std::optional<int> ranks, const job::script_options& script, const std::string& json) {
  const job::spec spec = read_or_throw(path, script);
  terminal_sink log(is_interactive());
  const job::estimation e = job::estimate(spec, ranks.value_or(0), log);
  write_json(json, e.to_json());
  if (json != "-") fmt::print("{}", e.to_text());
  return 0;
}

int import(const std::string& path, const std::string& model, const job::script_options& script, const std::string& json) {
  const job::spec spec = read_or_throw(path, script);
  terminal_sink log(is_interactive());
  job::find_filters(spec);
  const auto imported = job::import_model(spec, model.empty() ? job::output_paths(spec).model : model, log);
  write_json(json, imported.to_json());
  if (json != "-") fmt::print("{}\n", imported.path);
  return 0;
}

int report(const std::string& directory) {
  const auto result = job::run_program({job::python_interpreter(), "-m", "osteon.report", directory});
  if (result.exit_code == 127)
    throw machine_error(result.err + "; set OSTEON_PYTHON to a Python that has the osteon package");
  if (result.exit_code != 0) {
    if (result.exit_code == exit_code(error_kind::data)) throw data_error(result.err);
    throw machine_error(fmt::format("the report could not be made (exit code {}): {}", result.exit_code, result.err));
  }
  fmt::print("{}\n", (std::filesystem::path(directory) / "report.html").string());
  return 0;
}

int schema() {
  fmt::print("{}\n", job::json_schema());
  return 0;
}

int version(const std::string& json) {
  const job::build_info b = job::this_build();
  const nlohmann::ordered_json answer = {{"schema", "osteon.version/1"}, {"version", b.version}, {"git", b.git},
                                         {"compiler", b.compiler},       {"flags", b.flags},     {"mpi", b.mpi},
                                         {"netcdf", b.netcdf},           {"hdf5", b.hdf5}};
  write_json(json, answer);
  if (json != "-")
    fmt::print("osteon {} ({})\n  compiler  {} {}\n  MPI       {}\n  netCDF    {}, HDF5 {}\n  cores     {} ({})\n",
               b.version, b.git, b.compiler, b.flags, b.mpi, b.netcdf, b.hdf5, job::usable_cores(), job::cpu_name());
  return 0;
}

}  // namespace osteon::app
