#include <osteon/job/import/import.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/counted.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/classify.hpp>
#include <osteon/job/import/label_images.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/import/read_scan.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/physics.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

vector3 to_vector(const json& list) { return {list.at(0), list.at(1), list.at(2)}; }

vector3 spacing_of(const spec& job, const json& facts) {
  // Steps know what the job says, and may have changed it.
  if (job.image.spacing_mm && job.image.steps.empty())
    return {(*job.image.spacing_mm)[0], (*job.image.spacing_mm)[1], (*job.image.spacing_mm)[2]};
  if (!facts.contains("spacing_mm") || facts.at("spacing_mm").is_null())
    throw data_error(fmt::format(
        "'{}' does not state its voxel size, and the job does not give it; add spacing_mm = [z, y, x] to [image] "
        "(and spacing_note, if you have to assume it)",
        image_path(job)));
  const vector3 spacing = to_vector(facts.at("spacing_mm"));
  for (int a = 0; a < 3; ++a)
    if (!(spacing[a] > 0) || spacing[a] > 1000)
      throw data_error(fmt::format(
          "'{}' states a voxel size of [{}, {}, {}] mm (z, y, x), which cannot be right; give spacing_mm in [image]",
          image_path(job), spacing.z, spacing.y, spacing.x));
  return spacing;
}

// The job's spacing goes before that of the file, but not silently.
void warn_of_other_spacing(const spec& job, const json& facts, log_sink& log) {
  const char* key = job.image.steps.empty() ? "spacing_mm" : "file_spacing_mm";
  if (!job.image.spacing_mm || !facts.contains(key) || facts.at(key).is_null()) return;
  const vector3 stated = to_vector(facts.at(key)), used = to_vector(*job.image.spacing_mm);
  bool same = true;
  for (int a = 0; a < 3; ++a) same &= std::abs(stated[a] - used[a]) <= 1e-4 * used[a];
  if (!same)
    log.warn(
        fmt::format("the image states voxels of [{:g}, {:g}, {:g}] mm (z, y, x), the job [{:g}, {:g}, {:g}], which "
                    "are used",
                    stated.z, stated.y, stated.x, used.z, used.y, used.x));
}

void tell_steps(const json& facts, log_sink& log) {
  std::vector<std::string> kinds;
  double most = 0;
  for (const json& step : facts.value("steps", json::array())) {
    kinds.push_back(step.at("kind"));
    most = std::max(most, step.at("bytes").get<double>());
  }
  if (!kinds.empty())
    log.note(
        fmt::format("image steps: {}; each holds the whole image, {:.2g} GB at most", fmt::join(kinds, ", "), most * 1e-9));
}

// The line from grey value to density that the scan's file states, if it does.
std::optional<voxel::calibration> stated_calibration(const spec& job, const json& facts, log_sink& log) {
  const bool wanted = job.density_law && job.density_law->from_image;
  if (!facts.contains("calibration")) {
    if (wanted)
      throw data_error(fmt::format(
          "'{}' states no calibration, but [density_law] has from_image = true; give slope and intercept, or the points of "
          "a phantom (calibration)",
          image_path(job)));
    return std::nullopt;
  }
  const json& line = facts.at("calibration");
  const voxel::calibration stated{line.at("slope"), line.at("intercept")};
  const char* then = wanted            ? "; the density law takes it"
                     : job.density_law ? "; the job has its own, from_image = true in [density_law] would take this one"
                                       : "";
  log.note(fmt::format("the image states a density of {:.6g} * grey + {:.6g} {}{}", stated.slope, stated.intercept,
                       line.value("unit", ""), then));
  return stated;
}

// Everything of the job that the model depends on, so that a model is made anew when any of it changes.
std::string rules_of(const spec& job) {
  const solid_rules solid = physics_of(job).rules(job);
  json rules = {{"schema", 6},
                {"axis", job.load.axis},
                {"keep", job.segment.keep},
                {"connectivity", job.segment.connectivity},
                {"joins", solid.must_join_faces},
                {"phase", {solid.phase, solid.takes_empty_space, solid.labels, solid.keeps_all, solid.has_others}},
                {"periodic", solid.periodic},
                {"labels", job.segment.labels},
                {"void", job.segment.void_labels},
                {"crop", job.image.crop_voxels},
                {"steps", steps_of(job, image_role::scan)},
                {"note", job.image.spacing_note},
                {"path", fs::absolute(image_path(job)).lexically_normal().string()},
                {"stored", {job.io.compression, job.io.compression_level.value_or(0)}},
                {"version", this_build().version}};
  const auto put = [&](const char* key, const auto& value) { rules[key] = value ? json(*value) : json(nullptr); };
  put("threshold", job.segment.threshold);
  put("upper", job.segment.upper);
  put("spacing", job.image.spacing_mm);
  for (const material_spec& m : job.materials)
    rules["materials"].push_back({m.name, m.label.value_or(-1), m.youngs_modulus_MPa.value_or(0), m.poisson_ratio,
                                  m.conductivity_W_per_mK.value_or(0)});
  if (job.density_law) {
    const density_law_spec& d = *job.density_law;
    rules["law"] = {
        d.slope.value_or(0), d.intercept,       d.calibration,     d.law,           d.exponent,
        d.coefficients_MPa,  d.min_modulus_MPa, d.max_modulus_MPa, d.poisson_ratio, d.coefficient_MPa.value_or(0),
        d.from_image};
  }
  if (job.modulus_image) rules["poisson_ratio"] = job.modulus_image->poisson_ratio;
  return rules.dump(-1, ' ', false, json::error_handler_t::replace);
}

// A name such as scan/*.tif, for slices that lie among other files. The reader of images expands it.
bool is_pattern(const std::string& path) {
  std::error_code failed;
  return path.find_first_of("*?[") != std::string::npos && !fs::exists(path, failed);
}

// What an image is known by as far as it can be had cheaply: a file's bytes, a folder's names, sizes and times.
std::string fingerprint(const std::string& path, const std::function<void()>& poll) {
  std::string text;
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array halves{".mhd", ".nhdr", ".json", ".vgi", ".raw", ".vol", ".dat"};  // header and voxels in two files
  const bool beside = is_pattern(path) || std::find(halves.begin(), halves.end(), ending) != halves.end();
  if (fs::is_directory(path) || beside) {
    std::vector<std::string> entries;
    for (const auto& entry : fs::directory_iterator(beside ? fs::absolute(path).parent_path() : fs::path(path)))
      if (entry.is_regular_file())
        entries.push_back(fmt::format("{} {} {}", entry.path().filename().string(), entry.file_size(),
                                      entry.last_write_time().time_since_epoch().count()));
    std::sort(entries.begin(), entries.end());
    for (const std::string& entry : entries) text += entry + "\n";
  }
  if (!fs::is_directory(path) && !is_pattern(path)) text += sha256_of_file(path, poll);
  const fs::path place = fs::path(path).replace_extension(".json");  // of an array that was exported
  if (ending == ".npy" && fs::is_regular_file(place)) text += sha256_of_file(place.string());
  return text;
}

std::string absolute(const spec& job, const fs::path& path) {
  if (path.is_absolute() || job.file.empty()) return path.string();
  return (fs::path(job.file).parent_path() / path).lexically_normal().string();
}

struct named_file {
  std::string key, path;
};

// All image files of a job that are named; the scan is the first.
std::vector<named_file> files_of(const spec& job) {
  std::vector<named_file> files{{"image.path", job.image.path}};
  if (job.modulus_image) files.push_back({"modulus_image.path", job.modulus_image->path});
  if (job.poisson_image) files.push_back({"poisson_image.path", job.poisson_image->path});
  std::erase_if(files, [](const named_file& f) { return f.path.empty(); });
  for (named_file& f : files) f.path = absolute(job, f.path);
  return files;
}

// Digest of the rules and of the images.
std::string key_of(const spec& job, const std::function<void()>& poll) {
  std::string text = rules_of(job);
  for (const named_file& f : files_of(job)) text += fingerprint(f.path, poll);
  return sha256_of(std::as_bytes(std::span(text)));
}

std::optional<std::string> fault_of(const std::string& path) {
  std::error_code failed;
  if (is_pattern(path) && fs::is_directory(fs::absolute(path).parent_path(), failed)) return std::nullopt;
  if (!fs::exists(path, failed))
    return fmt::format("'{}' does not exist; relative paths are relative to the job file", path);
  if (!fs::is_regular_file(path, failed) && !fs::is_directory(path, failed))
    return fmt::format("'{}' is neither a file nor a folder", path);
  if (access(path.c_str(), R_OK) != 0) return fmt::format("'{}' may not be read; change its permissions", path);
  return std::nullopt;
}

voxel::image_planes cropped(const spec& job, const voxel::image_planes& image) {
  if (job.image.crop_voxels.empty()) return image;
  const auto& c = job.image.crop_voxels;
  return voxel::crop(image, {{c[0][0], c[1][0], c[2][0]}, {c[0][1], c[1][1], c[2][1]}});
}

}  // namespace

void make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::exists(folder)) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw machine_error(fmt::format("cannot make the output directory '{}': {}; choose another by --output", folder.string(),
                                    failed.message()));
}

std::string image_path(const spec& job) { return absolute(job, job.image.path); }

std::vector<problem> check_image_files(const spec& job) {
  std::vector<problem> faults;
  for (const named_file& f : files_of(job))
    if (const auto fault = fault_of(f.path)) faults.push_back({f.key, *fault});
  return faults;
}

imported_model import_model(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop) {
  if (const auto faults = check_image_files(job); !faults.empty()) throw data_error(join(faults));
  return source_of(job).make_model(job, path, log, is_to_stop);
}

imported_model import_image(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop) {
  const std::string source = image_path(job);
  const auto poll = [&](const char* during) { leave_if_asked(is_to_stop, job, during); };
  const std::string key = key_of(job, [&] { poll("looking whether the model is of this image"); });
  imported_model result;
  result.path = path;
  if (fs::exists(path)) {
    try {
      const voxel::model_header header = io::read_model_header(path, log);
      const json provenance = json::parse(header.provenance_json, nullptr, false);
      if (!provenance.is_discarded() && provenance.value("key", "") == key) {
        log.stage("using the model that is there");
        import_label_images(job, path, header, is_to_stop);
        result.shape = header.shape;
        result.provenance_json = header.provenance_json;
        if (provenance.contains("nodes"))
          result.nodes = {provenance.at("nodes").at("all"), provenance.at("nodes").at("on_face")};
        result.reused = true;
        return result;
      }
    } catch (const data_error&) {
      log.note(fmt::format("'{}' cannot be used and is made anew", path));
    }
  }

  log.stage("importing the image");
  io_clock file_clock;
  scan input = read_scan(source, job, image_role::scan, is_to_stop);
  for (const json& warning : input.facts.value("warnings", json::array())) log.warn(warning.get<std::string>());
  const vector3 spacing = spacing_of(job, input.facts);
  warn_of_other_spacing(job, input.facts, log);
  tell_steps(input.facts, log);
  job_images images{cropped(job, input.image), {}, {}, {}};
  images.stated = stated_calibration(job, input.facts, log);
  const json grid = grid_of(input.facts);
  const auto laid_over = [&](const std::string& name) {
    scan other = read_scan(absolute(job, name), job, image_role::overlay, is_to_stop);
    require_same_grid(grid, other.facts, name);
    return cropped(job, other.image);
  };
  if (job.modulus_image) images.modulus = laid_over(job.modulus_image->path);
  if (job.poisson_image) images.poisson = laid_over(job.poisson_image->path);
  const voxel::segmented model = classify(job, images);
  poll("segmenting the image");
  const voxel::segmentation_report& found = model.report;

  voxel::model_header header;
  header.shape = model.shape;
  header.spacing_mm = spacing;
  if (input.facts.contains("origin_mm") && !input.facts.at("origin_mm").is_null())
    header.origin_mm = to_vector(input.facts.at("origin_mm"));
  for (int a = 0; a < 3 && !job.image.crop_voxels.empty(); ++a)
    header.origin_mm[a] += static_cast<double>(job.image.crop_voxels[static_cast<std::size_t>(a)][0]) * spacing[a];
  header.materials = model.materials;
  for (std::int64_t z = 0; z < model.shape.z; ++z) {
    std::int64_t& active = header.active_per_plane.emplace_back(0);
    for (const voxel::run& r : model.solid.plane(z)) active += r.length;
  }
  header.source = source;
  header.source_sha256 = input.facts.value("sha256", "");
  json image = {{"path", fs::absolute(source).lexically_normal().string()},
                {"sha256", header.source_sha256},
                {"format", input.facts.value("format", "")},
                {"shape", {model.shape.z, model.shape.y, model.shape.x}},
                {"dtype", voxel::name_of(images.scan.type)},
                {"spacing_mm", {spacing.z, spacing.y, spacing.x}},
                {"spacing_note", job.image.spacing_note},
                {"grey_min", found.grey.low},
                {"grey_max", found.grey.high},
                {"stated", grid}};
  for (const char* fact : {"direction", "unit", "calibration", "labels", "steps"})
    if (input.facts.contains(fact) && !input.facts.at(fact).is_null()) image[fact] = input.facts.at(fact);
  if (!job.image.crop_voxels.empty()) image["crop_voxels"] = job.image.crop_voxels;
  result.nodes = voxel::count_nodes(model.solid);
  header.provenance_json = json{{"key", key},
                                {"image", image},
                                {"segmentation", describe(job, images, model)},
                                {"nodes", {{"all", result.nodes->all}, {"on_face", result.nodes->on_face}}}}
                               .dump(-1, ' ', false, json::error_handler_t::replace);

  if (found.threshold) log.note(fmt::format("threshold {} ({})", *found.threshold, found.method));
  const char* phase = physics_of(job).rules(job).phase;
  log.note(fmt::format("{} {} voxels kept, {:.1f} % of the image; dropped {}, {:.2g} % of the {}, in {}", found.kept_voxels,
                       phase, 100 * found.volume_fraction, counted(found.dropped_voxels, "voxel"),
                       100 * static_cast<double>(found.dropped_voxels) / static_cast<double>(found.solid_voxels), phase,
                       counted(found.dropped_islands, "island")));
  if (found.hanging_voxels > 0)
    log.note(fmt::format(
        "of these, {} in {} ({:.2g} % of the solid) hang on the rest by edges or corners; "
        "segment.connectivity = 26 keeps them, segment.compare_connectivity = true computes what they would change",
        counted(found.hanging_voxels, "voxel"), counted(found.hanging_islands, "island"),
        100 * static_cast<double>(found.hanging_voxels) / static_cast<double>(found.solid_voxels)));
  if (model.modulus_error > 0)
    log.note(fmt::format("the voxels' moduli are sorted into {} materials; they are off by at most {:.2g} %",
                         model.materials.size() - 1, 100 * model.modulus_error));

  make_folder_of(path);
  const io::file_report written = io::write_model(path, header, model.material, storage_of(job));
  log.note(file_clock.note("wrote", path, written));
  poll("importing the image");
  import_label_images(job, path, header, is_to_stop);
  result.shape = model.shape;
  result.provenance_json = header.provenance_json;
  return result;
}

json imported_model::to_json() const {
  json answer = {{"schema", "osteon.import/1"}, {"model", path}, {"reused", reused}};
  answer.update(json::parse(provenance_json));
  return answer;
}

}  // namespace osteon::job
