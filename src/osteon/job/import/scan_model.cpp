#include <osteon/job/import/scan_model.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/import/classify.hpp>
#include <osteon/job/import/doubtful_greys.hpp>
#include <osteon/job/import/image_files.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/warning_record.hpp>
#include <osteon/voxel/changed_greys.hpp>
#include <osteon/voxel/crop_to_solid.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <osteon/voxel/segment.hpp>
#include <vector>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

// Format a percentage with two digits. Only a value of 100 is printed as "100".
std::string percent(std::int64_t part, std::int64_t whole) {
  const double value = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return value < 99.5 ? fmt::format("{:.2g}", value) : fmt::format("{:g}", std::floor(100 * value) / 100);
}

vector3 to_vector(const json& list) { return {list.at(0), list.at(1), list.at(2)}; }

vector3 spacing_of(const spec& job, const json& facts) {
  // The steps already use these keys of the job, and may have changed the spacing.
  if (job.image.spacing_mm && job.image.steps.empty())
    return {(*job.image.spacing_mm)[0], (*job.image.spacing_mm)[1], (*job.image.spacing_mm)[2]};
  if (!facts.contains("spacing_mm") || facts.at("spacing_mm").is_null())
    throw data_error(
        fmt::format("'{}' does not state its voxel size; add spacing_mm = [z, y, x] to [image] (and spacing_note if the "
                    "value is an assumption)",
                    image_path(job)));
  const vector3 spacing = to_vector(facts.at("spacing_mm"));
  for (int a = 0; a < 3; ++a)
    if (!(spacing[a] > 0) || spacing[a] > 1000)
      throw data_error(
          fmt::format("'{}' states an invalid voxel size of [{}, {}, {}] mm (z, y, x); give spacing_mm in [image]",
                      image_path(job), spacing.z, spacing.y, spacing.x));
  return spacing;
}

// The spacing of the job overrides the spacing of the file.
void warn_of_other_spacing(const spec& job, const json& facts, log_sink& log) {
  const char* key = job.image.steps.empty() ? "spacing_mm" : "file_spacing_mm";
  if (!job.image.spacing_mm || !facts.contains(key) || facts.at(key).is_null()) return;
  const vector3 stated = to_vector(facts.at(key)), used = to_vector(*job.image.spacing_mm);
  bool same = true;
  for (int a = 0; a < 3; ++a) same &= std::abs(stated[a] - used[a]) <= 1e-4 * used[a];
  if (!same)
    log.warn(
        fmt::format("the image file states a voxel size of [{:g}, {:g}, {:g}] mm (z, y, x), the job [{:g}, {:g}, {:g}]; the "
                    "value of the job is used",
                    stated.z, stated.y, stated.x, used.z, used.y, used.x));
}

void report_steps(const json& facts, log_sink& log) {
  std::vector<std::string> kinds;
  double most = 0;
  for (const json& step : facts.value("steps", json::array())) {
    kinds.push_back(step.at("kind"));
    most = std::max(most, step.at("bytes").get<double>());
  }
  if (!kinds.empty())
    log.note(fmt::format("image steps: {}; a step uses up to {:.2g} GB of memory", fmt::join(kinds, ", "), most * 1e-9));
}

void report_resolution(const json& facts, log_sink& log) {
  if (!facts.contains("resolution")) return;
  const json& used = facts.at("resolution");
  log.note(fmt::format("the image has {} resolutions; the finest, '{}', is used", used.at("levels").get<std::int64_t>(),
                       used.at("level").get<std::string>()));
}

// Return the density calibration of the image file, if present.
std::optional<voxel::calibration> stated_calibration(const spec& job, const json& facts, log_sink& log) {
  const bool wanted = job.density_law && job.density_law->from_image;
  if (!facts.contains("calibration")) {
    if (wanted)
      throw data_error(
          fmt::format("'{}' does not contain the calibration that density_law.from_image = true requires; give slope and "
                      "intercept, or the points of a phantom (calibration)",
                      image_path(job)));
    return std::nullopt;
  }
  const json& line = facts.at("calibration");
  const voxel::calibration stated{line.at("slope"), line.at("intercept")};
  const char* then =
      wanted ? "; the density law uses this calibration"
      : job.density_law
          ? "; the density law uses the calibration of the job; to use that of the image, set density_law.from_image = true"
          : "";
  log.note(fmt::format("density calibration of the image: {:.6g} * grey value + {:.6g} {}{}", stated.slope, stated.intercept,
                       line.value("unit", ""), then));
  return stated;
}

// Process an image after reading. The function does not add noise, because noise applies only to the scan.
voxel::image_planes taken(const spec& job, const voxel::image_planes& image) {
  const voxel::image_planes part = cropped(job, image);
  return job.image.coarsen > 1 ? voxel::coarsen(part, voxel::coarsened_shape(part.shape, job.image.coarsen)) : part;
}

using crop_ranges = std::vector<std::vector<std::int64_t>>;

// Low corner of the image part that a job imports.
index3 crop_begin(const spec& job) {
  const crop_ranges& c = job.image.crop_voxels;
  return c.empty() ? index3{} : index3{c[0][0], c[1][0], c[2][0]};
}

// The box of a model in the image after the steps. @pre the image is not coarsened
box3 box_in_image(const spec& job, const voxel::segmented& model) {
  const index3 begin = crop_begin(job) + model.begin;
  return {begin, begin + model.shape};
}

crop_ranges ranges_of(const box3& box) {
  return {{box.begin.z, box.end.z}, {box.begin.y, box.end.y}, {box.begin.x, box.end.x}};
}

// Report empty space around the solid, and the keys that remove it. Empty voxels need time and memory in files and pictures.
// Below a million empty voxels, the cost is negligible.
void report_empty_space(const spec& job, const voxel::segmented& model, index3 image, log_sink& log) {
  const solid_rules rules = physics_of(job).rules(job);
  if (job.image.crop_to_solid) {
    if (model.shape != image)
      log.note(fmt::format("the image is cropped to the box of the solid, {} (z, y, x), {} % of its voxels",
                           ranges_of(box_in_image(job, model)), percent(model.shape.volume(), image.volume())));
    return;
  }
  if (job.image.coarsen > 1 || rules.takes_empty_space || rules.has_others || rules.periodic != std::array<bool, 3>{})
    return;
  const box3 box = voxel::box_of_solid(model.solid);
  if (2 * box.volume() > image.volume() || image.volume() - box.volume() < 1000000) return;
  const index3 corner = crop_begin(job);
  log.warn(fmt::format(
      "the solid is in the box {} (z, y, x), {} % of the image; fields and pictures also contain the empty rest: set "
      "image.crop_to_solid = true, or image.crop_voxels to this box, to omit the rest",
      ranges_of({corner + box.begin, corner + box.end}), percent(box.volume(), image.volume())));
}

}  // namespace

voxel::image_planes scan_of_model(const spec& job, const voxel::image_planes& image, const std::string& provenance_json) {
  voxel::image_planes scan = prepared_scan(job, image);
  if (!job.image.crop_to_solid) return scan;
  const auto crop = crop_of_model(job, provenance_json).image.crop_voxels;
  const index3 corner = crop_begin(job);
  return voxel::crop(
      scan, {index3{crop[0][0], crop[1][0], crop[2][0]} - corner, index3{crop[0][1], crop[1][1], crop[2][1]} - corner});
}

spec crop_of_model(const spec& job, const std::string& provenance_json) {
  spec same = job;
  const json image = valid_json_from_text<json>(provenance_json).at("image");
  if (job.image.crop_to_solid) same.image.crop_voxels = image.at("crop_voxels").get<crop_ranges>();
  return same;
}

voxel::image_planes cropped(const spec& job, const voxel::image_planes& image) {
  if (job.image.crop_voxels.empty()) return image;
  const auto& c = job.image.crop_voxels;
  return voxel::crop(image, {{c[0][0], c[1][0], c[2][0]}, {c[0][1], c[1][1], c[2][1]}});
}

voxel::image_planes prepared_scan(const spec& job, const voxel::image_planes& image) {
  const voxel::image_planes scan = taken(job, image);
  if (!job.image.noise_sd) return scan;
  return voxel::with_noise(scan, *job.image.noise_sd, job.image.noise_blur_voxels,
                           static_cast<std::uint64_t>(job.image.noise_seed));
}

scan_model make_scan_model(const spec& job, const scan& input, const std::string& path, const std::string& key,
                           const std::function<scan(const std::string&)>& read_other, log_sink& sink) {
  warning_record log(sink);
  for (const json& warning : input.facts.value("warnings", json::array())) log.warn(warning.get<std::string>());
  const vector3 given = spacing_of(job, input.facts);
  warn_of_other_spacing(job, input.facts, log);
  report_resolution(input.facts, log);
  report_steps(input.facts, log);
  job_images images{prepared_scan(job, input.image), {}, {}, {}};
  images.stated = stated_calibration(job, input.facts, log);
  const json grid = grid_of(input.facts);
  const auto overlay = [&](const std::string& name) {
    const scan other = read_other(name);
    for (const json& warning : other.facts.value("warnings", json::array())) log.warn(warning.get<std::string>());
    require_same_grid(grid, other.facts, name);
    return taken(job, other.image);
  };
  if (job.modulus_image) images.modulus = overlay(job.modulus_image->path);
  if (job.poisson_image) images.poisson = overlay(job.poisson_image->path);
  scan_model made;
  made.solid = classify(job, images);
  const voxel::segmented& model = made.solid;
  const voxel::segmentation_report& found = model.report;

  voxel::model_header& header = made.header;
  header.shape = model.shape;
  vector3 spacing = given;  // the model fills the same box as the image
  if (job.image.coarsen > 1) {
    const index3 before = cropped(job, input.image).shape;
    for (int a = 0; a < 3; ++a) spacing[a] *= static_cast<double>(before[a]) / static_cast<double>(model.shape[a]);
  }
  header.spacing_mm = spacing;
  if (input.facts.contains("origin_mm") && !input.facts.at("origin_mm").is_null())
    header.origin_mm = to_vector(input.facts.at("origin_mm"));
  const crop_ranges crop = job.image.crop_to_solid ? ranges_of(box_in_image(job, model)) : job.image.crop_voxels;
  for (int a = 0; a < 3 && !crop.empty(); ++a)
    header.origin_mm[a] += static_cast<double>(crop[static_cast<std::size_t>(a)][0]) * given[a];
  header.materials = model.materials;
  for (std::int64_t z = 0; z < model.shape.z; ++z) {
    std::int64_t& active = header.active_per_plane.emplace_back(0);
    model.solid.for_each_in_plane(z, [&](const voxel::run& r) { active += r.length; });
  }
  header.source = path;
  header.source_sha256 = input.facts.value("sha256", "");
  json image = {{"path", path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string()},
                {"sha256", header.source_sha256},
                {"format", input.facts.value("format", "")},
                {"shape", {model.shape.z, model.shape.y, model.shape.x}},
                {"dtype", voxel::name_of(images.scan.type)},
                {"spacing_mm", {spacing.z, spacing.y, spacing.x}},
                {"spacing_note", job.image.spacing_note},
                {"grey_min", found.grey.low},
                {"grey_max", found.grey.high},
                {"stated", grid}};
  for (const char* fact : {"direction", "unit", "calibration", "labels", "missing_chunks", "resolution", "steps"})
    if (input.facts.contains(fact) && !input.facts.at(fact).is_null()) image[fact] = input.facts.at(fact);
  if (!crop.empty()) image["crop_voxels"] = crop;
  if (job.image.coarsen > 1) image["coarsened"] = job.image.coarsen;
  if (job.image.noise_sd)
    image["noise"] = {
        {"sd", *job.image.noise_sd}, {"blur_voxels", job.image.noise_blur_voxels}, {"seed", job.image.noise_seed}};
  warn_of_doubtful_greys(job, images.scan, found, input.facts, log);
  report_empty_space(job, model, images.scan.shape, log);
  made.nodes = voxel::count_nodes(model.solid);
  made.provenance = {{"key", key},
                     {"image", image},
                     {"segmentation", describe_segmentation(job, images, model)},
                     {"nodes", {{"all", made.nodes.all}, {"on_face", made.nodes.on_face}}},
                     {"warnings", log.texts()}};
  header.provenance_json = json_to_text(made.provenance);

  if (found.threshold) log.note(fmt::format("threshold {:.10g} ({})", *found.threshold, found.method));
  const char* phase = physics_of(job).rules(job).phase;
  log.note(fmt::format("{}: {} voxels ({:.1f} % of the image); removed {} ({} % of the {}) in {}", phase, found.kept_voxels,
                       100 * found.volume_fraction, counted(found.dropped_voxels, "voxel"),
                       percent(found.dropped_voxels, found.solid_voxels), phase,
                       counted(found.dropped_islands, "disconnected part")));
  if (found.hanging_voxels > 0)
    log.note(
        fmt::format("of the removed voxels, {} in {} ({} % of the solid) are connected by edges or corners; keep them with "
                    "segment.connectivity = 26, or compute their effect with segment.compare_connectivity = true",
                    counted(found.hanging_voxels, "voxel"), counted(found.hanging_islands, "part"),
                    percent(found.hanging_voxels, found.solid_voxels)));
  if (model.modulus_error > 0)
    log.note(fmt::format("the moduli of the voxels are grouped into {} materials with a relative error of at most {:.2g} %",
                         model.materials.size() - 1, 100 * model.modulus_error));
  return made;
}

}  // namespace osteon::job
