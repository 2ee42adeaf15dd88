#include <fmt/format.h>

#include <algorithm>
#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/python.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <cctype>
#include <filesystem>
#include <memory>
#include <osteon/base/counted.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/lines.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/physics/elasticity/export/write_inp.hpp>
#include <osteon/physics/elasticity/export/write_models.hpp>
#include <osteon/physics/failure/inp_plasticity.hpp>
#include <string_view>

namespace osteon::app {

namespace {

/// Options of the command that writes fields of a result as an image by the Python writers.
struct export_options {
  std::string source, target, component, empty, smooth, open_in;
  std::vector<std::string> fields, set;
  std::vector<std::int64_t> streamlines;
  std::string lines_of, json;
};

// Compute streamlines of a vector field on all ranks.
int export_lines(const export_options& o) {
  if (!o.target.ends_with(".vtp")) throw usage_error(fmt::format("--output {}: streamlines are written as .vtp", o.target));
  if (!o.fields.empty() || !o.component.empty() || !o.empty.empty())
    throw usage_error("--field, --component and --empty apply to images; --lines-of selects the field of --streamlines");
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

bool name_ends_in(const std::string& name, std::string_view ending) {
  return name.size() >= ending.size() && std::equal(ending.rbegin(), ending.rend(), name.rbegin(),
                                                    [](char e, unsigned char c) { return e == std::tolower(c); });
}

// Write the job with its loads. @param write returns the content of the file as JSON
template <class F>
int export_job(const export_options& o, const char* ending, F&& write) {
  if (!o.fields.empty() || !o.component.empty() || !o.empty.empty() || !o.open_in.empty())
    throw usage_error(fmt::format(
        "{} contains mesh, materials and loads of a job; --field, --component, --empty and --open-in apply to images",
        ending));
  if (name_ends_in(o.source, ".nc") || name_ends_in(o.source, ".vtkhdf"))
    throw usage_error(
        fmt::format("'{}' does not contain the loads that an {} requires; pass the job: osteon export job.toml -o {}",
                    o.source, ending, o.target));
  return on_all_ranks([&](MPI_Comm comm) {
    const job::spec spec = job::read_job(o.source, {}, o.set);
    if (comm::size(comm) != 1)
      throw usage_error(
          fmt::format("files of type {} are written by one rank; start the command without a launcher", ending));
    terminal_sink log(is_interactive());
    job::find_filters(spec);
    job::source_of(spec).prepare(spec, log, stop_was_requested);
    job::io_clock clock;
    const nlohmann::ordered_json answer = write(spec, job::source_of(spec).read(comm, spec, clock, log), log);
    if (o.json.empty()) fmt::print("{}\n", o.target);
    write_json(o.json, answer);
  });
}

int export_inp(const export_options& o) {
  return export_job(o, ".inp", [&](const job::spec& spec, job::local_model part, log_sink& log) {
    const auto plasticity = physics::inp_plasticity_of(spec, part.header.materials);
    const physics::inp_report written = physics::write_inp(spec, std::move(part), plasticity, o.target, log);
    log.note(fmt::format("{} nodes, {} elements, {}", written.nodes, written.elements, counted(written.steps, "step")));
    return nlohmann::ordered_json{{"schema", "osteon.inp/1"},     {"file", o.target},       {"nodes", written.nodes},
                                  {"elements", written.elements}, {"steps", written.steps}, {"bytes", written.bytes}};
  });
}

int export_parosol(const export_options& o) {
  return export_job(o, ".h5", [&](const job::spec& spec, job::local_model part, log_sink& log) {
    const physics::parosol_report written = physics::write_parosol_model(spec, std::move(part), o.target, log);
    log.note(fmt::format("{} elements, {} displacements, {} forces along an axis", written.elements, written.fixed,
                         written.loaded));
    return nlohmann::ordered_json{{"schema", "osteon.h5/1"}, {"file", o.target},         {"elements", written.elements},
                                  {"fixed", written.fixed},  {"loaded", written.loaded}, {"bytes", written.bytes}};
  });
}

int export_n88(const export_options& o) {
  return export_job(o, ".n88model", [&](const job::spec& spec, job::local_model part, log_sink& log) {
    const physics::n88_report written = physics::write_n88_model(spec, std::move(part), o.target, log);
    log.note(
        fmt::format("{} nodes, {} elements, {}", written.nodes, written.elements, counted(written.problems, "problem")));
    return nlohmann::ordered_json{{"schema", "osteon.n88model/1"}, {"file", o.target},
                                  {"nodes", written.nodes},        {"elements", written.elements},
                                  {"problems", written.problems},  {"bytes", written.bytes}};
  });
}

int export_image(const export_options& options) {
  if (name_ends_in(options.target, ".inp")) return export_inp(options);
  if (name_ends_in(options.target, ".h5")) return export_parosol(options);
  if (name_ends_in(options.target, ".n88model")) return export_n88(options);
  if (!options.set.empty()) throw usage_error("--set applies to jobs (.inp, .h5, .n88model)");
  if (options.target.ends_with(".vtp")) throw usage_error(".vtp contains streamlines: set their number by --streamlines");
  if (!options.lines_of.empty() || !options.json.empty()) throw usage_error("--lines-of and --json require --streamlines");
  std::vector<std::string> call = job::python_command({"-m", "osteon.export", options.source, "--output=" + options.target});
  for (const std::string& field : options.fields) call.push_back("--field=" + field);
  if (!options.component.empty()) call.push_back("--component=" + options.component);
  if (!options.empty.empty()) call.push_back("--empty=" + options.empty);
  if (!options.smooth.empty()) call.push_back("--smooth=" + options.smooth);
  if (!options.open_in.empty()) call.push_back("--open-in=" + options.open_in);
  run_python(call, "cannot write the image");
  fmt::print("{}\n", options.target);
  return 0;
}

int report(const std::string& directory) {
  run_python(job::python_command({"-m", "osteon.report", directory}), "cannot write the report");
  fmt::print("{}\n", (std::filesystem::path(directory) / "report.html").string());
  return 0;
}

}  // namespace

void add_export(registry& commands) {
  const auto o = std::make_shared<export_options>();
  command c = commands.add("export", "Export results to formats of other programs",
                           [o] { return o->streamlines.empty() ? export_image(*o) : export_lines(*o); });
  c.add_option("results", o->source, "results.nc or model.nc of a job; the job for .inp, .h5 and .n88model").required();
  c.add_option("-o,--output", o->target, "File to write; the extension selects the format (below)").required();
  add_repeatable(c, "-f,--field", o->fields, "Field to export; may be repeated for .vti and meshes (default: all)");
  c.add_option("--component", o->component, "Component along the image axes: x y z or xx yy zz xy yz xz");
  c.add_option("--empty", o->empty, "Value of voxels outside the solid (default: NaN)").number();
  c.add_option("--smooth", o->smooth, "Smoothing iterations of VTK SurfaceNets for .stl (default 0: voxel faces)").number();
  c.add_option("--open-in", o->open_in, "Write a script that shows the results in paraview or slicer")
      .one_of({"paraview", "slicer"});
  add_set(c, o->set);
  c.add_option("--streamlines", o->streamlines, "Export this number of streamlines with speed and time instead of an image")
      .expected(1);
  c.add_option("--lines-of", o->lines_of, "Vector field of the streamlines (default: velocity, else heat_flux_density)");
  add_json(c, o->json);
  c.footer(
      "Formats:\n  image        .vti .nrrd .nii .nii.gz .mha .tif .ome.zarr .npy\n  mesh         .vtu .msh (Gmsh) .xdmf "
      ".bdf (Nastran)\n  surface      .stl\n  job          .inp (CalculiX, Abaqus) .h5 (ParOSol) .n88model (FAIM)\n  "
      "streamlines  .vtp\n  script       .py, with --open-in\n\nExamples:\n  osteon export bone.out/results.nc --field "
      "von_mises -o von_mises.nrrd\n  osteon export bone.out/results.nc -o all.vti\n  osteon export bone.out/results.nc -o "
      "mesh.vtu\n  osteon export bone.out/results.nc -f von_mises -o mesh.msh\n  osteon export bone.out/results.nc -o "
      "surface.stl\n  osteon export examples/bone.toml -o bone.inp\n  osteon export examples/bone.toml -o bone.n88model\n  "
      "osteon export bone.out/results.nc --open-in paraview -o open.py\n  osteon export bone_flow.out/results.nc "
      "--streamlines 200 -o lines.vtp");
}

void add_report(registry& commands) {
  const auto directory = std::make_shared<std::string>();
  command c = commands.add("report", "Rebuild report.html of a finished job", [directory] { return report(*directory); });
  c.add_option("directory", *directory, "Output directory of a finished job").required();
  c.footer("Example:\n  osteon report bone.out");
}

}  // namespace osteon::app
