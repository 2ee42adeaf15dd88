#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <osteon/base/json_text.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

namespace {

int schema(bool of_answers) {
  fmt::print("{}\n", of_answers ? json_to_text(job::describe_all_answers(), 2) : job::json_schema());
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

}  // namespace

void add_schema(registry& commands) {
  const auto of_answers = std::make_shared<bool>(false);
  command c = commands.add("schema", "Print the JSON Schema of the job file", [of_answers] { return schema(*of_answers); });
  c.add_flag("--answers", *of_answers, "Print the answers of each physics instead: keys of summary.json, units, meanings");
  c.footer("Example:\n  osteon schema > job.schema.json");
}

void add_version(registry& commands) {
  const auto json = std::make_shared<std::string>();
  command c = commands.add("version", "Print version and build settings", [json] { return version(*json); });
  add_json(c, *json);
  c.footer("Example:\n  osteon version --json -");
  commands.add_version_flag([] {
    const job::build_info b = job::this_build();
    return fmt::format("osteon {} ({})", b.version, b.git);
  });
}

}  // namespace osteon::app
