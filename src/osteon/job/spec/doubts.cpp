#include <osteon/job/spec/doubts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/job/physics_entry.hpp>

namespace osteon::job {

namespace {

constexpr double softest_MPa = 300,
                 stiffest_MPa = 1.5e6;  // polymers and soft tissue are softer; the modulus of diamond is 1.1e6 MPa

class doubter {
 public:
  explicit doubter(const spec& job) : job_(job), has_stress_(needs(physics_of(job), property::youngs_modulus)) {}

  std::vector<problem> run() {
    found_ = job_.older_spellings;
    found_.insert(found_.end(), job_.unused_keys.begin(), job_.unused_keys.end());
    for (std::size_t n = 0; n < job_.materials.size(); ++n)
      of_material(job_.materials[n], fmt::format("material[{}].", n + 1));
    if (job_.image.spacing_mm && !job_.image.spacing_mm->empty())
      doubt(*std::max_element(job_.image.spacing_mm->begin(), job_.image.spacing_mm->end()) > 5, "image.spacing_mm", [&] {
        const double h = *std::max_element(job_.image.spacing_mm->begin(), job_.image.spacing_mm->end());
        return fmt::format("{:g} mm is unusually large; if the value is in micrometres, write {:g}", h, h / 1000);
      });
    doubt(tolerance_of(job_) > 1e-3, "solve.tolerance", [&] {
      return fmt::format("{:g} is unusually large and may cause errors of several percent; 1e-6 is usual",
                         tolerance_of(job_));
    });
    physics_of(job_).warn(job_, nullptr, found_);
    return std::move(found_);
  }

  void modulus(double value, const std::string& where) {
    doubt(value > stiffest_MPa, where, [&] {
      return fmt::format("{:g} MPa exceeds the modulus of diamond; if the value is in Pa, write {:g}", value, value * 1e-6);
    });
    doubt(value < softest_MPa, where, [&] {
      return fmt::format("{:g} MPa is typical of polymers and soft tissue; if the value is in GPa, write {:g}", value,
                         value * 1000);
    });
  }

  // Warnings about the fraction of solid voxels, from 0 to 1.
  void share(double solid, double low, double high, const std::string& of_what) {
    const char* where = job_.segment.labels ? "segment.void_labels" : "segment.threshold";
    doubt(solid <= 0, where,
          [&] { return fmt::format("none {} is solid; the grey values range from {:g} to {:g}", of_what, low, high); });
    doubt(solid >= 1, where, [&] {
      return fmt::format(
          "all {} are solid; the grey values range from {:g} to {:g}; check that the image contains empty space", of_what,
          low, high);
    });
  }

  template <class Text>
  void doubt(bool holds, const std::string& where, Text text) {
    if (holds) found_.push_back({where, text()});
  }
  std::vector<problem> take() { return std::move(found_); }

 private:
  void of_material(const material_spec& m, const std::string& at) {
    if (has_stress_ && m.youngs_modulus_MPa) modulus(*m.youngs_modulus_MPa, at + "youngs_modulus_MPa");
    const double k = m.conductivity_W_per_mK.value_or(1);
    doubt(k > 5000, at + "conductivity_W_per_mK", [&] {
      return fmt::format(
          "{:g} W/(m K) exceeds the conductivity of diamond (2000); if the value is in mW/(m K), divide it by 1000", k);
    });
    const double rho = m.density_kg_per_m3.value_or(1000);
    doubt(rho < 30, at + "density_kg_per_m3", [&] {
      return fmt::format("{:g} kg/m3 is less than the density of foam; if the value is in g/cm3, write {:g}", rho,
                         1000 * rho);
    });
    doubt(rho > 25000, at + "density_kg_per_m3",
          [&] { return fmt::format("{:g} kg/m3 exceeds the density of any metal (22600)", rho); });
    const double alpha = std::abs(m.thermal_expansion_per_K.value_or(0));
    doubt(alpha > 1e-3, at + "thermal_expansion_per_K",
          [&] { return fmt::format("{:g} 1/K is unusually large; the value of bone is about 2.7e-5", alpha); });
    const double c = m.heat_capacity_J_per_m3K.value_or(1e6);
    doubt(c < 1e4, at + "heat_capacity_J_per_m3K", [&] {
      return fmt::format("{:g} J/(m3 K) is unusually small; the heat capacity is density times specific heat (water: 4.2e6)",
                         c);
    });
  }

  const spec& job_;
  bool has_stress_;
  std::vector<problem> found_;
};

}  // namespace

std::vector<problem> doubts(const spec& job) { return doubter(job).run(); }

std::vector<problem> doubts_of_size(const spec& job, const vector3& spacing_mm, index3 shape) {
  doubter all(job);
  vector3 size;
  for (int a = 0; a < 3; ++a) size[a] = spacing_mm[a] * static_cast<double>(shape[a]);
  const double longest = std::max({size.z, size.y, size.x});
  all.doubt(longest > 3000 || longest < 0.01, "image.spacing_mm", [&] {
    return fmt::format(
        "the image measures {:.3g} x {:.3g} x {:.3g} mm (z, y, x); check that the voxel size is in millimetres", size.z,
        size.y, size.x);
  });
  std::vector<problem> found = all.take();
  physics_of(job).warn(job, &size, found);
  return found;
}

std::vector<problem> doubts_of_moduli(const spec& job, const voxel::material_table& materials) {
  doubter all(job);
  if (materials.size() < 2 || !(job.density_law || job.modulus_image)) return {};
  double largest = 0, smallest = materials[1].youngs_modulus_MPa;
  for (std::size_t m = 1; m < materials.size(); ++m) {
    largest = std::max(largest, materials[m].youngs_modulus_MPa);
    smallest = std::min(smallest, materials[m].youngs_modulus_MPa);
  }
  if (!job.density_law) {
    all.modulus(largest, "modulus_image.path");
    return all.take();
  }
  const density_law_spec& d = *job.density_law;
  const bool at_end = smallest == largest && (largest == d.min_modulus_MPa || largest == d.max_modulus_MPa);
  all.doubt(at_end, "density_law", [&] {
    return fmt::format(
        "the moduli of all voxels are {} the limit {:g} MPa; check that slope and coefficient_MPa use the same unit of "
        "density",
        largest == d.max_modulus_MPa ? "above" : "below", largest);
  });
  if (!at_end) all.modulus(largest, "density_law");
  return all.take();
}

std::vector<problem> doubts_of_segmentation(const spec& job, const std::string& provenance_json, index3 shape) {
  const auto provenance = json_from_text<nlohmann::json>(provenance_json);
  if (!provenance.is_object() || !provenance.contains("segmentation") || !provenance.contains("image")) return {};
  const auto &segmentation = provenance.at("segmentation"), &image = provenance.at("image");
  for (const char* key : {"solid_voxels", "dropped_voxels"})
    if (!segmentation.contains(key)) return {};
  doubter all(job);
  const double solid = segmentation.at("solid_voxels"), dropped = segmentation.at("dropped_voxels");
  all.share(solid / static_cast<double>(shape.volume()), image.value("grey_min", 0.0), image.value("grey_max", 0.0),
            "of the voxels");
  all.doubt(solid > 0 && dropped > 0.1 * solid, "segment.keep", [&] {
    return fmt::format("\"{}\" removes {:.0f} % of the solid", name_of(keep_of(job)), 100 * dropped / solid);
  });
  return all.take();
}

std::vector<problem> doubts_of_share(const spec& job, double share, double low, double high, const std::string& of_what) {
  doubter all(job);
  all.share(share, low, high, of_what);
  return all.take();
}

std::vector<problem> doubts_of_model(const spec& job, const voxel::model_header& header) {
  std::vector<problem> found = doubts_of_size(job, header.spacing_mm, header.shape);
  for (std::vector<problem>& more : std::array{doubts_of_segmentation(job, header.provenance_json, header.shape),
                                               doubts_of_moduli(job, header.materials)})
    std::move(more.begin(), more.end(), std::back_inserter(found));
  return found;
}

std::string line_of(const problem& doubt) { return doubt.where + ": " + doubt.text; }

void warn_of_doubts(const spec& job, log_sink& log) {
  for (const problem& p : doubts(job)) log.warn(job.file + ": " + line_of(p));
}

}  // namespace osteon::job
