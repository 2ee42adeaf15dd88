#include <osteon/job/import/label_images.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/image_files.hpp>
#include <osteon/job/import/read_scan.hpp>
#include <osteon/job/import/scan_model.hpp>
#include <osteon/job/physics_entry.hpp>
#include <span>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

// Return the label images of a job with their requested labels, in the order of first use.
std::vector<wanted_labels> wanted_of(const spec& job) {
  std::vector<wanted_labels> all;
  const auto add = [&](const std::string& image, const std::vector<std::int64_t>& labels) {
    auto entry = std::find_if(all.begin(), all.end(), [&](const wanted_labels& w) { return w.image == image; });
    if (entry == all.end()) entry = all.insert(all.end(), {image, {}});
    for (const std::int64_t label : labels)
      if (std::find(entry->labels.begin(), entry->labels.end(), label) == entry->labels.end())
        entry->labels.push_back(label);
  };
  for (const wanted_labels& w : physics_of(job).labels(job)) add(w.image, w.labels);
  if (job.measures_shape)
    for (const compartment_spec& c : job.compartments) add(label_image_of(job, c), c.labels);
  return all;
}

// Numbers labels from 1 in the order of the request. Other labels have the number 0.
class label_numbers {
 public:
  explicit label_numbers(const std::vector<std::int64_t>& labels) {
    for (const std::int64_t label : labels) number_.emplace(label, static_cast<material_number>(number_.size() + 1));
  }
  /// Convert the labels of a block to label numbers.
  void number(const voxel::image& block, std::span<material_number> numbers) const {
    block.visit([&](auto values) {
      const auto* data = values.data_handle();
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto found = number_.find(static_cast<std::int64_t>(data[i]));
        numbers[i] = found == number_.end() ? material_number{0} : found->second;
      }
    });
  }

 private:
  std::map<std::int64_t, material_number> number_;
};

// Counts voxels and sums grey values per label number, for the densities of compartments.
class sums_of_greys {
 public:
  explicit sums_of_greys(std::size_t numbers) : voxels_(numbers), sums_(numbers) {}
  void add(const voxel::image& scan, std::span<const material_number> numbers) {
    scan.visit([&](auto values) {
      const auto* data = values.data_handle();
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        ++voxels_[numbers[i]];
        sums_[numbers[i]] += static_cast<double>(data[i]);
      }
    });
  }
  nlohmann::ordered_json to_json() const { return {{"voxels", voxels_}, {"sums", sums_}}; }

 private:
  std::vector<std::int64_t> voxels_;
  std::vector<double> sums_;
};

bool has_compartments(const spec& job, const std::string& image) {
  return job.measures_shape && std::any_of(job.compartments.begin(), job.compartments.end(),
                                           [&](const compartment_spec& c) { return label_image_of(job, c) == image; });
}

}  // namespace

std::string label_image_of(const spec& job, const compartment_spec& compartment) {
  return compartment.image.value_or(job.image.path);
}

std::vector<std::string> label_images_of(const spec& job) {
  std::vector<std::string> images;
  for (const wanted_labels& w : wanted_of(job)) images.push_back(w.image);
  return images;
}

std::string label_file(const spec& job, const std::string& image, const std::string& model_path) {
  const std::vector<wanted_labels> all = wanted_of(job);
  const auto entry = std::find_if(all.begin(), all.end(), [&](const wanted_labels& w) { return w.image == image; });
  return (fs::path(model_path).parent_path() / fmt::format("labels_{}.nc", entry - all.begin() + 1)).string();
}

void import_label_images(const spec& job, const std::string& model_path, const voxel::model_header& model,
                         const std::function<voxel::image_planes()>& read_greys, log_sink& log,
                         const stop_query& is_to_stop) {
  const auto grid = valid_json_from_text<nlohmann::ordered_json>(model.provenance_json).at("image").at("stated");
  for (const wanted_labels& wanted : wanted_of(job)) {
    if (wanted.labels.size() > most_materials)
      throw data_error(fmt::format("the job uses {} labels of '{}'; the maximum is {}", wanted.labels.size(), wanted.image,
                                   most_materials));
    const std::string path = absolute_path(job, wanted.image);
    scan found = read_scan(path, job, image_role::overlay, is_to_stop, grid);
    for (const auto& warning : found.facts.value("warnings", nlohmann::ordered_json::array()))
      log.warn(warning.get<std::string>());
    voxel::image_planes& image = found.image;  // a named reference: in clang 14 lambdas cannot capture structured bindings
    require_same_grid(grid, found.facts, path);
    image = cropped(job, image);
    if (image.shape != model.shape)
      throw data_error(fmt::format(
          "the label image '{}' has {} x {} x {} voxels, but the scan has {} x {} x {}; use a label image of the same scan",
          path, image.shape.z, image.shape.y, image.shape.x, model.shape.z, model.shape.y, model.shape.x));
    voxel::require_labels(image, fmt::format("'{}'", wanted.image));
    const label_numbers numbers(wanted.labels);
    voxel::image block;
    const auto make = [&](std::int64_t first, std::int64_t planes, std::span<material_number> made) {
      image.read_into(block, first, planes);
      numbers.number(block, made);
    };
    voxel::model_header header = model;
    std::vector<bool> is_there(wanted.labels.size() + 1);
    std::vector<material_number> plane(static_cast<std::size_t>(model.shape.y * model.shape.x));
    std::optional<voxel::image_planes> greys;
    if (has_compartments(job, wanted.image)) greys = read_greys();
    sums_of_greys sums(wanted.labels.size() + 1);
    voxel::image grey_plane;
    for (std::int64_t z = 0; z < model.shape.z; ++z) {
      make(z, 1, plane);
      for (const material_number number : plane) is_there[number] = true;
      if (greys) {
        greys->read_into(grey_plane, z, 1);
        sums.add(grey_plane, plane);
      }
      header.active_per_plane[static_cast<std::size_t>(z)] =
          std::ssize(plane) - std::count(plane.begin(), plane.end(), material_number{0});
    }
    header.source = path;
    if (greys) header.provenance_json = json_to_text(nlohmann::ordered_json{{"greys", sums.to_json()}});
    header.materials.assign(1, voxel::material{"other", 0, 0, 0});
    for (const std::int64_t label : wanted.labels) {
      header.materials.push_back({std::to_string(label), 0, 0, 0});
      if (!is_there[header.materials.size() - 1])
        throw data_error(fmt::format("no voxel of the label image '{}' has the label {}", path, label));
    }
    io::write_model(label_file(job, wanted.image, model_path), header, make);
  }
}

}  // namespace osteon::job
