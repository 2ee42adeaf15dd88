#include <osteon/base/json_text.hpp>
#include <osteon/job/pipeline/deep_check.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/import/classify.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/import/read_scan.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/temporary_folder.hpp>
#include <osteon/job/warning_log.hpp>
#include <osteon/voxel/changed_greys.hpp>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

// Young's moduli by the density law. The grey values are equidistant, from the lowest to the highest grey value of the
// image.
json moduli_of_greys(const density_law_spec& law, const json& provenance) {
  constexpr int count = 257;
  const json &image = provenance.at("image"), &segmentation = provenance.at("segmentation");
  if (!image.contains("grey_min") || !image.contains("grey_max")) return nullptr;
  const double low = image.at("grey_min"), high = image.at("grey_max");
  voxel::calibration line{law.slope.value_or(0), law.intercept};
  if (segmentation.contains("calibration"))
    line = {segmentation.at("calibration").at("slope"), segmentation.at("calibration").at("intercept")};
  const voxel::density_law by_grey = law_of(law, line);
  json list = json::array();
  for (int n = 0; n < count; ++n) list.push_back(by_grey.modulus_MPa(low + (high - low) * n / (count - 1)));
  return {{"grey_min", low}, {"grey_max", high}, {"youngs_modulus_MPa", list}};
}

class image_checker {
 public:
  image_checker(MPI_Comm comm, const spec& job, std::int64_t most_voxels, const deep_check& deep, json& loads)
      : comm_(comm), job_(job), most_voxels_(most_voxels), deep_(deep), loads_(loads) {}

  // Read only the header of the image. This function is for a job with faults.
  image_check run_header(bool keys_are_good) {
    if (source_of(job_).is_image()) found_.problems = check_image_files(job_);
    found_.warnings = doubts(job_);
    if (keys_are_good && found_.problems.empty() && source_of(job_).is_image() && inspect_image()) {
      check_header();
      add_reader_warnings();
    }
    return std::move(found_);
  }

  image_check run() {
    const bool is_image = source_of(job_).is_image();
    if (is_image) found_.problems = check_image_files(job_);  // the readers of other formats report their own faults
    found_.warnings = doubts(job_);
    check_folder("output.directory", output_paths(job_).directory);
    if (!job_.checkpoint.directory.empty()) check_folder("checkpoint.directory", job_.checkpoint.directory);
    if (!found_.problems.empty()) return std::move(found_);
    if (!is_image) {
      check_model();
      return std::move(found_);
    }
    if (!inspect_image()) return std::move(found_);
    check_header();
    if (!found_.problems.empty()) return std::move(found_);
    if (voxels_ > 0 && voxels_ <= most_voxels_)
      check_whole();
    else
      report_sample();
    return std::move(found_);
  }

 private:
  void fault(const std::string& where, const std::string& text) { found_.problems.push_back({where, text}); }
  void doubt(const std::string& where, const std::string& text) { found_.warnings.push_back({where, text}); }

  // Check that files can be written to a folder, without creating files.
  void check_folder(const char* where, const std::string& path) {
    std::error_code failed;
    fs::path there = fs::absolute(path);
    if (fs::exists(there, failed) && !fs::is_directory(there, failed))
      return fault(where, fmt::format("'{}' is not a folder; choose another path", path));
    while (!fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
    if (!fs::is_directory(there, failed))
      fault(where, fmt::format("cannot create '{}': '{}' is not a folder; choose another path", path, there.string()));
    else if (access(there.c_str(), W_OK) != 0)
      fault(where,
            fmt::format("no permission to write to '{}'; choose another folder, or change its permissions", there.string()));
  }

  bool inspect_image() {
    constexpr std::int64_t most_bytes = 32 << 20;  // maximum size of a file for which the reader loads all voxels
    std::vector<std::string> arguments{image_path(job_), std::to_string(std::min(most_bytes, 8 * most_voxels_))};
    if (job_.segment.threshold) arguments.push_back(fmt::format("{}", *job_.segment.threshold));
    if (job_.segment.threshold && job_.segment.upper) arguments.push_back(fmt::format("{}", *job_.segment.upper));
    if (job_.image.accept_fill_value) arguments.emplace_back("--accept-fill-value");
    json facts;
    try {
      facts = run_image_program("look_at_image", arguments);
    } catch (const data_error& e) {
      fault("image.path", e.what());
      return false;
    }
    if (facts.contains("warnings")) reader_warnings_ = facts.at("warnings").get<std::vector<std::string>>();
    facts.erase("warnings");
    found_.facts = std::move(facts);
    return true;
  }

  // An import prints these warnings itself.
  void add_reader_warnings() {
    for (const std::string& text : reader_warnings_) doubt("image", text);
  }

  void check_header() {
    const json& facts = found_.facts;
    const bool stated = facts.at("spacing_mm").is_array() && facts.at("spacing_mm").size() == 3;
    if (!job_.image.spacing_mm && !stated && facts.at("knows_spacing") == true)
      fault("image.spacing_mm", fmt::format("missing; '{}' ({}) does not state its voxel size; add spacing_mm = [z, y, x], "
                                            "and spacing_note if the value is an assumption",
                                            image_path(job_), facts.at("format").get<std::string>()));
    for (int a = 0; a < 3; ++a) {
      const auto i = static_cast<std::size_t>(a);
      spacing_[a] = job_.image.spacing_mm ? (*job_.image.spacing_mm)[i]
                    : stated              ? facts.at("spacing_mm")[i].get<double>()
                                          : 0;
    }
    if (facts.at("shape").is_null()) return;
    std::vector<std::int64_t> lengths;
    for (const auto& n : facts.at("shape")) lengths.push_back(n);
    while (lengths.size() > 3) {  // an axis with one sample contains no information
      const auto one = std::find(lengths.begin(), lengths.end(), 1);
      if (one == lengths.end()) break;
      lengths.erase(one);
    }
    while (lengths.size() < 3) lengths.insert(lengths.begin(), 1);
    voxels_ = 1;
    for (const std::int64_t n : lengths) voxels_ *= n;
    for (int a = 0; a < 3; ++a) shape_[a] = lengths[static_cast<std::size_t>(a)];
    apply_steps_to_shape(job_, shape_, spacing_);
    voxels_ = std::max(voxels_, shape_.volume());
    const auto& crop = job_.image.crop_voxels;
    for (std::size_t a = 0; a < crop.size() && a < 3; ++a) {
      if (crop[a][1] > shape_[static_cast<int>(a)])
        fault("image.crop_voxels", fmt::format("{} = [{}, {}] exceeds the image, which has {} voxels along this axis",
                                               "zyx"[a], crop[a][0], crop[a][1], shape_[static_cast<int>(a)]));
      shape_[static_cast<int>(a)] = crop[a][1] - crop[a][0];
    }
    const index3 coarse = voxel::coarsened_shape(shape_, job_.image.coarsen);
    for (int a = 0; a < 3; ++a) spacing_[a] *= static_cast<double>(shape_[a]) / static_cast<double>(coarse[a]);
    shape_ = coarse;
    if (spacing_.z > 0) append_warnings(doubts_of_size(job_, spacing_, shape_));
    const std::int64_t ranks = job_.run.ranks;
    if (uses_bricks(job_, shape_.z, ranks) ? ranks > shape_.volume() : ranks > shape_.z)
      fault("run.ranks", uses_bricks(job_, shape_.z, ranks) ? grid::too_many_ranks(ranks, shape_)
                                                            : grid::too_many_ranks(ranks, shape_.z));
  }

  // Report the sample of an image that is too large to be read completely.
  void report_sample() {
    add_reader_warnings();
    const json& facts = found_.facts;
    const auto looked = facts.at("looked_at").get<std::int64_t>();
    const double gib = facts.at("bytes").get<double>() / (1 << 30);
    const std::string size = voxels_ > 0 ? fmt::format("{} voxels", voxels_) : std::string("unknown shape");
    found_.looked_at = fmt::format(
        "the image is large ({:.2f} GiB, {}); only its header {} checked; `osteon import` checks all voxels", gib, size,
        looked > 0 ? fmt::format("and the grey values of {} voxels in a few planes were", looked) : "was");
    const json* stated = &facts.at("spacing_mm");
    if (job_.image.spacing_mm && stated->is_array() && stated->size() == 3)
      for (int a = 0; a < 3; ++a)
        if (const double h = (*stated)[static_cast<std::size_t>(a)]; std::abs(h - spacing_[a]) > 1e-4 * spacing_[a]) {
          doubt("image.spacing_mm",
                fmt::format("the image file states {:g} mm along {}, the job {:g} mm; the value of the job is used", h,
                            "zyx"[a], spacing_[a]));
        }
    if (looked > 0 && facts.contains("above"))
      append_warnings(doubts_of_share(job_, facts.at("above"), facts.at("grey_min"), facts.at("grey_max"),
                                      fmt::format("of the {} sampled voxels", looked)));
  }

  void append_warnings(std::vector<problem> doubts) {
    for (problem& p : doubts) found_.warnings.push_back(std::move(p));
  }

  void check_whole() {
    std::optional<temporary_folder> passing;
    if (deep_.folder.empty()) passing.emplace("check");
    spec job = job_;
    job.output_directory = passing ? passing->path() : deep_.folder;
    const std::string path = output_paths(job).model;
    find_filters(job);
    try {
      warning_log log(found_.warnings, "image");
      const imported_model model = import_model(job, path, log);
      const json made = valid_json_from_text<json>(model.provenance_json);
      const json& segmentation = made.at("segmentation");
      for (const char* key : {"method", "threshold", "solid_voxels", "kept_voxels", "dropped_voxels", "volume_fraction"})
        found_.facts[key] = segmentation.at(key);
      found_.facts.erase("above");
      if (job_.density_law) found_.facts["moduli"] = moduli_of_greys(*job_.density_law, made);
      found_.looked_at =
          fmt::format("the image was read and segmented: {} of {} voxels are {} ({:.1f} %)",
                      segmentation.at("kept_voxels").get<std::int64_t>(), model.shape.volume(),
                      physics_of(job).rules(job).phase, 100 * segmentation.at("volume_fraction").get<double>());
      append_warnings(doubts_of_segmentation(job_, model.provenance_json, model.shape));
      append_warnings(doubts_of_moduli(job_, io::read_model_header(path).materials));
    } catch (const error& e) {
      take(e, "image");
      return;
    }
    check_loads(job, physics_of(job), [&] { return read_whole(job); });
  }

  // Check a model in files of another program. The reader of these files reports faults.
  void check_model() {
    const index3 shape = source_of(job_).outline(comm_, job_).shape;
    if (shape.volume() > most_voxels_) {
      found_.looked_at = fmt::format(
          "the model is large ({} voxels); the voxels and the loads were not checked; check them with a larger "
          "--most-voxels",
          shape.volume());
      return;
    }
    local_model part;
    try {
      part = read_whole(job_);
    } catch (const error& e) {
      take(e, "model");
      return;
    }
    append_warnings(doubts_of_model(job_, part.header));
    found_.looked_at = fmt::format("the model was read: {} of {} voxels are {}", part.cells.size(), shape.volume(),
                                   physics_of(job_).rules(job_).phase);
    check_loads(job_, physics_of(job_), [&] { return std::move(part); });
  }

  void check_loads(const spec& job, const physics_entry& physics, const std::function<local_model()>& read) {
    try {
      physics.check_on_solid(job, read, found_.warnings);
    } catch (const error& e) {
      take(e, physics.loads_key);
    }
    if (deep_.loads && physics.describe_loads) {
      warning_log nothing(ignored_, "model");  // these warnings have already been reported
      io_clock clock;
      loads_ = physics.describe_loads(job, [&] { return source_of(job).read(comm_, job, clock, nothing); }, deep_.volume);
    }
  }

  // Read the whole model on one rank. In all other respects, the model is read as in a run.
  local_model read_whole(const spec& job) {
    io_clock clock;
    warning_log log(found_.warnings, "model");
    local_model part = source_of(job).read(comm_, job, clock, log);
    io::check_result_size(part.header, physics_of(job).most_components(job));
    return part;
  }

  void take(const error& e, const char* where) {
    if (e.kind() != error_kind::data && e.kind() != error_kind::usage) throw_error(e.kind(), e.what());
    fault(where, e.what());
  }

  MPI_Comm comm_;
  const spec& job_;
  std::int64_t most_voxels_;
  const deep_check& deep_;
  json& loads_;
  image_check found_;
  std::vector<problem> ignored_;
  std::vector<std::string> reader_warnings_;  ///< warnings of the image reader
  vector3 spacing_;
  index3 shape_;
  std::int64_t voxels_ = 0;  ///< number of voxels of the image before cropping; 0: unknown
};

}  // namespace

image_check check_image(MPI_Comm comm, const spec& job, std::int64_t most_voxels, const deep_check& deep, json& loads) {
  try {
    return image_checker(comm, job, most_voxels, deep, loads).run();
  } catch (const json::exception& e) {  // the exception is caused by the output of the image reader
    throw machine_error(
        fmt::format("unknown output of the image reader for '{}': {}; run `./run setup`", image_path(job), e.what()));
  }
}

image_check check_image(MPI_Comm comm, const spec& job, std::int64_t most_voxels) {
  json none;
  return check_image(comm, job, most_voxels, {}, none);
}

std::string add_faults_of_image(const spec& job, std::vector<problem>& found, std::vector<problem>& warnings) {
  // `where` has the form `file:line: key`. With invalid keys, shapes cannot be computed. Without a path, there is no image.
  const auto is_of_image = [](const problem& p) {
    for (const char* key : {": image.", ": run.", ": segment.", ": physics", ": --set"})
      if (p.where.find(key) != std::string::npos) return true;
    return p.where.find(": ") == std::string::npos;  // the text is not valid TOML
  };
  const bool keys_are_good = !job.image.path.empty() && std::none_of(found.begin(), found.end(), is_of_image);
  json none;
  const deep_check nothing;
  image_check of_image;
  try {
    of_image = image_checker(MPI_COMM_NULL, job, 0, nothing, none).run_header(keys_are_good);
  } catch (const error&) {  // if there is no reader, the faults of the keys are still reported
    of_image = image_checker(MPI_COMM_NULL, job, 0, nothing, none).run_header(false);
  }
  std::move(of_image.problems.begin(), of_image.problems.end(), std::back_inserter(found));
  warnings = std::move(of_image.warnings);
  return of_image.facts.is_null() ? "the image was not opened; correct the job first"
                                  : "only the header of the image was checked; correct the job first";
}

}  // namespace osteon::job
