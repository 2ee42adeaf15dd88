#include <osteon/job/import/doubtful_greys.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <osteon/job/physics_entry.hpp>
#include <vector>

namespace osteon::job {

namespace {

// Return the distinct values of an image in ascending order. The list is empty if the image has more than `most` distinct
// values, or a value that is not a whole number. Reading stops at the first plane that shows one of these two conditions.
std::vector<double> few_values_of(const voxel::image_planes& scan, std::size_t most) {
  std::vector<double> values;
  bool is_few = true;
  voxel::for_each_block(scan, [&](std::int64_t, auto block) {
    const auto* data = block.data_handle();
    for (std::int64_t i = 0; is_few && i < block.size(); ++i) {
      const auto value = static_cast<double>(data[i]);
      if (i > 0 && data[i] == data[i - 1]) continue;
      const auto at = std::lower_bound(values.begin(), values.end(), value);
      if (at != values.end() && *at == value) continue;
      is_few = values.size() < most && value == std::floor(value);
      values.insert(at, value);
    }
  });
  return is_few ? values : std::vector<double>{};
}

constexpr std::size_t most_phases = 8;   // largest number of phases of an image that is probably a label image
constexpr std::size_t most_labels = 64;  // largest number of labels in a label image of which the job uses few labels

void warn_of_labels(const voxel::image_planes& scan, const voxel::segmentation_report& found, log_sink& log) {
  if (found.grey.low != 0 || found.grey.high > 65535) return;
  const std::vector<double> values = few_values_of(scan, most_phases);
  if (values.size() < 3) return;  // any threshold separates two phases
  log.warn(
      fmt::format("segment.threshold: the image has only {} values ({:g}), which are probably labels, and Otsu's threshold "
                  "{:g} merges the larger ones; set segment.labels = true, or give a threshold",
                  values.size(), fmt::join(values, ", "), found.threshold.value_or(0)));
}

void warn_of_greys(const spec& job, const voxel::image_planes& scan, log_sink& log) {
  const std::size_t named = job.materials.size() + job.segment.void_labels.size() + physics_of(job).rules(job).labels.size();
  if (named > most_labels / 2 || !few_values_of(scan, most_labels).empty()) return;
  log.warn(
      fmt::format("segment.labels: the image has more than {} values, which are probably grey values, and the job uses {} "
                  "labels; set segment.labels = false and give a threshold, or label the image",
                  most_labels, named));
}

}  // namespace

void warn_of_doubtful_greys(const spec& job, const voxel::image_planes& scan, const voxel::segmentation_report& found,
                            const nlohmann::ordered_json& facts, log_sink& log) {
  if (job.segment.labels) return warn_of_greys(job, scan, log);
  if (found.method != "otsu") return;
  warn_of_labels(scan, found, log);
  const auto unit = facts.find("unit");
  const bool is_hu = unit != facts.end() && *unit == "HU", states_none = unit == facts.end() || unit->is_null();
  constexpr double air_HU = -500;  // about half of the value of air
  if (const double t = found.threshold.value_or(0); t < 0 && (is_hu || (states_none && found.grey.low < air_HU)))
    log.warn(
        fmt::format("segment.threshold: Otsu's threshold {:g}{} is below 0 HU (water) and separates air from tissue; give a "
                    "threshold in HU, for example 148 for trabecular and 226 for all bone",
                    t, is_hu ? " HU" : " of grey values that are probably HU"));
}

}  // namespace osteon::job
