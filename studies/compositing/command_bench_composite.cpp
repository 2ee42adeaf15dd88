#include <fmt/format.h>
#include <omp.h>

#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/render/compositing/probe_machine.hpp>
#include <studies/compositing/commands.hpp>
#include <studies/compositing/model/composite_model.hpp>
#include <studies/compositing/pixels/compression.hpp>
#include <studies/compositing/pixels/fast_blend.hpp>
#include <studies/measure/bench_row.hpp>

namespace osteon::studies {

using namespace app;

namespace {

/// Options of `osteon bench composite`.
struct bench_composite_options {
  int ranks = 4;
  std::optional<int> threads;
  std::vector<std::string> ways;
  int width = 512, height = 512;
  std::string format = "rgba8";
  double active = 1, seconds = 3;
  std::string binding = "none";
  int ranks_per_domain = 4;
  bool blend = false, compress = false, as_threads = false;
  std::string json;
};

kernel::pixel_format format_named(const std::string& name) {
  for (const bool depth : {false, true})
    for (const auto colour : {kernel::colour_format::rgba8, kernel::colour_format::rgba16, kernel::colour_format::rgba16f,
                              kernel::colour_format::rgba32f})
      if (kernel::name_of({colour, depth}) == name) return {colour, depth};
  throw usage_error(fmt::format("pixels of '{}': use rgba8, rgba16, rgba16f or rgba32f, followed by +z for depth", name));
}

nlohmann::ordered_json rows_of(std::span<const composite_cost> costs) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& c : costs)
    for (const auto& [quantity, value, unit] : {std::tuple{"best", c.best_fps, "frames/s"},
                                                {"median", c.median_fps, "frames/s"},
                                                {"cpu", c.cpu_ms, "CPU ms/frame"},
                                                {"sent by a rank at most", c.bytes_max, "B/frame"},
                                                {"sent by all", c.bytes_sum, "B/frame"},
                                                {"blending", c.blend_ms, "ms"},
                                                {"sending and waiting", c.exchange_ms, "ms"},
                                                {"collecting", c.collect_ms, "ms"},
                                                {"error", c.error, "units of the last place"}})
      rows.push_back(bench_row(c.name + ", " + quantity, value, unit));
  for (const auto& c : costs)
    if (c.display_ms) rows.push_back(bench_row(c.name + ", to the display node", *c.display_ms, "ms"));
  return rows;
}

nlohmann::ordered_json bytes_by_rank(std::span<const composite_cost> costs) {
  auto answer = nlohmann::ordered_json::object();
  for (const auto& c : costs) answer[c.name] = c.bytes;
  return answer;
}

void print_table(std::span<const composite_cost> costs) {
  fmt::print("{:<28} {:>9} {:>9} {:>8} {:>10} {:>10} {:>8} {:>8} {:>8} {:>8} {:>7}\n", "", "best FPS", "median", "CPU ms",
             "max bytes", "all bytes", "blend", "exchange", "collect", "display", "error");
  for (const auto& c : costs)
    fmt::print("{:<28} {:9.0f} {:9.0f} {:8.3f} {:10.0f} {:10.0f} {:8.3f} {:8.3f} {:8.3f} {:>8} {:7.3f}\n", c.name,
               c.best_fps, c.median_fps, c.cpu_ms, c.bytes_max, c.bytes_sum, c.blend_ms, c.exchange_ms, c.collect_ms,
               c.display_ms ? fmt::format("{:.3f}", *c.display_ms) : "-", c.error);
}

struct modelled {
  const composite_cost* measured;
  std::vector<composite_prediction> predictions;
};

// Rows that follow the measured rows. These rows contain predictions of the models, and ratios of the measured median to the
// predictions.
void add_model_rows(nlohmann::ordered_json& rows, std::span<const modelled> ways) {
  for (const auto& [measured, predictions] : ways)
    for (const auto& p : predictions)
      for (const auto& [model, fps] :
           {std::pair{"printed equation", p.printed}, {"extended model", std::optional(p.extended)}})
        if (fps) {
          rows.push_back(bench_row(fmt::format("{}, {}, {}", measured->name, model, p.machine), *fps, "frames/s"));
          rows.back()["peer"] = "measured median";
          rows.back()["ratio"] = measured->median_fps / *fps;
        }
}

void print_models(std::span<const modelled> ways) {
  fmt::print("\n{:<28} {:<28} {:>9} {:>9} {:>9} {:>9}\n", "frames/s of the models", "", "printed", "extended", "measured",
             "ratio");
  for (const auto& [measured, predictions] : ways)
    for (const auto& p : predictions)
      fmt::print("{:<28} {:<28} {:>9} {:9.0f} {:9.0f} {:9.2f}\n", measured->name, p.machine,
                 p.printed ? fmt::format("{:.0f}", *p.printed) : "-", p.extended, measured->median_fps,
                 measured->median_fps / p.extended);
}

composite_case case_of(const bench_composite_options& options) {
  composite_case scene;
  scene.width = options.width;
  scene.height = options.height;
  scene.active = options.active;
  scene.seconds = options.seconds;
  scene.format = format_named(options.format);
  return scene;
}

nlohmann::ordered_json answer_of(const bench_composite_options& options, int ranks, int threads) {
  return {{"schema", "osteon.bench/1"}, {"ranks", ranks},           {"threads", threads},      {"width", options.width},
          {"height", options.height},   {"format", options.format}, {"active", options.active}};
}

// The ranks are threads of this process.
int measure_as_threads(const bench_composite_options& options) {
  if (options.threads || options.binding != "none")
    throw usage_error("--as-threads runs one unbound thread per rank: omit --threads and --binding");
  std::vector<std::string> methods = options.ways;
  if (methods.empty()) methods = {"direct-send", "binary-swap"};
  const auto costs = measure_among_threads(case_of(options), options.ranks, methods);
  if (options.json != "-") print_table(costs);
  auto answer = answer_of(options, 1, options.ranks);
  answer["bytes_by_rank"] = bytes_by_rank(costs);
  answer["rows"] = rows_of(costs);
  write_json(options.json, answer);
  return 0;
}

void measure_as_rank(MPI_Comm comm, const bench_composite_options& options) {
  const int rank = comm::rank(comm);
  composite_case scene;
  std::string bound;
  comm::collectively(comm, [&] {
    scene = case_of(options);
    bound = studies::bind(rank, options.binding, options.ranks_per_domain);
  });
  if (options.threads) omp_set_num_threads(*options.threads);
  std::vector<composite_way> ways;
  std::vector<std::string> names = options.ways;
  if (names.empty()) names = {"shared", "direct-send", "binary-swap"};
  for (const std::string& name : names) ways.push_back(make_way(comm, scene, name));
  const auto here = render::probe_machine(comm, scene.format, render::layout_of(comm, 0));
  const auto costs = measure(comm, scene, ways);
  if (rank != 0) return;
  std::vector<modelled> models;
  for (const auto& c : costs) models.push_back({&c, predict(c.name, scene, comm::size(comm), here)});
  auto rows = rows_of(costs);
  add_model_rows(rows, models);
  auto choices = nlohmann::ordered_json::array();
  for (const auto& way : ways)
    if (!way.log.empty()) choices.push_back(way.log);
  auto answer = answer_of(options, comm::size(comm), omp_get_max_threads());
  answer["binding"] = bound;
  answer["choices"] = choices;
  answer["bytes_by_rank"] = bytes_by_rank(costs);
  answer["rows"] = rows;
  if (options.json != "-") {
    for (const auto& log : choices) fmt::print("{}\n", log.get<std::string>());
    print_table(costs);
    print_models(models);
  }
  write_json(options.json, answer);
}

int measure_blending(const bench_composite_options& options) {
  auto rows = nlohmann::ordered_json::array();
  for (const std::int64_t pixels : {2048, 512 * 512})
    for (const auto& [name, layers] : {std::pair{"rgba8", 2},
                                       {"rgba8", 4},
                                       {"rgba8", 16},
                                       {"rgba16f", 2},
                                       {"rgba32f", 2},
                                       {"rgba32f", 4},
                                       {"rgba8+z", 2}}) {
      const double rate = blend_rate(format_named(name), layers, pixels, options.seconds / 14);
      rows.push_back(bench_row(fmt::format("{} layers of {} pixels of {}", layers, pixels, name), rate, "Mpixels/CPU s"));
      if (options.json != "-")
        fmt::print("{:<40} {:8.0f} Mpixels of the result in a CPU second\n", rows.back()["name"].get<std::string>(), rate);
    }
  // The two fast blends of [Ono] are compared with the exact blend.
  if (options.json != "-")
    fmt::print("\n{:<14} {:>7} {:>16} {:>14} {:>14}\n", "RGBA8", "layers", "Mpixels/CPU s", "worst error", "mean error");
  for (const int layers : {2, 4, 16})
    for (const blend_figures& f : compare_blends(layers, 512 * 512, options.seconds / 20)) {
      const std::string name = fmt::format("{}, {} layers", f.name, layers);
      rows.push_back(bench_row(name, 1e-6 * f.rate, "Mpixels/CPU s"));
      rows.push_back(bench_row(name + ", error", f.worst, "units of the last place"));
      rows.push_back(bench_row(name + ", mean error", f.mean, "units of the last place"));
      if (options.json != "-")
        fmt::print("{:<14} {:>7} {:>16.0f} {:>14.3f} {:>14.4f}\n", f.name, layers, 1e-6 * f.rate, f.worst, f.mean);
    }
  write_json(options.json, {{"schema", "osteon.bench/1"}, {"rows", rows}});
  return 0;
}

int measure_compressing(const bench_composite_options& options) {
  auto rows = nlohmann::ordered_json::array();
  if (options.json != "-")
    fmt::print("{:<22} {:<12} {:>9} {:>16} {:>16} {:>18}\n", "picture", "code", "share %", "forth, MB/CPU s",
               "back, MB/CPU s", "pays below MB/s");
  for (const compression_figures& f : compare_compression(options.width, options.height, options.seconds / 12)) {
    const std::string name = f.picture + ", " + f.code;
    rows.push_back(bench_row(name + ", share", 100 * f.share, "%"));
    rows.push_back(bench_row(name + ", compressing", 1e-6 * f.compressed, "MB/CPU s"));
    rows.push_back(bench_row(name + ", restoring", 1e-6 * f.restored, "MB/CPU s"));
    rows.push_back(bench_row(name + ", pays on a link below", 1e-6 * f.breaks_even, "MB/s"));
    if (options.json != "-")
      fmt::print("{:<22} {:<12} {:>9.1f} {:>16.0f} {:>16.0f} {:>18}\n", f.picture, f.code, 100 * f.share,
                 1e-6 * f.compressed, 1e-6 * f.restored,
                 f.breaks_even > 0 ? fmt::format("{:.0f}", 1e-6 * f.breaks_even) : "never");
  }
  write_json(options.json, {{"schema", "osteon.bench/1"}, {"rows", rows}});
  return 0;
}

int bench_composite(const bench_composite_options& options, const std::vector<std::string>& arguments) {
  if (options.blend) return measure_blending(options);
  if (options.compress) return measure_compressing(options);
  if (options.as_threads) return measure_as_threads(options);
  if (!under_launcher()) return start_ranks(options.ranks, options.threads.value_or(1), arguments);
  return on_all_ranks([&](MPI_Comm comm) { measure_as_rank(comm, options); });
}

}  // namespace

void add_bench_composite(registry& commands) {
  const auto o = std::make_shared<bench_composite_options>();
  command c = commands.add("bench", "composite", "Measure the compositing of partial images of all ranks",
                           [o, arguments = commands.arguments()] { return bench_composite(*o, arguments); });
  c.add_option("-n,--ranks", o->ranks, "MPI processes to start (default: 4)").positive();
  c.add_option("-t,--threads", o->threads, "OpenMP threads of each process").positive();
  add_repeatable(
      c, "-w,--way", o->ways,
      "auto (three are tried, one is kept), shared, shared:RANKS, fragments (each pixel sorted by depth), or a method "
      "of `osteon plan` or binary-swap:rectangles, with +sparse, +parts, +narrow, +checked or +display (the last rank "
      "receives "
      "the finished picture); may be repeated (default: shared, direct-send, binary-swap)");
  c.add_option("--width", o->width, "Pixels across (default: 512)").between(1, 65536);
  c.add_option("--height", o->height, "Pixels down (default: 512)").between(1, 65536);
  c.add_option("--format", o->format, "rgba8, rgba16, rgba16f or rgba32f, with +z for depth (default: rgba8)");
  c.add_option("--active", o->active, "Fraction of the picture that each rank fills (default: 1)").between(0.0, 1.0);
  c.add_option("--binding", o->binding, "none, numa_1 (ranks by fours on a memory domain) or numa_2 (round robin)")
      .one_of({"none", "numa_1", "numa_2"});
  c.add_option("--ranks-per-domain", o->ranks_per_domain, "Consecutive ranks on a domain for numa_1 (default: 4)")
      .positive();
  c.add_option("--seconds", o->seconds, "Total measuring time of all methods (default: 3)").between(0.0, 3600.0);
  c.add_flag("--as-threads", o->as_threads,
             "The ranks are threads of one process, which composite in its memory without MPI; methods are then those of "
             "`osteon plan`, with +parts or +narrow (default: direct-send, binary-swap)");
  c.add_flag(
      "--blend", o->blend,
      "Measure only the blending of one thread, in pixels per second; with the two fast ones of [Ono] and their errors");
  c.add_flag("--compress", o->compress,
             "Measure only compression of pixels by value, run lengths and differences: size, speed, and useful link rates");
  add_json(c, o->json);
  c.footer(
      "Every picture is compared with the exact one.\n\nExamples:\n  osteon bench composite -n 4 -w shared -w binary-swap "
      "-w multi-step:2\n"
      "  osteon bench composite -n 8 --active 0.15 -w direct-send+sparse\n  osteon bench composite -n 4 --as-threads -w "
      "tree -w radix-k:4\n  osteon bench composite --blend\n  osteon bench composite --compress");
}

}  // namespace osteon::studies
