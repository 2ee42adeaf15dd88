#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/terminal.hpp>
#include <filesystem>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/outputs/lines.hpp>
#include <osteon/job/subprocess.hpp>
#include <sstream>
#include <string_view>

namespace osteon::app {

namespace {

// Run a command of the Python half; its errors and warnings are ours.
void run_python(const std::vector<std::string>& call, const char* failure) {
  auto result = job::run_program(call);
  while (result.err.ends_with('\n')) result.err.pop_back();
  if (result.exit_code == 127)
    throw machine_error(result.err + "; set OSTEON_PYTHON to a Python that has the osteon package");
  if (result.exit_code == exit_code(error_kind::data)) throw data_error(result.err);
  job::refuse_without_package(result);
  if (result.exit_code != 0)
    throw machine_error(fmt::format("{} (exit code {}): {}", failure, result.exit_code, result.err));
  constexpr std::string_view mark = "warning: ";  // other packages may write lines of their own
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(mark)) terminal_sink(false).warn(line.substr(mark.size()));
}

/// Write fields of a result as an image, by the Python writers.
struct export_options {
  std::string source, target, component, empty;
  std::vector<std::string> fields;
  std::vector<std::int64_t> streamlines;
  std::string lines_of, json;
};

// Lines of a vector field, on all ranks.
int export_lines(const export_options& o) {
  if (!o.target.ends_with(".vtp")) throw usage_error(fmt::format("--output {}: streamlines are written as .vtp", o.target));
  if (!o.fields.empty() || !o.component.empty() || !o.empty.empty())
    throw usage_error("--field, --component and --empty are of images; --lines-of names the field of --streamlines");
  return on_all_ranks([&](MPI_Comm comm) {
    terminal_sink shown(is_interactive());
    const bool root = comm::rank(comm) == 0;
    const auto answer = job::export_lines(comm, o.source, o.lines_of, o.streamlines[0], o.target,
                                          root ? static_cast<log_sink&>(shown) : null_log());
    if (!root) return;
    if (o.json.empty()) fmt::print("{}\n", o.target);
    write_json(o.json, answer);
  });
}

int export_image(const export_options& options) {
  if (options.target.ends_with(".vtp")) throw usage_error(".vtp holds lines: say how many by --streamlines");
  if (!options.lines_of.empty() || !options.json.empty()) throw usage_error("--lines-of and --json need --streamlines");
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

}  // namespace

void add_export(registry& commands) {
  const auto o = std::make_shared<export_options>();
  command c = commands.add(
      "export", "Write a field of a result as an image: VTI, NRRD, NIfTI, TIFF, OME-Zarr, npy; or streamlines: VTP",
      [o] { return o->streamlines.empty() ? export_image(*o) : export_lines(*o); });
  c.add_option("results", o->source, "results.nc (or model.nc) of a job").required();
  c.add_option("-o,--output", o->target, "Image to write: .vti .nrrd .nii .nii.gz .tif .ome.zarr .npy; of streamlines .vtp")
      .required();
  add_repeatable(c, "-f,--field", o->fields, "Field of the result; may be repeated for .vti (default: all)");
  c.add_option("--component", o->component, "One component: x y z or xx yy zz xy yz xz, along the image's axes");
  c.add_option("--empty", o->empty, "Value of voxels without solid (default: NaN)").number();
  c.add_option("--streamlines", o->streamlines,
               "So many lines of a vector field, with their speed and time, instead of an image")
      .expected(1);
  c.add_option("--lines-of", o->lines_of, "The vector field of the lines (default: velocity, else heat_flux_density)");
  add_json(c, o->json);
  c.footer(
      "Examples:\n  osteon export bone.out/results.nc --field von_mises -o von_mises.nrrd\n"
      "  osteon export bone.out/results.nc -o all.vti\n"
      "  osteon export bone_flow.out/results.nc --streamlines 200 -o lines.vtp");
}

void add_report(registry& commands) {
  const auto directory = std::make_shared<std::string>();
  command c =
      commands.add("report", "Make report.html again from an output directory", [directory] { return report(*directory); });
  c.add_option("directory", *directory, "Output directory of a finished job").required();
  c.footer("Example:\n  osteon report bone.out");
}

}  // namespace osteon::app
