#include <osteon/job/import/classify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/voxel/crop_to_solid.hpp>
#include <utility>
#include <vector>

namespace osteon::job {

voxel::density_law law_of(const density_law_spec& d, const voxel::calibration& line) {
  return {line.slope,        line.intercept,    d.coefficient_MPa.value_or(0), d.exponent, d.coefficients_MPa,
          d.min_modulus_MPa, d.max_modulus_MPa, d.poisson_ratio.value_or(0)};
}

namespace {

voxel::calibration calibration_of(const density_law_spec& d, const job_images& images) {
  if (d.from_image) return images.stated.value();
  if (d.calibration.empty()) return {*d.slope, d.intercept};
  std::vector<std::pair<double, double>> points;
  for (const std::vector<double>& p : d.calibration) points.emplace_back(p.at(0), p.at(1));
  return voxel::calibrate(points);
}

}  // namespace

namespace {

voxel::segmentation_options options_of(const spec& job, const solid_rules& rules) {
  voxel::segmentation_options options;
  options.threshold = job.segment.threshold;
  if (const auto& greys = job.segment.greys) options.greys = voxel::phase_greys{(*greys)[0], (*greys)[1]};
  options.upper = job.segment.upper;
  const kept_parts keep = keep_of(job);
  options.keep = rules.keeps_all || keep == kept_parts::all ? voxel::keep_rule::all
                 : keep == kept_parts::percolating          ? voxel::keep_rule::percolating
                                                            : voxel::keep_rule::largest;
  options.connected_by = job.segment.connectivity == 26 ? voxel::connectivity::corners : voxel::connectivity::faces;
  options.load_axis = *job.load.axis;
  options.labels = rules.labels;
  options.inverted = rules.takes_empty_space;
  options.must_connect_faces = rules.must_connect_faces;
  if (rules.has_loaded_faces)
    options.remedy_for_faces = options.keep == voxel::keep_rule::percolating
                                   ? "load the faces of the solid (load.faces = \"solid\" with segment.keep = \"largest\"), "
                                   : "load the faces of the solid (load.faces = \"solid\"), ";
  options.may_keep_all_parts = rules.may_keep_all_parts;
  options.through = rules.through;
  options.touching = rules.touching;
  options.periodic = rules.periodic;
  return options;
}

voxel::segmented classify_whole(const spec& job, const solid_rules& rules, const voxel::segmentation_options& options,
                                const job_images& images) {
  const auto properties = [](const material_spec& m, const std::string& fallback) {
    return voxel::material{m.name.empty() ? fallback : m.name, m.youngs_modulus_MPa.value_or(0), m.poisson_ratio.value_or(0),
                           m.conductivity_W_per_mK.value_or(0)};
  };
  if (rules.has_others) {
    const voxel::material phase{rules.phase, 0, 0, 0};
    if (rules.labels.empty())
      return voxel::segment_phases(images.scan, options, phase, properties(job.materials.front(), "solid"));
    std::vector<voxel::labelled_material> others;
    for (const material_spec& m : job.materials)
      others.push_back({*m.label, properties(m, fmt::format("label {}", *m.label))});
    std::vector<std::int64_t> empty;
    for (const std::int64_t label : job.segment.void_labels)
      if (std::find(rules.labels.begin(), rules.labels.end(), label) == rules.labels.end()) empty.push_back(label);
    return voxel::segment_phases(images.scan, options, phase, others, empty);
  }
  if (rules.takes_empty_space || !rules.labels.empty())
    return voxel::segment(images.scan, options, voxel::material{rules.phase, 0, 0, 0});
  if (job.segment.labels) {
    std::vector<voxel::labelled_material> table;
    for (const material_spec& m : job.materials)
      table.push_back({*m.label, properties(m, fmt::format("label {}", *m.label))});
    return voxel::segment(images.scan, options, table, job.segment.void_labels);
  }
  if (job.density_law)
    return voxel::segment(images.scan, options, law_of(*job.density_law, calibration_of(*job.density_law, images)));
  if (images.modulus)
    return voxel::segment(
        images.scan, options,
        voxel::elastic_images{*images.modulus, images.poisson, job.modulus_image->poisson_ratio.value_or(0)});
  return voxel::segment(images.scan, options,
                        properties(job.materials.empty() ? material_spec{} : job.materials.front(), "solid"));
}

}  // namespace

voxel::segmented classify(const spec& job, const job_images& images) {
  const solid_rules rules = physics_of(job).rules(job);
  const voxel::segmentation_options options = options_of(job, rules);
  if (!job.image.crop_to_solid) return classify_whole(job, rules, options, images);
  voxel::segmentation_options of_whole = options;
  of_whole.must_connect_faces = false;  // the solid must connect the faces of its box, not those of the image
  return voxel::crop_to_solid(classify_whole(job, rules, of_whole, images), options);
}

nlohmann::ordered_json describe_segmentation(const spec& job, const job_images& images, const voxel::segmented& model) {
  const voxel::segmentation_report& r = model.report;
  nlohmann::ordered_json text = {{"method", r.method},
                                 {"threshold", nullptr},
                                 {"solid_voxels", r.solid_voxels},
                                 {"kept_voxels", r.kept_voxels},
                                 {"dropped_voxels", r.dropped_voxels},
                                 {"dropped_islands", r.dropped_islands},
                                 {"largest_islands", r.largest_islands},
                                 {"keep", physics_of(job).rules(job).keeps_all ? "all" : name_of(keep_of(job))},
                                 {"connectivity", job.segment.connectivity},
                                 {"hanging_voxels", r.hanging_voxels},
                                 {"hanging_islands", r.hanging_islands},
                                 {"volume_fraction", r.volume_fraction},
                                 {"percolates", {{"z", r.percolates[0]}, {"y", r.percolates[1]}, {"x", r.percolates[2]}}}};
  if (r.threshold) text["threshold"] = *r.threshold;
  if (!r.voxels_of_material.empty()) text["voxels_of_material"] = r.voxels_of_material;
  if (job.density_law || job.modulus_image) {
    text["materials"] = model.materials.size() - 1;
    text["largest_relative_modulus_error"] = model.modulus_error;
    text["largest_poisson_error"] = model.poisson_error;
  }
  if (job.density_law && (job.density_law->from_image || !job.density_law->calibration.empty())) {
    const voxel::calibration line = calibration_of(*job.density_law, images);
    text["calibration"] = {
        {"slope", line.slope}, {"intercept", line.intercept}, {"largest_residual", line.largest_residual}};
  }
  return text;
}

}  // namespace osteon::job
