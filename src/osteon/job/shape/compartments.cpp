#include <osteon/job/shape/compartments.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/label_images.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/shape/morphometry.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// A label image. The members are the label of each voxel of the rank, and the number of voxels and the sum of grey values of
// each label.
struct labels {
  std::vector<material_number> numbers;
  std::map<std::string, material_number> number_of;
  std::vector<std::int64_t> voxels;
  std::vector<double> grey_sums;
};

labels read_labels(const spec& job, const local_model& part, const std::string& image) {
  const std::string path = label_file(job, image, output_paths(job).model);
  const voxel::model_header header = io::read_model_header(part.where.comm, path, access_of(job));
  labels read;
  read.numbers = io::read_model_block(path, header, part.where, access_of(job));
  for (std::size_t m = 1; m < header.materials.size(); ++m)
    read.number_of.emplace(header.materials[m].name, static_cast<material_number>(m));
  const json greys = valid_json_from_text<json>(header.provenance_json).at("greys");
  read.voxels = greys.at("voxels").get<std::vector<std::int64_t>>();
  read.grey_sums = greys.at("sums").get<std::vector<double>>();
  return read;
}

// Calibration of the density. The calibration is that of the job's density law, or that in the image file.
struct density_line {
  double slope = 0, intercept = 0;
  std::string unit;
};
std::optional<density_line> line_of(const spec& job, const voxel::model_header& header) {
  const json provenance = valid_json_from_text<json>(header.provenance_json);
  const json stated = provenance.at("image").value("calibration", json(nullptr));
  const std::optional<density_law_spec>& law = job.density_law;
  if (law && !law->from_image) {
    if (law->calibration.empty()) return density_line{law->slope.value_or(0), law->intercept, ""};
    const json& line = provenance.at("segmentation").at("calibration");
    return density_line{line.at("slope"), line.at("intercept"), ""};
  }
  if (stated.is_null()) return std::nullopt;
  return density_line{stated.at("slope"), stated.at("intercept"), stated.value("unit", "")};
}

std::int64_t count(MPI_Comm comm, const std::vector<float>& phase) {
  std::int64_t voxels = std::count(phase.begin(), phase.end(), 1.0F);
  comm::all_reduce(comm, &voxels, 1, MPI_SUM);
  return voxels;
}

// Detects voxels that belong to two compartments, and throws an error.
class owners {
 public:
  owners(MPI_Comm comm, std::size_t voxels) : comm_(comm) {
    comm::collectively(comm, [&] { owner_.resize(voxels); });
  }
  void claim(const std::string& name, const std::vector<float>& inside) {
    names_.push_back(name);
    std::vector<std::int64_t> shared(names_.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] == 0) continue;
      if (owner_[i] != 0) ++shared[owner_[i] - 1U];
      owner_[i] = static_cast<std::uint16_t>(names_.size());
    }
    comm::all_reduce(comm_, shared.data(), shared.size(), MPI_SUM);
    for (std::size_t n = 0; n < shared.size(); ++n)
      if (shared[n] > 0)
        throw data_error(fmt::format(
            "the compartments '{}' and '{}' share {} voxels; correct their labels, or set kind = \"total\" for one of them",
            names_[n], name, shared[n]));
  }

 private:
  MPI_Comm comm_;
  std::vector<std::string> names_;
  std::vector<std::uint16_t> owner_;  // index of the compartment of each voxel, from 1; 0: no compartment
};

// Return the solid voxels or the empty voxels of a compartment. @collective on comm
std::vector<float> part_of(MPI_Comm comm, const std::vector<float>& inside, const std::vector<float>& solid, bool is_solid) {
  std::vector<float> part;
  comm::collectively(comm, [&] {
    part.resize(inside.size());
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = inside[i] != 0 && (solid[i] != 0) == is_solid ? 1.0F : 0.0F;
  });
  return part;
}

}  // namespace

json measure_compartments(const spec& job, const local_model& part, const std::vector<float>& solid) {
  MPI_Comm comm = part.where.comm;
  const vector3 h = part.header.spacing_mm;
  const double voxel = h.z * h.y * h.x;
  const std::optional<density_line> line = line_of(job, part.header);
  owners taken(comm, solid.size());
  std::map<std::string, labels> images;
  json answer = json::object();
  for (const compartment_spec& c : job.compartments) {
    const std::string image = label_image_of(job, c), kind = c.kind_of();
    if (!images.contains(image)) images.emplace(image, read_labels(job, part, image));
    const labels& read = images.at(image);
    std::vector<bool> is_in(read.voxels.size());
    std::int64_t voxels = 0;
    double greys = 0;
    for (const std::int64_t label : c.labels) {
      const material_number number = read.number_of.at(std::to_string(label));
      is_in[number] = true;
      voxels += read.voxels[number];
      greys += read.grey_sums[number];
    }
    if (voxels == part.where.domain.volume())
      throw data_error(fmt::format(
          "the compartment '{}' covers the whole image; remove the compartment and use the values of the image", c.name));
    std::vector<float> inside;
    comm::collectively(comm, [&] {
      inside.resize(solid.size());
      std::transform(read.numbers.begin(), read.numbers.end(), inside.begin(),
                     [&](material_number n) { return is_in[n] ? 1.0F : 0.0F; });
    });
    if (kind != "total") taken.claim(c.name, inside);
    const std::vector<float> bone = part_of(comm, inside, solid, true);
    const double total = static_cast<double>(voxels), filled = static_cast<double>(count(comm, bone));
    json& values =
        answer[c.name] = {{"kind", kind}, {"TV_mm3", total * voxel}, {"BV_mm3", filled * voxel}, {"BV_TV", filled / total}};
    if (kind == "cortical") {
      values["Ct_Th_mm"] = to_json(thickness_of(part.where, inside, h));
      values["Ct_Po"] = 1 - filled / total;
    }
    if (kind == "trabecular") {
      const auto thickness = thickness_of(part.where, bone, h);
      const auto separation = thickness_of(part.where, part_of(comm, inside, solid, false), h);
      values["Tb_Th_mm"] = to_json(thickness);
      values["Tb_Sp_mm"] = to_json(separation);
      const double cell = thickness.mean + separation.mean;
      values["Tb_N_per_mm"] = cell > 0 ? json(1 / cell) : json(nullptr);
    }
    if (line) {
      values["vBMD"] = line->slope * greys / total + line->intercept;
      values["vBMD_unit"] = line->unit;
    }
  }
  return answer;
}

}  // namespace osteon::job
