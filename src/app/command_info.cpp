#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/json_output.hpp>
#include <app/terminal.hpp>
#include <filesystem>
#include <osteon/io/seal.hpp>
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

// Run a command of the Python half; its errors are ours.
void run_python(const std::vector<std::string>& call, const char* failure) {
  auto result = job::run_program(call);
  while (result.err.ends_with('\n')) result.err.pop_back();
  if (result.exit_code == 127)
    throw machine_error(result.err + "; set OSTEON_PYTHON to a Python that has the osteon package");
  if (result.exit_code == exit_code(error_kind::data)) throw data_error(result.err);
  if (result.exit_code != 0)
    throw machine_error(fmt::format("{} (exit code {}): {}", failure, result.exit_code, result.err));
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

int export_image(const export_options& options) {
  // HDF5 may crash on damaged bytes. A copy by another program has no seal and is read as it is.
  if (std::filesystem::is_regular_file(options.source) && io::read_seal(options.source) == io::seal_state::wrong)
    throw data_error(io::seal_fault(io::seal_state::wrong, options.source, "file"));
  std::vector<std::string> call{job::python_interpreter(), "-m", "osteon.export", options.source, "-o", options.target};
  for (const std::string& field : options.fields) call.push_back("--field=" + field);
  if (!options.component.empty()) call.push_back("--component=" + options.component);
  if (!options.empty.empty()) call.push_back("--empty=" + options.empty);
  run_python(call, "the image could not be written");
  fmt::print("{}\n", options.target);
  return 0;
}

int report(const std::string& directory) {
  run_python({job::python_interpreter(), "-m", "osteon.report", directory}, "the report could not be made");
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
