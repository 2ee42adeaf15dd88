#include <osteon/job/variants/uncertainty.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

using cause = changed_image::cause;

constexpr double least_order = 0.5, most_order = 2.5;
constexpr int noises = 2;

constexpr const char* key_of(cause of) {
  return of == cause::threshold ? "threshold" : of == cause::voxel_size ? "voxel_size" : "noise";
}
constexpr const char* title_of(cause of) {
  return of == cause::threshold ? "threshold" : of == cause::voxel_size ? "voxel size" : "noise";
}

// The values of an answer on the changed images, and the uncertainties that are computed from these values.
class known_answer {
 public:
  known_answer(const std::string& key, const std::string& title, const std::string& unit, double value,
               std::span<const changed_image> images)
      : entry_{{"key", key}, {"title", title}, {"unit", unit}, {"value", value}},
        value_(value),
        images_(images),
        others_(images.size()) {}
  void put(std::size_t image, double value) { others_[image] = value; }
  bool is_known() const {
    return std::any_of(others_.begin(), others_.end(), [](const auto& o) { return o.has_value(); });
  }

  json take(bool in_table, const std::string& load_case) {
    if (!load_case.empty()) entry_["case"] = load_case;
    double square = 0;
    for (const cause of : {cause::threshold, cause::voxel_size, cause::noise}) {
      if (std::none_of(images_.begin(), images_.end(), [&](const auto& i) { return i.of == of; })) continue;
      const std::optional<double> by = of == cause::voxel_size ? by_voxel_size() : by_differences(of);
      entry_[key_of(of)] = by ? json(*by) : json(nullptr);
      square += by ? *by * *by : 0;
    }
    const double total = std::sqrt(square);
    entry_["total"] = total;
    entry_["low"] = value_ - coverage_factor * total;
    entry_["high"] = value_ + coverage_factor * total;
    entry_["in_table"] = in_table;
    return std::move(entry_);
  }

 private:
  // The root mean square of deviations. The deviations are those of two thresholds, each at a distance of one standard
  // deviation, or those of several noises.
  std::optional<double> by_differences(cause of) const {
    double square = 0;
    int count = 0;
    for (std::size_t i = 0; i < images_.size(); ++i)
      if (images_[i].of == of && others_[i]) {
        square += (*others_[i] - value_) * (*others_[i] - value_);
        ++count;
      }
    if (count == 0) return {};
    return std::sqrt(square / count);
  }
  std::optional<double> by_voxel_size() {
    std::optional<double> twice, four_times;
    for (std::size_t i = 0; i < images_.size(); ++i)
      if (images_[i].of == cause::voxel_size) (images_[i].coarsen == 2 ? twice : four_times) = others_[i];
    if (!twice) return {};
    const extrapolation e =
        four_times ? extrapolate(value_, *twice, *four_times) : extrapolation{{}, {}, std::abs(*twice - value_)};
    entry_["order"] = e.order ? json(*e.order) : json(nullptr);
    entry_["extrapolated"] = e.value ? json(*e.value) : json(nullptr);
    return e.difference;
  }

  json entry_;
  double value_;
  std::span<const changed_image> images_;
  std::vector<std::optional<double>> others_;
};

// A number of an answer. The number is the answer, or a component of a vector or a tensor along z, y, x.
struct component {
  found_answer whole;
  std::string key, title;
  double value;
  bool in_table;
};

std::vector<component> components_of(const found_answer& a) {
  constexpr const char* axes[] = {"z", "y", "x"};
  if (a.value.is_number()) return {{a, a.key, a.title, a.value, a.definition->in_table}};
  std::string title = a.title;
  for (const std::string_view ending : {" (z, y, x)", " z, y, x"})
    if (title.ends_with(ending)) title = title.substr(0, title.size() - ending.size());
  const bool is_sorted = title.starts_with("principal");
  std::vector<component> all;
  if (!a.value.is_array() || a.value.size() != 3) return all;
  for (std::size_t i = 0; i < 3; ++i) {
    if (a.value[i].is_number())
      all.push_back({a, fmt::format("{}.{}", a.key, i),
                     fmt::format("{} {}", title, is_sorted ? std::to_string(i + 1) : axes[i]), a.value[i],
                     a.definition->in_table});
    // Directions have no unit and no scalar uncertainty.
    for (std::size_t j = 0; a.value[i].is_array() && a.value[i].size() == 3 && j < 3 && !a.definition->unit.empty(); ++j)
      if (a.value[i][j].is_number())
        all.push_back({a, fmt::format("{}.{}.{}", a.key, i, j), fmt::format("{} {}{}", title, axes[i], axes[j]),
                       a.value[i][j], a.definition->in_table && i == j});
  }
  return all;
}

std::vector<component> components_in(const std::vector<answer>& all, const json& summary) {
  std::vector<component> found;
  for (const found_answer& a : answers_in(all, summary))
    for (component& c : components_of(a)) found.push_back(std::move(c));
  return found;
}

void add_answers(json& list, const std::vector<answer>& all, const json& of_job, const std::string& load_case,
                 std::span<const changed_image> images, const std::function<const json*(std::size_t)>& of_image) {
  std::vector<std::vector<component>> others(images.size());
  for (std::size_t i = 0; i < images.size(); ++i)
    if (const json* other = of_image(i)) others[i] = components_in(all, *other);
  for (const component& c : components_in(all, of_job)) {
    known_answer known(c.key, c.title, c.whole.definition->unit, c.value, images);
    for (std::size_t i = 0; i < images.size(); ++i) {
      const auto same = std::find_if(others[i].begin(), others[i].end(), [&](const component& o) { return o.key == c.key; });
      if (same != others[i].end()) known.put(i, same->value);
    }
    if (known.is_known()) list.push_back(known.take(c.in_table, load_case));
  }
}

int first_digit_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

// Format a number to the digit 10^last.
std::string rounded(double value, int last) {
  if (last < -7 || last > 9)
    return fmt::format("{:.{}e}", value, value == 0 ? 0 : std::max(0, first_digit_of(value) - last));
  if (last <= 0) return fmt::format("{:.{}f}", value, -last);
  const double unit = std::pow(10.0, last);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

// Text such as "stiffness 7184 ± 150 (threshold) ± 90 (voxel size) ± 4 (noise) N/mm: 6830 to 7530 (k = 2); 7270 N/mm at
// voxel size zero (order 1.1)". Each difference has two significant digits. The half-width of the interval with two digits
// determines the number of decimals of the interval. The smallest difference determines the number of decimals of the value.
std::string line_of(const json& a) {
  const double value = a.at("value");
  const auto difference = [&](cause of) -> std::optional<double> {
    if (!a.contains(key_of(of)) || a.at(key_of(of)).is_null()) return {};
    return a.at(key_of(of)).get<double>();
  };
  int last = value == 0 ? 0 : first_digit_of(value) - 3;
  std::string text;
  for (const cause of : {cause::threshold, cause::voxel_size, cause::noise}) {
    if (!a.contains(key_of(of))) continue;
    const std::optional<double> by = difference(of);
    text += fmt::format(" ± {} ({})", !by ? "?" : *by > 0 ? rounded(*by, first_digit_of(*by) - 1) : "0", title_of(of));
    if (by && *by > 0) last = std::min(last, first_digit_of(*by));
  }
  const std::string unit = a.at("unit").get<std::string>().empty() ? "" : " " + a.at("unit").get<std::string>();
  text =
      fmt::format("{}{} {}{}{}", a.at("title").get<std::string>(),
                  a.contains("case") ? ", case " + a.at("case").get<std::string>() : "", rounded(value, last), text, unit);
  if (const double total = a.at("total"); total > 0) {
    const int to = first_digit_of(total) - 1;
    text += fmt::format(": {} to {} (k = {:g})", rounded(a.at("low"), to), rounded(a.at("high"), to), coverage_factor);
  }
  if (a.contains("extrapolated") && a.at("extrapolated").is_number())
    text += fmt::format("; {}{} at voxel size zero (order {:.2g})", rounded(a.at("extrapolated"), last), unit,
                        a.at("order").get<double>());
  return text;
}

}  // namespace

std::vector<changed_image> changed_images(const spec& job, std::optional<double> threshold) {
  std::vector<changed_image> all;
  if (!job.uncertainty || !job.uncertainty->enabled) return all;
  const uncertainty_spec& u = *job.uncertainty;
  if (!threshold) threshold = job.segment.threshold;
  std::vector<std::string> same{"uncertainty.enabled=false", "segment.compare_connectivity=false",
                                "picture.enabled=false",     "picture.every=0",
                                "picture.film=false",        "output.morphometry=false"};
  if (!job.checkpoint.directory.empty()) same.emplace_back("checkpoint.directory=\"\"");
  if (tolerance_of(job) < tolerance_of_differences)
    same.push_back(fmt::format("solve.tolerance={}", tolerance_of_differences));
  const auto add = [&](changed_image image, const std::vector<std::string>& keys) {
    image.keys = same;
    image.keys.insert(image.keys.end(), keys.begin(), keys.end());
    all.push_back(std::move(image));
  };
  // For a changed image, the method of Otsu would find another threshold.
  std::vector<std::string> kept;
  if (threshold && !job.segment.labels) kept.push_back(fmt::format("segment.threshold={}", *threshold));
  if (u.threshold_sd)
    for (const auto& [name, sign] : {std::pair{"threshold_low", -1.0}, {"threshold_high", 1.0}}) {
      const double at = threshold.value_or(0) + sign * *u.threshold_sd;
      add({cause::threshold, name, fmt::format("a threshold of {:g}", at), 1, {}},
          {fmt::format("segment.threshold={}", at)});
    }
  if (u.voxel_size)
    for (const std::int64_t times : {2, 4}) {
      std::vector<std::string> keys = kept;
      keys.push_back(fmt::format("image.coarsen={}", times * job.image.coarsen));
      add({cause::voxel_size, fmt::format("voxels_{}", times), fmt::format("voxels of {} times the edge", times), times, {}},
          keys);
    }
  if (u.noise_sd)
    for (int n = 1; n <= noises; ++n) {
      std::vector<std::string> keys = kept;
      keys.insert(keys.end(),
                  {fmt::format("image.noise_sd={}", *u.noise_sd),
                   fmt::format("image.noise_blur_voxels={}", u.noise_blur_voxels), fmt::format("image.noise_seed={}", n)});
      add({cause::noise, fmt::format("noise_{}", n), fmt::format("noise {} of {} added", n, noises), 1, {}}, keys);
    }
  return all;
}

extrapolation extrapolate(double at_h, double at_2h, double at_4h) {
  const double near = at_2h - at_h, far = at_4h - at_2h;
  extrapolation e;
  const double order = std::log2(far / near);  // NaN if the values oscillate or are constant
  if (order >= least_order && order <= most_order) {
    e.order = order;
    e.value = at_h - near / (std::exp2(order) - 1);
    e.difference = std::abs(*e.value - at_h);
  } else {
    // Outside of the range, the largest voxels are too coarse. Their values contain no information about smaller voxels.
    e.difference = order > most_order ? std::abs(near) : std::max(std::abs(near), std::abs(far));
  }
  return e;
}

json describe_uncertainty(const spec& job, const json& summary, std::span<const changed_image> images,
                          std::span<const json> computed) {
  const std::vector<answer>& all = physics_of(job).answers;
  json list = json::array(), lines = json::array();
  if (!summary.contains("cases"))
    add_answers(list, all, summary, "", images,
                [&](std::size_t i) { return computed[i].is_null() ? nullptr : &computed[i]; });
  else
    for (std::size_t c = 0; c < summary.at("cases").size(); ++c) {
      const json& own = summary.at("cases")[c];
      add_answers(list, all, own, own.at("name"), images, [&](std::size_t i) -> const json* {
        return computed[i].is_null() ? nullptr : &computed[i].at("cases").at(c);
      });
    }
  for (const json& a : list)
    if (a.at("in_table")) lines.push_back(line_of(a));
  return {{"coverage_factor", coverage_factor}, {"words", lines}, {"answers", list}};
}

void report_uncertainty(MPI_Comm comm, const spec& job, const variant_factory& make, log_sink& log,
                        const checkpoint_options& options) {
  const bool root = comm::rank(comm) == 0;
  json summary;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  comm::collectively(comm, [&] {
    if (!root) return;
    summary = read_summary(job);
    const json& segmentation = summary.at("segmentation");
    if (const auto found = segmentation.find("threshold"); found != segmentation.end() && found->is_number())
      threshold = *found;
  });
  MPI_Bcast(&threshold, 1, MPI_DOUBLE, 0, comm);
  const auto images = changed_images(job, std::isnan(threshold) ? std::nullopt : std::optional(threshold));
  std::vector<json> computed;
  json runs = json::array();
  for (const changed_image& image : images) {
    log.note(
        fmt::format("solving for the uncertainty: {} ({} of {})", image.description, computed.size() + 1, images.size()));
    const fs::path folder = fs::path(job.output_directory) / "uncertainty" / image.name;
    const std::string description = "the job with " + image.description;
    const variant other{image.keys, folder.string(), description, description, "importing the changed image", false};
    const auto import = [&](const spec& changed) {
      import_model(changed, output_paths(changed).model, log, options.is_to_stop);
      return true;
    };
    auto [summary_of_other, fault] = solve_variant(comm, other, make, import, log, options);
    computed.push_back(std::move(summary_of_other));
    if (!root) continue;
    json run = {{"cause", key_of(image.of)}, {"words", image.description}, {"computed", !computed.back().is_null()}};
    if (fault.empty()) {
      run["elements"] = computed.back().at("elements");
      run["summary"] = (folder / "summary.json").string();
    } else {
      run["fault"] = fault;
    }
    runs.push_back(std::move(run));
  }
  comm::collectively(comm, [&] {
    if (!root) return;
    summary["uncertainty"] = describe_uncertainty(job, summary, images, computed);
    summary["uncertainty"]["runs"] = runs;
    write_file(output_paths(job).summary, to_text(summary));
  });
}

}  // namespace osteon::job
