#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <common/printable.hpp>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/render/scene/compositing.hpp>
#include <set>

namespace osteon::job {

namespace {

// Half-open ranges [[z0, z1], [y0, y1], [x0, x1]].
bool is_crop(const std::vector<std::vector<std::int64_t>>& ranges) {
  return ranges.size() == 3 && std::all_of(ranges.begin(), ranges.end(), [](const auto& range) {
           return range.size() == 2 && range[0] >= 0 && range[0] < range[1];
         });
}

bool are_edges(const std::vector<double>& lengths_mm) {
  return std::all_of(lengths_mm.begin(), lengths_mm.end(), [](double h) { return h > 0 && h <= 1000; });
}

class checker {
 public:
  explicit checker(const spec& job) : job_(job), physics_(physics_of(job)), expect(problems_) {}

  std::vector<problem> run() {
    check_keys(job_, problems_);
    check_name();
    check_image();
    check_materials();
    physics_.check(job_, problems_);
    check_boundary_condition();
    check_compartments();
    check_numbers();
    return std::move(problems_);
  }

 private:
  // Names of the physics that support connectivity 26.
  static std::string physics_with_corners() {
    std::string names;
    for (const physics_entry* p : all_physics())
      if (!*p->reason_for_faces_only) names += (names.empty() ? "" : "\" or \"") + std::string(p->name);
    return names;
  }

  // Keys that the physics requires for every material, for example "youngs_modulus_MPa and poisson_ratio".
  std::string needed_properties() const {
    std::vector<std::string> keys;
    for (const material_property* p : physics_.needs) keys.emplace_back(p->key);
    if (needs(physics_, property::youngs_modulus)) keys.emplace_back("poisson_ratio");
    std::string text;
    for (std::size_t n = 0; n < keys.size(); ++n) text += (n == 0 ? "" : n + 1 == keys.size() ? " and " : ", ") + keys[n];
    return text;
  }

  // The name of the job is used for the output folder, in titles, and on terminals.
  void check_name() {
    constexpr std::size_t longest = 200;
    const std::string& name = job_.name;
    expect(name.find('/') == std::string::npos && name != "." && name != "..", "name",
           "'{}' must not be a path; set the output folder with output.directory", name);
    expect(name.size() <= longest, "name", "the length of {} bytes exceeds the maximum of {}", name.size(), longest);
    expect(printable(name) == name && name.find_first_of("\n\t") == std::string::npos, "name",
           "'{}' contains unprintable characters; use letters, digits and punctuation", printable(name));
  }

  void check_io() {
    const io_spec& f = job_.io;
    const std::int64_t highest = f.compression == "zstd" ? 19 : 9;
    expect(!f.compression_level || f.compression != "none", "io.compression_level",
           "must not be given with io.compression = \"none\"; remove the key");
    expect(!f.compression_level || f.compression == "none" || (*f.compression_level >= 1 && *f.compression_level <= highest),
           "io.compression_level", "{} must be in [1, {}]", f.compression_level.value_or(0), highest);
    for (const std::string& hint : f.hints)
      expect(hint.find('=') != std::string::npos && hint.front() != '=' && hint.back() != '=', "io.hints",
             "'{}' must have the form key=value", hint);
  }

  void check_image() {
    const image_spec& i = job_.image;
    expect(!i.path.empty(), "image.path", "missing; give the image file, e.g. path = \"bone.tif\"");
    if (i.spacing_mm) {
      expect(i.spacing_mm->size() == 3, "image.spacing_mm",
             "has {} values; give three, [z, y, x], or one number for cubic voxels", i.spacing_mm->size());
      expect(are_edges(*i.spacing_mm), "image.spacing_mm",
             "[{}]: each value must be in (0, 1000] mm; give the voxel size in millimetres", fmt::join(*i.spacing_mm, ", "));
    }
    expect(i.crop_voxels.empty() || is_crop(i.crop_voxels), "image.crop_voxels",
           "expected [[z0, z1], [y0, y1], [x0, x1]] with 0 <= first < last");
    check_crop_to_solid();
    check_changes_of_greys();
    for (std::size_t n = 0; n < i.steps.size(); ++n) check_step(i.steps[n], fmt::format("image.step[{}]", n + 1));
    const std::int64_t connectivity = job_.segment.connectivity;
    expect(connectivity == 6 || connectivity == 26, "segment.connectivity",
           "{} must be 6 (faces) or 26 (faces, edges and corners)", connectivity);
    const std::string why_not = physics_.reason_for_faces_only;
    expect(connectivity != 26 || why_not.empty(), "segment.connectivity",
           "26 is available for physics = \"{}\" only: {}; remove the key", physics_with_corners(), why_not);
    expect(connectivity != 26 || !(job_.segment.keep == kept_parts::all), "segment.connectivity",
           "26 has no effect with segment.keep = \"all\", which removes no parts; remove one of the two keys");
    const bool compares = job_.segment.compare_connectivity;
    expect(!compares || why_not.empty(), "segment.compare_connectivity",
           "is available for physics = \"{}\" only: {}; remove the key", physics_with_corners(), why_not);
    expect(!compares || !(job_.segment.keep == kept_parts::all), "segment.compare_connectivity",
           "has no effect with segment.keep = \"all\", which removes no parts; remove one of the two keys");
    expect(!job_.segment.labels || !job_.segment.threshold, "segment.threshold",
           "must not be given with segment.labels = true, because labels are not thresholded; remove one of the two keys");
    if (const auto& greys = job_.segment.greys) {
      const bool good = greys->size() == 2 && std::isfinite((*greys)[0]) && std::isfinite((*greys)[1]);
      expect(good && (*greys)[0] < (*greys)[1], "segment.greys",
             "must be [empty, solid], two grey values with empty < solid");
      expect(!job_.segment.labels, "segment.greys",
             "must not be given with segment.labels = true; remove one of the two keys");
    }
    expect(!job_.segment.threshold || !job_.segment.upper || *job_.segment.upper > *job_.segment.threshold, "segment.upper",
           "must be greater than segment.threshold; otherwise no voxel is solid");
  }

  // Labels cannot be averaged. In keys of the physics, the checks of the physics report voxels.
  void check_coarsening(bool is_coarsened, const char* key) {
    expect(!is_coarsened || (!job_.segment.labels && physics_.rules(job_).labels.empty()), key,
           "must not be given with labels, because labels have no mean; remove one of the two keys");
  }

  void check_crop_to_solid() {
    if (!job_.image.crop_to_solid) return;
    const solid_rules rules = physics_.rules(job_);
    expect(!rules.takes_empty_space && !rules.has_others, "image.crop_to_solid",
           "must not be given for a job that computes the empty space around the solid; give crop_voxels instead");
    expect(rules.periodic == std::array<bool, 3>{}, "image.crop_to_solid",
           "must not be given for a periodic image, because the crop changes the period; remove the key");
    expect(!job_.uncertainty && !job_.segment.compare_connectivity, "image.crop_to_solid",
           "must not be given with [uncertainty] or segment.compare_connectivity, because each solid has another box; give "
           "crop_voxels instead");
    expect(job_.image.coarsen == 1, "image.crop_to_solid",
           "must not be given with image.coarsen, because the box of the coarse solid contains fractions of voxels; give "
           "crop_voxels instead");
  }

  void check_changes_of_greys() {
    const image_spec& i = job_.image;
    const auto not_of_labels = [&](const std::optional<double>& value, const char* where) {
      expect(!value || !job_.segment.labels, where,
             "must not be given with segment.labels = true, because labels have neither noise nor a threshold; remove one "
             "of the two keys");
    };
    check_coarsening(i.coarsen > 1, "image.coarsen");
    not_of_labels(i.noise_sd, "image.noise_sd");
    if (!job_.uncertainty) return;
    const uncertainty_spec& u = *job_.uncertainty;
    expect(!job_.from, "uncertainty", "requires a job with an image; remove the table");
    expect(u.threshold_sd || u.noise_sd || u.voxel_size, "uncertainty",
           "has no source of uncertainty; give threshold_sd, noise_sd or voxel_size = true");
    not_of_labels(u.threshold_sd, "uncertainty.threshold_sd");
    not_of_labels(u.noise_sd, "uncertainty.noise_sd");
    check_coarsening(u.voxel_size, "uncertainty.voxel_size");
  }

  void check_step(const image_step_spec& s, const std::string& where) {
    const bool is_ball = s.kind == image_filter::median || s.kind == image_filter::close || s.kind == image_filter::open;
    expect(s.kind.has_value(), where + ".kind",
           "missing; give gaussian, median, close, open, resample, crop, labels, laplace_hamming, local_threshold or "
           "hysteresis");
    const bool is_local = s.kind == image_filter::local_threshold, has_middle = s.method == threshold_method::bernsen;
    const bool raises = is_local || s.kind == image_filter::hysteresis;
    expect(!raises || (s.low && s.high), where, "low or high is missing; give both, in grey values of the image");
    expect(!raises || !s.high || job_.segment.threshold == s.high, "segment.threshold",
           "must be {:g}, the value of high in {}", s.high.value_or(0), where);
    expect(!raises || !job_.uncertainty || !job_.uncertainty->threshold_sd, "uncertainty.threshold_sd",
           "cannot be combined with {}, because its low and high are thresholds; remove one of the two", where);
    expect(!s.low || !s.high || *s.low < *s.high, where + ".high", "{:g} must be greater than low = {:g}",
           s.high.value_or(0), s.low.value_or(0));
    expect(!is_local || (s.radius_voxels >= 2 && s.radius_voxels <= 64), where + ".radius_voxels",
           "{} must be in [2, 64]; choose several times the width of the structures", s.radius_voxels);
    expect(!is_local || !has_middle || s.contrast.value_or(0) > 0, where + ".contrast",
           "missing; give the largest grey value range of a window that contains only noise");
    if (s.kind == image_filter::gaussian) {
      expect(s.sigma_mm.has_value() != s.sigma_voxels.has_value(), where, "requires either sigma_mm or sigma_voxels");
      const double sigma = s.sigma_mm.value_or(s.sigma_voxels.value_or(1)), most = s.sigma_mm ? 1000 : 100;
      expect(sigma > 0 && sigma <= most, where, "sigma {:g} must be in (0, {:g}]", sigma, most);
    }
    expect(!is_ball || (s.radius_voxels >= 1 && s.radius_voxels <= 16), where + ".radius_voxels", "{} must be in [1, 16]",
           s.radius_voxels);
    expect(s.kind != image_filter::resample || (s.spacing_mm && s.spacing_mm->size() == 3 && are_edges(*s.spacing_mm)),
           where + ".spacing_mm", "must be one number or [z, y, x], each in (0, 1000] mm");
    expect(s.kind != image_filter::crop || is_crop(s.voxels), where + ".voxels",
           "expected [[z0, z1], [y0, y1], [x0, x1]] with 0 <= first < last");
    if (s.kind == image_filter::labels) {
      bool good = !s.ranges.empty();
      for (const auto& r : s.ranges)
        good &= r.size() == 3 && r[0] <= r[1] && r[2] >= 0 && r[2] <= 65535 && r[2] == std::floor(r[2]);
      expect(good, where + ".ranges", "expected [[low, high, label], ...] with low <= high and whole labels in [0, 65535]");
      expect(job_.segment.labels, where, "kind = \"labels\" requires segment.labels = true; add it to the job");
    }
  }

  void check_materials() {
    const bool law = job_.density_law.has_value(), images = job_.modulus_image.has_value();
    expect(!job_.materials.empty() || law || images || physics_.needs.empty(), "material",
           "missing; add [[material]] with {}", needed_properties());
    expect(!images || (job_.materials.empty() && !law), "modulus_image",
           "given together with [[material]] or [density_law]; keep one of them");
    expect(!images || !job_.segment.labels, "modulus_image",
           "must not be given with segment.labels = true, because labels have materials; remove one of the two");
    expect(!job_.poisson_image || images, "poisson_image", "requires [modulus_image]; add this table, or use poisson_ratio");
    if (images) {
      expect(!job_.modulus_image->path.empty(), "modulus_image.path", "missing; give an image of moduli in MPa");
      expect_ratio(job_.modulus_image->poisson_ratio, "modulus_image.poisson_ratio", !job_.poisson_image);
      expect(!job_.poisson_image || !job_.modulus_image->poisson_ratio, "modulus_image.poisson_ratio",
             "given together with [poisson_image]; remove one of the two");
    }
    expect(!job_.poisson_image || !job_.poisson_image->path.empty(), "poisson_image.path",
           "missing; give an image of Poisson's ratios");
    expect(job_.materials.empty() || !law, "density_law", "given together with [[material]]; keep one of the two");
    expect(!law || !job_.segment.labels, "density_law",
           "requires grey values; set segment.labels = false, or use [[material]]");
    std::set<std::int64_t> labels;
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const material_spec& m = job_.materials[n];
      const std::string at = fmt::format("material[{}].", n + 1);
      for (const material_property* p : physics_.needs)
        expect((m.*p->value).has_value(), at + p->key, "missing; required by physics = \"{}\", in {}", physics_.name,
               p->unit);
      expect_ratio(m.poisson_ratio, at + "poisson_ratio", needs(physics_, property::youngs_modulus));
      if (job_.segment.labels) {
        expect(m.label.has_value(), at + "label", "missing; required for every material if segment.labels = true");
        expect(!m.label || labels.insert(*m.label).second, at + "label",
               "{} is the label of two materials; labels must be unique", m.label.value_or(0));
      } else {
        expect(!m.label, at + "label", "requires segment.labels = true; set segment.labels = true, or remove the label");
      }
    }
    expect(job_.segment.labels || job_.materials.size() < 2, "material[2].",
           "a thresholded image has one material, but the job has {}; use segment.labels = true or [density_law]",
           job_.materials.size());
    expect(job_.materials.size() <= most_materials, "material", "the number of materials, {}, exceeds the maximum of {}",
           job_.materials.size(), most_materials);
    if (law) check_law(*job_.density_law);
  }

  void check_law(const density_law_spec& d) {
    expect(
        d.slope || !d.calibration.empty() || d.from_image, "density_law.slope",
        "missing; give slope, the points of a calibration, or from_image = true if the image file contains a calibration");
    expect(!d.slope || d.calibration.empty(), "density_law.calibration", "given together with slope; keep one of the two");
    expect(!d.from_image || (!d.slope && d.calibration.empty() && d.intercept == 0), "density_law.from_image",
           "given together with slope, intercept or calibration; keep one of them");
    if (!d.calibration.empty()) {
      std::set<double> greys;
      bool pairs = true;
      for (const std::vector<double>& point : d.calibration) {
        pairs &= point.size() == 2;
        if (!point.empty()) greys.insert(point[0]);
      }
      expect(pairs && greys.size() >= 2, "density_law.calibration",
             "expected [[grey, density], ...] with at least two different grey values");
    }
    if (d.law == modulus_law::power) {
      expect(d.coefficient_MPa.has_value(), "density_law.coefficient_MPa", "missing; required by physics = \"{}\", in MPa",
             physics_.name);
      expect(d.coefficients_MPa.empty(), "density_law.coefficients_MPa",
             "not used by law = \"power\"; use coefficient_MPa and exponent, or another law");
    } else {
      const std::size_t n = d.coefficients_MPa.size();
      expect(d.law == modulus_law::linear ? n == 2 : n > 0, "density_law.coefficients_MPa",
             "has {} values; law = \"{}\" requires {}", n, d.law.name(),
             d.law == modulus_law::linear ? "two, [a0, a1]" : "[a0, a1, ...]");
      expect(!d.coefficient_MPa, "density_law.coefficient_MPa", "not used by law = \"{}\"; use coefficients_MPa",
             d.law.name());
    }
    expect(d.max_modulus_MPa >= d.min_modulus_MPa, "density_law.max_modulus_MPa",
           "{} must not be less than min_modulus_MPa = {}", d.max_modulus_MPa, d.min_modulus_MPa);
    expect_ratio(d.poisson_ratio, "density_law.poisson_ratio", true);
  }

  void check_boundary_condition() {
    if (!job_.load.boundary_condition) return;
    const std::vector<outer_condition> choices = physics_.boundary_conditions(job_);
    std::vector<std::string> names;
    for (const outer_condition choice : choices) names.push_back(name_of(choice));
    expect(choices.empty() || std::find(names.begin(), names.end(), job_.load.boundary_condition.name()) != names.end(),
           "load.boundary_condition", "'{}' is not available for test = \"{}\"; use '{}'",
           job_.load.boundary_condition.name(), physics_.test(job_), fmt::join(names, "' or '"));
  }

  void check_numbers() {
    expect(job_.picture.every <= 0 || job_.picture.enabled, "picture.every",
           "{} requires picture.enabled = true; remove one of the two keys", job_.picture.every);
    expect(!job_.picture.film || job_.picture.every > 0, "picture.film",
           "requires frames; give picture.every, or remove the key");
    try {
      render::parse_compositing(job_.picture.compositing);
    } catch (const usage_error& e) {
      problems_.push_back({"picture.compositing", e.what()});
    }
    const std::int64_t lines = job_.picture.streamlines.value_or(0);
    expect(lines <= 0 || physics_.picture.has_lines, "picture.streamlines",
           "must be 0 (is {}): physics = \"{}\" has no vector field; remove the key", lines, physics_.name);
    check_io();
  }

  void check_compartments() {
    const auto is_sign = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::map<std::pair<std::string, std::int64_t>, std::string> owner;
    std::set<std::string> names;
    for (std::size_t n = 0; n < job_.compartments.size(); ++n) {
      const compartment_spec& c = job_.compartments[n];
      const std::string at = fmt::format("compartment[{}].", n + 1), kind = c.kind_of();
      expect(!c.name.empty() && std::all_of(c.name.begin(), c.name.end(), is_sign), at + "name",
             "'{}' must consist of letters, digits and _", printable(c.name));
      expect(names.insert(c.name).second, at + "name", "'{}' is used twice; names must be unique", printable(c.name));
      expect(c.kind || kind == "trabecular" || kind == "cortical" || kind == "total", at + "kind",
             "missing, and the name is not a kind; give trabecular, cortical or total");
      expect(!c.labels.empty(), at + "labels", "missing; give the labels of the compartment in the label image");
      expect(c.image || job_.segment.labels, at + "image",
             "missing; without segment.labels = true, give a label image with the shape of the scan");
      for (const std::int64_t label : kind == "total" ? std::vector<std::int64_t>{} : c.labels) {
        const auto [other, is_first] = owner.emplace(std::pair(c.image.value_or(job_.image.path), label), printable(c.name));
        expect(is_first, at + "labels", "{} also belongs to '{}'; only compartments of kind = \"total\" may overlap", label,
               other->second);
      }
    }
    expect(job_.compartments.empty() || !job_.from, "compartment", "requires a job with an image; remove the table");
    expect(!job_.measures_shape || job_.compartments.empty() || job_.image.coarsen == 1, "image.coarsen",
           "must be 1 for a job with [[compartment]], because labels cannot be averaged; remove one of the two");
  }

  void expect_ratio(const std::optional<double>& nu, const std::string& where, bool is_needed) {
    expect(nu || !is_needed, where, "missing; required by physics = \"{}\" (0.3 is usual for bone)", physics_.name);
  }

  const spec& job_;
  const physics_entry& physics_;
  std::vector<problem> problems_;
  const fault_list expect;
};

}  // namespace

std::vector<problem> validate(const spec& job) { return checker(job).run(); }

bool uses_bricks(const spec& job, std::int64_t planes, std::int64_t ranks) {
  constexpr std::int64_t fewest_planes = 16;
  if (job.run.decomposition != cut_of_image::automatic) return job.run.decomposition == cut_of_image::bricks;
  return planes < fewest_planes * ranks && ranks > 1;
}

}  // namespace osteon::job
