// The `osteon` command: parsing and printing only.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <app/commands.hpp>
#include <cstdio>
#include <new>
#include <osteon/base/error.hpp>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 done, 2 wrong usage or job file, 3 bad data, 4 did not converge, 5 MPI or machine, "
    "75 stopped by SIGTERM or SIGUSR1 after writing a checkpoint (`osteon resume` continues).";

int dispatch(int argc, char** argv) {
  using namespace osteon;
  CLI::App cli{"osteon: from a CT scan to stiffness, stress, heat flow and a picture."};
  cli.footer(std::string("Example:\n  osteon run examples/bone.toml\n\n") + exit_codes);
  cli.require_subcommand(1);
  std::string job, json, model, directory, from, to;
  job::script_options script;
  app::run_options run;
  std::optional<int> ranks;
  std::vector<std::string> files;
  bool seal = false;
  const auto add_job = [](CLI::App* command, std::string& target) {
    command->add_option("job", target, "Job file (TOML; see `osteon schema` for its keys) or VOX-FE script")->required();
  };
  const auto add_json = [](CLI::App* command, std::string& target) {
    command->add_option("--json", target, "Write the answer as JSON to this file; - for standard output");
  };

  const auto add_script = [&](CLI::App* command) {
    command->add_option("--units", script.units, "VOX-FE script: units of its lengths, mm (with MPa) or m (with Pa)")
        ->check(CLI::IsMember({"mm", "m"}));
    command
        ->add_option("--index-base", script.index_base,
                     "VOX-FE script: from where it counts voxels and nodes (default: found out)")
        ->check(CLI::Range(0, 1));
  };

  auto* c_run = cli.add_subcommand("run", "Run a job: import, solve, write, picture, report");
  add_job(c_run, run.job);
  c_run->add_option("-n,--ranks", run.ranks, "MPI processes to start (default: run.ranks of the job, else all cores)")
      ->check(CLI::PositiveNumber);
  c_run->add_option("-t,--threads", run.threads, "OpenMP threads of each process (default: run.threads of the job)")
      ->check(CLI::PositiveNumber);
  c_run->add_option("-o,--output", run.output, "Output directory (default: output.directory of the job, else <name>.out)");
  c_run
      ->add_option("--io", run.io,
                   "Which ranks touch files: auto, serial, aggregated or parallel (default: io.mode); text-serial: rank 0 "
                   "reads a VOX-FE model and scatters it, and ranks write text one after the other")
      ->check(CLI::IsMember({"auto", "serial", "aggregated", "parallel", "text-serial"}));
  c_run->add_option("--io-hint", run.io_hints, "A hint for MPI-IO, key=value; may be repeated (adds to io.hints)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  c_run->add_flag("!--no-report", run.report, "Do not make report.html");
  c_run->add_flag("--resume", run.resume, "Continue from the job's checkpoint, if there is one");
  c_run->add_option("--checkpoint", run.checkpoint,
                    "Folder of the checkpoints (default: checkpoint.directory of the job, else checkpoint in the output)");
  add_script(c_run);
  add_json(c_run, run.json);
  c_run->footer(
      std::string("Examples:\n  osteon run examples/bone.toml\n  osteon run -n 4 -t 2 bone.toml -o /scratch/bone.out\n"
                  "  osteon run script.txt --units mm\n"
                  "  mpirun -np 64 osteon run bone.toml\n\n") +
      exit_codes);

  auto* c_resume = cli.add_subcommand("resume", "Continue a job that was ended, from its checkpoint");
  c_resume->add_option("checkpoint", directory, "Folder of the checkpoint, or the job's output directory")->required();
  c_resume->add_option("-n,--ranks", run.ranks, "MPI processes to start; any number continues")->check(CLI::PositiveNumber);
  c_resume->add_option("-t,--threads", run.threads, "OpenMP threads of each process")->check(CLI::PositiveNumber);
  add_script(c_resume);
  c_resume->add_flag("!--no-report", run.report, "Do not make report.html");
  add_json(c_resume, run.json);
  c_resume->footer(std::string("Example:\n  osteon resume bone.out\n\n") + exit_codes);

  auto* c_check = cli.add_subcommand("check", "Say everything that is wrong with a job file");
  add_job(c_check, job);
  add_script(c_check);
  add_json(c_check, json);
  c_check->footer("Example:\n  osteon check examples/bone.toml");

  auto* c_estimate =
      cli.add_subcommand("estimate", "Say what a job would take, without solving it (imports the image if need be)");
  add_job(c_estimate, job);
  c_estimate->add_option("-n,--ranks", ranks, "Number of MPI processes to estimate for")->check(CLI::PositiveNumber);
  add_script(c_estimate);
  add_json(c_estimate, json);
  c_estimate->footer("Example:\n  osteon estimate examples/bone.toml --ranks 64");

  auto* c_import = cli.add_subcommand("import", "Turn the image of a job into a model file");
  add_job(c_import, job);
  c_import->add_option("-o,--output", model, "Model file to write (default: model.nc in the output directory)");
  add_script(c_import);
  add_json(c_import, json);
  c_import->footer("Example:\n  osteon import examples/bone.toml -o bone.nc");

  auto* c_verify = cli.add_subcommand("verify", "Check models and results: does each value match the digests in the file?");
  c_verify->add_option("file", files, "Files of osteon (model.nc, results.nc), or copies of them by nccopy")->required();
  c_verify->add_flag("--seal", seal, "Seal a copy that is whole, so that it can be used as a model");
  add_json(c_verify, json);
  c_verify->footer(
      std::string("Tells which field and which planes are damaged.\n\nExamples:\n  osteon verify bone.out/results.nc\n"
                  "  nccopy -d 9 model.nc small.nc && osteon verify --seal small.nc\n\n") +
      exit_codes);

  auto* c_convert = cli.add_subcommand("convert", "Turn a VOX-FE script and its model into a model file, or back");
  c_convert->add_option("in", from, "VOX-FE script, or model file")->required();
  c_convert->add_option("out", to, "Model file, or script to write; its other files go beside it")->required();
  add_script(c_convert);
  add_json(c_convert, json);
  c_convert->footer("Examples:\n  osteon convert script.txt model.nc\n  osteon convert model.nc text/script.txt");

  auto* c_report = cli.add_subcommand("report", "Make report.html again from an output directory");
  c_report->add_option("directory", directory, "Output directory of a finished job")->required();
  c_report->footer("Example:\n  osteon report bone.out");

  auto* c_export = cli.add_subcommand("export", "Write a field of a result as an image: VTI, NRRD, NIfTI, TIFF, npy");
  app::export_options image;
  c_export->add_option("results", image.source, "results.nc (or model.nc) of a job")->required();
  c_export->add_option("-o,--output", image.target, "Image to write: .vti .nrrd .nii .nii.gz .tif .npy")->required();
  c_export->add_option("-f,--field", image.fields, "Field of the result; may be repeated for .vti (default: all)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  c_export->add_option("--component", image.component, "One component: x y z or xx yy zz xy yz xz, along the image's axes");
  c_export->add_option("--empty", image.empty, "Value of voxels without solid (default: NaN)")->check(CLI::Number);
  c_export->footer(
      "Examples:\n  osteon export bone.out/results.nc --field von_mises -o von_mises.nrrd\n"
      "  osteon export bone.out/results.nc -o all.vti");

  auto* c_render = cli.add_subcommand("render", "Make pictures of a field of a results file");
  job::render_request shot;
  std::vector<double> range, percentiles, clip;
  bool parallel_rays = false;
  c_render->add_option("results", shot.file, "results.nc (or model.nc) of a job")->required();
  c_render->add_option("-f,--field", shot.field, "Field; vectors by their magnitude (default: sed, or the first field)");
  c_render->add_option("-m,--map", shot.map, "Colours: batlow, inferno, lipari, viridis, vik (default inferno)");
  c_render->add_option("--method", shot.method, "volume: light through bone and glow; maximum or average along each ray")
      ->check(CLI::IsMember({"volume", "maximum", "average"}));
  c_render->add_option("--range", range, "Values at the ends of the colours (default: percentiles)")->expected(2);
  c_render->add_option("--percentiles", percentiles, "The same as percentages of the values (default 50 99.5)")->expected(2);
  c_render->add_option("--solid", shot.bone_opacity, "Opacity of the solid's surface, 0 to 1 (default 0.16; 0: not shown)");
  c_render->add_option("--width", shot.width, "Width in pixels (default 1024)");
  c_render->add_option("--height", shot.height, "Height in pixels (default 1024)");
  c_render->add_option("--azimuth", shot.view.azimuth_deg, "Direction of view around the z axis in degrees (default 35)");
  c_render->add_option("--elevation", shot.view.elevation_deg, "Height of the view in degrees (default 22)");
  c_render->add_option("--zoom", shot.view.zoom, "1 fits the specimen into the picture");
  c_render->add_flag("--orthographic", parallel_rays, "Parallel rays: no perspective");
  c_render->add_option("--step", shot.step_voxels, "Length of a step in voxels (default 0.5)");
  c_render->add_option("--clip", clip, "Cut away what lies beyond a plane: normal x y z and offset in mm; may be repeated")
      ->expected(4)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  c_render->add_flag("--light", shot.light, "A light background, for print");
  c_render->add_flag("!--plain", shot.annotated, "No box, axes, scale, colour bar and title");
  c_render->add_option("--title", shot.title, "Title (default: that of the file)");
  c_render->add_option("--orbit", shot.orbit,
                       "This many numbered frames around the z axis, with data.csv: a Cinema database");
  c_render->add_option("--elevations", shot.elevations, "Heights of the views of an orbit in degrees")->delimiter(',');
  c_render->add_option("-o,--output", shot.output,
                       "Picture (.png; .npy: linear RGBA float) or folder of an orbit (default: named after the field, "
                       "beside the results)");
  add_json(c_render, json);
  c_render->footer(
      "Alone it uses all cores. More: docs/rendering.md\n\nExamples:\n  osteon render bone.out/results.nc\n"
      "  osteon render bone.out/results.nc --field von_mises --map batlow --clip 0 0 1 1.2\n"
      "  osteon render bone.out/results.nc --method maximum --light -o mip.png\n"
      "  mpirun -n 4 osteon render bone.out/results.nc --orbit 36 --elevations 0,25,50 -o bone.cdb");

  auto* c_bench = cli.add_subcommand("bench", "Measure how fast a part of osteon is");
  c_bench->require_subcommand(1);
  c_bench->footer("Example:\n  OMP_NUM_THREADS=1 osteon bench render");
  bench::render_options casting;
  auto* c_bench_render = c_bench->add_subcommand("render", "Samples a second of the ray caster, beside what is possible");
  c_bench_render->add_option("--edge", casting.edge, "Voxels along the cube (default 256)");
  c_bench_render->add_option("--pixels", casting.pixels, "Width and height of the picture (default 512)");
  c_bench_render->add_option("--step", casting.step_voxels, "Length of a step in voxels (default 1)");
  c_bench_render->add_option("--frames", casting.frames, "Frames of each scene; the fastest counts (default 3)");
  c_bench_render->add_option("--pictures", casting.pictures, "Folder for the pictures and the volume, as npy");
  add_json(c_bench_render, json);
  c_bench_render->footer("Examples:\n  OMP_NUM_THREADS=1 osteon bench render\n  mpirun -n 4 osteon bench render --edge 512");

  auto* c_schema =
      cli.add_subcommand("schema", "Print the JSON Schema of a job file: every key, its type, unit and meaning");
  c_schema->footer("Example:\n  osteon schema > job.schema.json");

  auto* c_version = cli.add_subcommand("version", "Print the version and how it was built");
  add_json(c_version, json);
  c_version->footer("Example:\n  osteon version --json -");

  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return cli.exit(e) == 0 ? 0 : exit_code(error_kind::usage);
  }
  run.script = script;
  if (run.io == "text-serial") {
    run.script.serial_text = true;
    run.io.reset();
  }
  if (*c_run) return app::run(run);
  if (*c_resume) return app::resume(directory, run);
  if (*c_check) return app::check(job, script, json);
  if (*c_estimate) return app::estimate(job, ranks, script, json);
  if (*c_import) return app::import(job, model, script, json);
  if (*c_verify) return app::verify(files, seal, json);
  if (*c_convert) return app::convert(from, to, script, json);
  if (*c_report) return app::report(directory);
  if (*c_export) return app::export_image(image);
  if (*c_render) {
    shot.view.perspective = !parallel_rays;
    if (!range.empty()) shot.low = range[0], shot.high = range[1];
    if (!percentiles.empty()) shot.percentiles = {percentiles[0], percentiles[1]};
    for (std::size_t i = 0; i + 4 <= clip.size(); i += 4)
      shot.clip.push_back({clip[i], clip[i + 1], clip[i + 2], clip[i + 3]});
    return app::render(shot, json);
  }
  if (*c_bench_render) return app::bench_render(casting, json);
  if (*c_schema) return app::schema();
  return app::version(json);
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // Fields come and go in the course of a job. Blocks of their own go back to the system when they are freed; on the heap
  // they would leave holes, which are an eighth of what a solver takes.
  mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
  try {
    return dispatch(argc, argv);
  } catch (const osteon::error& e) {
    fmt::print(stderr, "osteon: {}\n", e.what());
    return osteon::exit_code(e.kind());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "osteon: out of memory; `osteon estimate` says what a job takes\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "osteon: {}\n", e.what());
  }
  return osteon::exit_code(osteon::error_kind::machine);
}
