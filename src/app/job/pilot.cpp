#include <app/job/pilot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <app/process/launcher.hpp>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/job/temporary_folder.hpp>
#include <thread>

namespace osteon::app {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t largest_edge = 80, least_edge = 8;
// The number of iterations for pieces of the bone scan and of sponges increases by an eighth if the edge doubles, with a
// spread of up to a quarter (docs/reference/estimate.md).
constexpr double growth_of_iterations = 0.12, spread_of_iterations = 0.15, spread_of_seconds = 0.15, spread_of_itself = 0.03;

struct finished_pilot {
  job::measured_run run;
  double starting = 0;  // wall seconds outside of the stages
};

class pilot {
 public:
  pilot(const job::spec& job, index3 shape, const pilot_request& request) : job_(job), shape_(shape), request_(request) {}

  job::stage_costs run() {
    const index3 large = piece_of(largest_edge), small = {half(large.z), half(large.y), half(large.x)};
    // Only the first run counts messages, because the statistics of messages at the end of a run take time. The second run
    // therefore measures the time of start and end.
    const finished_pilot first = on(small, "small", true), second = on(large, "large", false);
    job::stage_costs costs = job::costs_of(second.run, &first.run);
    costs.start = {std::min(first.starting, second.starting), 0};
    costs.report = {report(), 0};
    const double doublings =
        std::log2(std::cbrt(static_cast<double>(shape_.volume()) / static_cast<double>(large.volume())));
    const bool is_all = large.volume() == shape_.volume();
    if (!is_all)
      costs.iterations = std::max(first.run.iterations, second.run.iterations) * (1 + growth_of_iterations * doublings);
    costs.spread = spread_of_seconds;
    costs.iterations_spread = is_all ? spread_of_itself : spread_of_iterations * std::sqrt(1 + doublings);
    costs.sharing = request_.shares_host ? sharing(large, second.run) : 1;
    costs.source = fmt::format("pilot of this job on {} x {} x {} and {} x {} x {} voxels of its image on this machine ({})",
                               small.z, small.y, small.x, large.z, large.y, large.x, job::cpu_name());
    return costs;
  }

 private:
  static std::int64_t half(std::int64_t n) { return std::max(std::min(n, least_edge), n / 2); }

  // Return the shape of a piece with about edge^3 voxels, or of the whole image if the image is smaller. In a flat image,
  // the long axes of the piece exceed `edge`.
  index3 piece_of(std::int64_t edge) const {
    const double all = static_cast<double>(shape_.volume()), piece = std::pow(static_cast<double>(edge), 3);
    if (all <= piece) return shape_;
    index3 cut = shape_;
    for (std::int64_t most = edge;; ++most) {
      const auto at_most = [&](std::int64_t n) { return std::min(n, most); };
      const index3 next{at_most(shape_.z), at_most(shape_.y), at_most(shape_.x)};
      if (most > edge && static_cast<double>(next.volume()) > piece) return cut;
      cut = next;
    }
  }

  // Centre of the image, or of the crop of the job.
  std::string crop(index3 piece) const {
    std::array<std::string, 3> ranges;
    for (int a = 0; a < 3; ++a) {
      const auto& own = job_.image.crop_voxels;
      const std::int64_t begin = (own.empty() ? 0 : own[static_cast<std::size_t>(a)][0]) + (shape_[a] - piece[a]) / 2;
      ranges[static_cast<std::size_t>(a)] = fmt::format("[{},{}]", begin, begin + piece[a]);
    }
    return fmt::format("image.crop_voxels=[{}]", fmt::join(ranges, ","));
  }

  std::vector<std::string> arguments(const char* command, index3 piece, const fs::path& folder, bool pictured) const {
    std::vector<std::string> all{own_path(), command, request_.job_file};
    const auto set = [&](const std::string& change) { all.insert(all.end(), {"--set", change}); };
    for (const std::string& change : request_.set) set(change);
    set(crop(piece));
    if (job_.segment.compare_connectivity) set("segment.compare_connectivity=false");
    if (job_.uncertainty) set("uncertainty.enabled=false");
    if (job_.picture.every > 0) set("picture.every=0");
    if (!pictured) set("picture.enabled=false");
    if (pictured && job_.picture.enabled) {
      set(fmt::format("picture.width={}", picture_extent(job_.picture.width)));
      set(fmt::format("picture.height={}", picture_extent(job_.picture.height)));
    }
    const bool runs = std::string(command) == "run";
    all.insert(all.end(), {"-o", (runs ? folder : folder / "model.nc").string()});
    if (runs) all.insert(all.end(), {"-n", "1", "-t", "1", "--no-report", "--force"});
    return all;
  }
  static std::int64_t picture_extent(std::int64_t n) { return std::max<std::int64_t>(16, n / 2); }

  static void require_success(const job::program_result& done) {
    if (done.exit_code != 0) throw data_error(done.err.empty() ? "the pilot ended without a message" : done.err);
  }

  finished_pilot on(index3 piece, const char* name, bool counts_parts) {
    const fs::path folder = fs::path(scratch_.path()) / name;
    require_success(job::run_program(arguments("import", piece, folder, true)));
    const stopwatch clock;
    std::vector<std::string> all = arguments("run", piece, folder, true);
    if (counts_parts) all.emplace_back("--trace-messages");
    require_success(job::run_program(all));
    const double wall = clock.seconds();
    const nlohmann::json summary = read_summary_json(folder);
    double stages = 0;
    for (const auto& stage : summary.at("stages")) stages += stage.at("seconds").get<double>();
    return {read(summary, folder, job_.picture.enabled), std::max(0.0, wall - stages)};
  }

  static nlohmann::json read_summary_json(const fs::path& folder) {
    return valid_json_from_text<nlohmann::json>(read_text((folder / "summary.json").string()));
  }

  job::measured_run read(const nlohmann::json& summary, const fs::path& folder, bool pictured) const {
    const double pixels = pictured ? static_cast<double>(picture_extent(job_.picture.width)) *
                                         static_cast<double>(picture_extent(job_.picture.height))
                                   : 0;
    return job::run_of_summary(summary, pixels, (folder / "summary.json").string());
  }

  double report() const {
    const double before = cpu_seconds_of_children();
    job::run_program(job::python_command({"-m", "osteon.report", (fs::path(scratch_.path()) / "small").string()}));
    return cpu_seconds_of_children() - before;
  }

  // Compare a run of one copy per core, all at the same time, with a single run.
  double sharing(index3 piece, const job::measured_run& alone) {
    const int copies = job::usable_cores();
    if (copies < 2) return 1;
    std::vector<std::thread> threads;
    std::vector<job::program_result> done(static_cast<std::size_t>(copies));
    for (int i = 0; i < copies; ++i) {
      const fs::path folder = fs::path(scratch_.path()) / fmt::format("copy{}", i);
      fs::create_directories(folder);
      fs::copy_file(fs::path(scratch_.path()) / "large" / "model.nc", folder / "model.nc");
      threads.emplace_back([this, piece, folder, &result = done[static_cast<std::size_t>(i)]] {
        result = job::run_program(arguments("run", piece, folder, false));
      });
    }
    for (std::thread& t : threads) t.join();
    double sum = 0;
    for (int i = 0; i < copies; ++i) {
      require_success(done[static_cast<std::size_t>(i)]);
      const fs::path folder = fs::path(scratch_.path()) / fmt::format("copy{}", i);
      const job::measured_run one = read(read_summary_json(folder), folder, false);
      sum += one.set_up + one.solution + one.load;
    }
    return std::max(1.0, sum / copies / (alone.set_up + alone.solution + alone.load));
  }

  const job::spec& job_;
  index3 shape_;
  const pilot_request& request_;
  job::temporary_folder scratch_{"pilot"};
};

// Path of the stored constants; empty if the user has no cache folder.
fs::path kept_file(const job::spec& job, index3 shape, const pilot_request& request) {
  const std::string folder = job::cache_folder();
  if (folder.empty()) return {};
  const job::build_info build = job::this_build();
  const std::string image = job::image_path(job);
  std::error_code failed;
  const auto written = fs::last_write_time(image, failed);
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{} {} {}\n{}\n{}\n", build.version, build.git, job::cpu_name(),
                  job::usable_cores(), job.text, fmt::join(request.set, "\n"), image, shape.z, shape.y, shape.x,
                  failed ? 0 : written.time_since_epoch().count(), request.shares_host);
  return fs::path(folder) / ("costs-" + xxh64_of(std::as_bytes(std::span(key))) + ".json");
}

}  // namespace

std::optional<job::stage_costs> costs_by_pilot(const job::spec& job, index3 shape, const pilot_request& request,
                                               log_sink& log) {
  if (!job::source_of(job).is_image()) {
    log.note("pilot skipped: the model of this job is not an image that can be cropped");
    return std::nullopt;
  }
  const fs::path kept = kept_file(job, shape, request);
  if (std::ifstream file(kept); !request.anew && !kept.empty() && file) {
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    try {
      return job::parse_costs(text, kept.string());
    } catch (const error&) {  // a file of another version: repeat the pilot
    }
  }
  log.stage("running the pilot on pieces of the image");
  try {
    const job::stage_costs costs = pilot(job, shape, request).run();
    std::error_code ignored;
    if (!kept.empty()) fs::create_directories(kept.parent_path(), ignored);
    if (!kept.empty() && !ignored) job::write_file(kept.string(), job::to_text(job::to_json(costs)));
    return costs;
  } catch (const std::exception& e) {
    log.warn(fmt::format("pilot skipped: the job failed on a piece of its image: {}", e.what()));
    return std::nullopt;
  }
}

}  // namespace osteon::app
