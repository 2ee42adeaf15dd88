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

  app::plan_options plan;
  auto* c_plan =
      cli.add_subcommand("plan", "Show what compositing methods ask of ranks, and verify their plans without MPI");
  const auto add_plan = [&](CLI::App* command, CLI::Option* methods) {
    methods->description("Methods, such as binary-swap, radix-k:8,4 or multi-step:512 (docs/compositing.md)");
    command->add_option("-n,--ranks", plan.ranks, "Number of ranks (default: 8)")->check(CLI::PositiveNumber);
    command->add_option("--pixels", plan.pixels, "Size of the image, WIDTHxHEIGHT or a number of pixels")
        ->capture_default_str();
    command
        ->add_option("--order", plan.order,
                     "Ranks from front to back: identity, reverse, shuffle, shuffle:SEED, or a list such as 2,0,1")
        ->capture_default_str();
    command->add_option("--root", plan.root, "Rank that gets the picture; none: parts stay with their owners")
        ->capture_default_str();
    command->add_option("--ranks-per-host", plan.ranks_per_host, "For hybrid and +leaders: so many consecutive ranks a host")
        ->check(CLI::PositiveNumber);
    command->add_option("--active", plan.active, "Share of the image that each rank has drawn, as a box")
        ->check(CLI::Range(1e-6, 1.0));
  };
  add_plan(c_plan, c_plan->add_option("method", plan.methods));
  c_plan->add_option("--bytes-per-pixel", plan.bytes_per_pixel, "4 for RGBA8, 16 for RGBA32F")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_json(c_plan, plan.json);
  c_plan->footer(
      "Without a method, all known ones are shown.\n\nExamples:\n  osteon plan -n 100 --order shuffle\n"
      "  osteon plan binary-swap multi-step:512 -n 2048 --pixels 1920x1080\n"
      "  osteon plan draw radix-k:4 -n 8 -o plan.svg");
  auto* c_draw = c_plan->add_subcommand("draw", "Draw a plan as SVG: ranks as rows, rounds as columns");
  std::string picture = "plan.svg";
  add_plan(c_draw, c_draw->add_option("method", plan.methods)->required()->expected(1));
  c_draw->add_option("-o,--output", picture, "Picture to write; - for standard output")->capture_default_str();
  c_draw->footer("Example:\n  osteon plan draw binary-swap -n 6 -o plan.svg");
  c_plan->require_subcommand(0, 1);

  auto* c_report = cli.add_subcommand("report", "Make report.html again from an output directory");
  c_report->add_option("directory", directory, "Output directory of a finished job")->required();
  c_report->footer("Example:\n  osteon report bone.out");

  auto* c_export =
      cli.add_subcommand("export", "Write a field of a result as an image: VTI, NRRD, NIfTI, TIFF, OME-Zarr, npy");
  app::export_options image;
  c_export->add_option("results", image.source, "results.nc (or model.nc) of a job")->required();
  c_export->add_option("-o,--output", image.target, "Image to write: .vti .nrrd .nii .nii.gz .tif .ome.zarr .npy")
      ->required();
  c_export->add_option("-f,--field", image.fields, "Field of the result; may be repeated for .vti (default: all)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  c_export->add_option("--component", image.component, "One component: x y z or xx yy zz xy yz xz, along the image's axes");
  c_export->add_option("--empty", image.empty, "Value of voxels without solid (default: NaN)")->check(CLI::Number);
  c_export->footer(
      "Examples:\n  osteon export bone.out/results.nc --field von_mises -o von_mises.nrrd\n"
      "  osteon export bone.out/results.nc -o all.vti");

  auto* c_net = cli.add_subcommand("net", "Say what communication costs, without doing any");
  c_net->require_subcommand(1);
  c_net->footer("Examples:\n  osteon net cost --method binary-swap -n 1024\n  osteon net paper compositing");
  app::net_cost_options cost;
  auto* c_net_cost = c_net->add_subcommand("cost", "Time of a frame of a compositing method on a machine");
  c_net_cost
      ->add_option("--method", cost.method,
                   "as `osteon plan` takes it; equations are printed for binary-swap and multi-step:P")
      ->capture_default_str();
  c_net_cost->add_option("-n,--ranks", cost.ranks, "Number of ranks; the equations need a power of two")
      ->required()
      ->check(CLI::Range(2, 1 << 24));
  c_net_cost->add_option("--pixels", cost.pixels, "Width x height of the picture")->capture_default_str();
  c_net_cost->add_option("--bytes-per-pixel", cost.bytes_per_pixel, "4 for RGBA8, 16 for RGBA32F")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  c_net_cost->add_option("--machine", cost.machine, "bgl, ha8000, or a JSON file (docs/theory/compositing.md)")
      ->capture_default_str();
  add_json(c_net_cost, cost.json);
  c_net_cost->footer(
      "Examples:\n  osteon net cost --method multi-step:512 -n 4096 --machine ha8000\n"
      "  osteon net cost -n 6 --pixels 1920x1080 --machine machine.json --json -");
  auto* c_net_paper = c_net->add_subcommand("paper", "Frames per second of a paper beside those of the models");
  std::string paper;
  c_net_paper->add_option("name", paper, "compositing")->required()->check(CLI::IsMember({"compositing"}));
  add_json(c_net_paper, json);
  c_net_paper->footer("Example:\n  osteon net paper compositing");
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
  c_render->add_option("--film", shot.film, "A film of an orbit (.mp4), if ffmpeg is installed");
  c_render->add_option("-o,--output", shot.output,
                       "Picture (.png; .npy: linear RGBA float) or folder of an orbit (default: named after the field, "
                       "beside the results)");
  add_json(c_render, json);
  c_render->footer(
      "Alone it uses all cores. More: docs/rendering.md\n\nExamples:\n  osteon render bone.out/results.nc\n"
      "  osteon render bone.out/results.nc --field von_mises --map batlow --clip 0 0 1 1.2\n"
      "  osteon render bone.out/results.nc --method maximum --light -o mip.png\n"
      "  mpirun -n 4 osteon render bone.out/results.nc --orbit 36 --elevations 0,25,50 -o bone.cdb");

  auto* c_bench = cli.add_subcommand("bench", "Measure parts of osteon on this machine");
  c_bench->require_subcommand(1);
  c_bench->footer(
      "Examples:\n  OMP_NUM_THREADS=1 osteon bench render\n  osteon bench composite -n 4 -w shared -w binary-swap");
  bench::render_options casting;
  auto* c_bench_render = c_bench->add_subcommand("render", "Samples a second of the ray caster, beside what is possible");
  c_bench_render->add_option("--edge", casting.edge, "Voxels along the cube (default 256)");
  c_bench_render->add_option("--pixels", casting.pixels, "Width and height of the picture (default 512)");
  c_bench_render->add_option("--step", casting.step_voxels, "Length of a step in voxels (default 1)");
  c_bench_render->add_option("--frames", casting.frames, "Frames of each scene; the fastest counts (default 3)");
  c_bench_render->add_option("--pictures", casting.pictures, "Folder for the pictures and the volume, as npy");
  add_json(c_bench_render, json);
  c_bench_render->footer("Examples:\n  OMP_NUM_THREADS=1 osteon bench render\n  mpirun -n 4 osteon bench render --edge 512");

  app::bench_composite_options frames;
  auto* c_composite =
      c_bench->add_subcommand("composite", "Partial images of all ranks into one picture, frame after frame");
  c_composite->add_option("-n,--ranks", frames.ranks, "MPI processes to start (default: 4)")->check(CLI::PositiveNumber);
  c_composite->add_option("-t,--threads", frames.threads, "OpenMP threads of each process")->check(CLI::PositiveNumber);
  c_composite
      ->add_option("-w,--way", frames.ways,
                   "auto (three are tried, one is kept), shared, shared:RANKS, or a method of `osteon plan`, with +sparse, "
                   "+parts, +narrow or +checked; may be repeated (default: shared, direct-send, binary-swap)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  c_composite->add_option("--width", frames.width, "Pixels across (default: 512)")->check(CLI::Range(1, 65536));
  c_composite->add_option("--height", frames.height, "Pixels down (default: 512)")->check(CLI::Range(1, 65536));
  c_composite->add_option("--format", frames.format,
                          "rgba8, rgba16, rgba16f or rgba32f, with +z for depth (default: rgba8)");
  c_composite->add_option("--active", frames.active, "Share of the picture that each rank fills (default: 1)")
      ->check(CLI::Range(0.0, 1.0));
  c_composite
      ->add_option("--binding", frames.binding, "none, numa_1 (ranks by fours on a memory domain) or numa_2 (dealt out)")
      ->check(CLI::IsMember({"none", "numa_1", "numa_2"}));
  c_composite->add_option("--ranks-per-domain", frames.ranks_per_domain, "Ranks that numa_1 puts together (default: 4)")
      ->check(CLI::PositiveNumber);
  c_composite->add_option("--seconds", frames.seconds, "Time to measure, all ways together (default: 3)")
      ->check(CLI::Range(0.0, 3600.0));
  c_composite->add_flag("--blend", frames.blend, "Only the blending of one thread, in pixels a second");
  add_json(c_composite, frames.json);
  c_composite->footer(
      "Every picture is compared with the exact one.\n\nExamples:\n  osteon bench composite -n 4 -w shared -w binary-swap "
      "-w multi-step:2\n"
      "  osteon bench composite -n 8 --active 0.15 -w direct-send+sparse\n  osteon bench composite --blend");

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
  if (*c_draw) return app::plan_drawing(plan, picture);
  if (*c_plan) return app::plan_table(plan);
  if (*c_report) return app::report(directory);
  if (*c_export) return app::export_image(image);
  if (*c_net_cost) return app::net_cost(cost);
  if (*c_net_paper) return app::net_paper_compositing(json);
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
  if (*c_composite) return app::bench_composite(frames, {argv + 1, argv + argc});
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
