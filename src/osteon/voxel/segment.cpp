#include <osteon/voxel/segment.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/voxel/elastic_classes.hpp>
#include <osteon/voxel/threshold.hpp>
#include <type_traits>

namespace osteon::voxel {

namespace {

constexpr const char* axis_names[] = {"z", "y", "x"};

std::string face_name(int axis, bool high) { return fmt::format("{} {} face", high ? "high" : "low", axis_names[axis]); }

// Which faces of the image each part joins, by axis. On the way it may cross periodic faces, but of other axes: a grain that
// a face cuts in two touches both, and joins nothing.
using joined_axes = std::vector<std::array<bool, 3>>;
joined_axes find_joined_axes(const run_set& cells, const components& found, const std::array<bool, 3>& periodic,
                             connectivity by) {
  joined_axes joins(found.parts.size());
  for (std::size_t a = 0; a < 3; ++a) {
    std::array<bool, 3> others = periodic;
    others[a] = false;
    const components cut = periodic[a] ? find_components(cells, others, by) : found;
    for (std::size_t run = 0; run < cut.part_of_run.size(); ++run) {
      const component& part = cut.parts[static_cast<std::size_t>(cut.part_of_run[run])];
      const int axis = static_cast<int>(a);
      if (part.touches(cells.shape(), axis, false) && part.touches(cells.shape(), axis, true))
        joins[static_cast<std::size_t>(found.part_of_run[run])][a] = true;
    }
  }
  return joins;
}

// The rule needs the whole report of what was found, because a refusal has to say which face is missed and by how much.
void require_both_faces(const components& found, const joined_axes& joins, const std::vector<bool>& kept, index3 shape,
                        axis load_axis) {
  const int a = static_cast<int>(load_axis);
  std::int64_t low = shape[a], high = -1;
  bool joined = false;
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    if (!kept[p]) continue;
    low = std::min(low, found.parts[p].low[a]);
    high = std::max(high, found.parts[p].high[a]);
    joined |= joins[p][static_cast<std::size_t>(a)];
  }
  const bool misses_low = low > 0, misses_high = high < shape[a] - 1;
  if (misses_low || misses_high)
    throw data_error(
        fmt::format("the solid does not touch the {}{}: it spans the {} planes {} to {} of 0 to {}; crop the image to that "
                    "range (image.crop_voxels), "
                    "lower the threshold, or load another axis",
                    misses_low ? face_name(a, false) : face_name(a, true),
                    misses_low && misses_high ? fmt::format(" nor the {}", face_name(a, true)) : "", axis_names[a], low,
                    high, shape[a] - 1));
  if (!joined)
    throw data_error(
        fmt::format("no connected part of the solid joins the {} and the {}; lower the threshold, or load another axis",
                    face_name(a, false), face_name(a, true)));
}

// Count what is dropped although edges or corners connect it with what is kept.
void count_hanging(const run_set& cells, const components& found, const std::vector<bool>& kept,
                   const std::array<bool, 3>& periodic, segmentation_report& report) {
  const components wider = find_components(cells, periodic, connectivity::corners);
  std::vector<bool> is_held(wider.parts.size());
  for (std::size_t run = 0; run < found.part_of_run.size(); ++run)
    if (kept[static_cast<std::size_t>(found.part_of_run[run])])
      is_held[static_cast<std::size_t>(wider.part_of_run[run])] = true;
  std::vector<bool> counted_part(found.parts.size());
  for (std::size_t run = 0; run < found.part_of_run.size(); ++run) {
    const auto part = static_cast<std::size_t>(found.part_of_run[run]);
    if (kept[part] || counted_part[part] || !is_held[static_cast<std::size_t>(wider.part_of_run[run])]) continue;
    counted_part[part] = true;
    report.hanging_voxels += found.parts[part].voxels;
    ++report.hanging_islands;
  }
}

// Drop the parts that are not kept (in `solid`, values stay as they are elsewhere) and report.
void keep_parts(std::vector<material_number>& solid, index3 shape, const segmentation_options& how,
                segmentation_report& report) {
  // This is one process: only a rank that computes has to number its voxels.
  const run_set cells = active_cells({solid.data(), shape}, numbering::none);
  const components found = find_components(cells, how.periodic, how.connected_by);
  const joined_axes joins = find_joined_axes(cells, found, how.periodic, how.connected_by);
  const auto load = static_cast<std::size_t>(how.load_axis);
  std::vector<bool> kept(found.parts.size());
  for (std::size_t p = 0; p < found.parts.size(); ++p)
    kept[p] = how.keep == keep_rule::all || (how.keep == keep_rule::largest && p == 0) ||
              (how.keep == keep_rule::percolating && joins[p][load]);
  if (how.keep == keep_rule::percolating && how.may_join_nothing && std::find(kept.begin(), kept.end(), true) == kept.end())
    kept.assign(kept.size(), true);
  for (const component& part : found.parts) report.solid_voxels += part.voxels;
  report.parts = static_cast<std::int64_t>(found.parts.size());
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    const component& part = found.parts[p];
    if (!kept[p]) {
      report.dropped_voxels += part.voxels;
      ++report.dropped_islands;
      if (report.largest_islands.size() < 10) report.largest_islands.push_back(part.voxels);
      continue;
    }
    report.kept_voxels += part.voxels;
    for (std::size_t a = 0; a < 3; ++a) report.percolates[a] = report.percolates[a] || joins[p][a];
  }
  if (report.dropped_voxels > 0 && how.connected_by == connectivity::faces)
    count_hanging(cells, found, kept, how.periodic, report);
  report.volume_fraction = static_cast<double>(report.kept_voxels) / static_cast<double>(shape.volume());
  if (how.keep == keep_rule::percolating && report.kept_voxels == 0)
    require_both_faces(found, joins, std::vector<bool>(kept.size(), true), shape, how.load_axis);
  if (how.must_join_faces) require_both_faces(found, joins, kept, shape, how.load_axis);
  const auto runs = cells.runs();
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!kept[static_cast<std::size_t>(found.part_of_run[i])])
      std::fill_n(solid.begin() + (runs[i].z * shape.y + runs[i].y) * shape.x + runs[i].x, runs[i].length,
                  material_number{0});
}

// Threshold and keep: 1 where the solid is.
segmented find_solid(const image& scan, const segmentation_options& how) {
  segmented result;
  result.shape = scan.shape;
  result.report.grey = check_values(scan);
  result.report.method = how.threshold ? "given" : "otsu";
  const double threshold = how.threshold ? *how.threshold : otsu_threshold(scan, result.report.grey);
  const double upper = how.upper.value_or(std::numeric_limits<double>::infinity());
  result.report.threshold = threshold;
  result.material = solid_voxels(scan, threshold, upper);
  if (std::find(result.material.begin(), result.material.end(), 1) == result.material.end())
    throw data_error(fmt::format(
        "the threshold {} leaves no solid voxel: the grey values of the image lie in [{}, {}]{}; choose a threshold "
        "inside that range, or leave it out for Otsu's",
        threshold, result.report.grey.low, result.report.grey.high,
        how.upper ? fmt::format(" and segment.upper is {}", upper) : ""));
  keep_parts(result.material, scan.shape, how, result.report);
  return result;
}

using constants_of_voxel = std::function<elastic_constants(std::int64_t)>;

void take_classes(segmented& model, const constants_of_voxel& constants) {
  elastic_classes classes = sort_into_materials(model.material, constants);
  model.materials = std::move(classes.materials);
  model.modulus_error = classes.modulus_error;
  model.poisson_error = classes.poisson_error;
}

std::function<double(std::int64_t)> values_of(const image& values) {
  return values.visit([](auto view) -> std::function<double(std::int64_t)> {
    return [data = view.data_handle()](std::int64_t i) { return static_cast<double>(data[i]); };
  });
}

// Refuse a model with solid voxels whose value is not allowed; says how many there are and where the first is.
void require(const segmented& model, const std::function<double(std::int64_t)>& values, bool (*allowed)(double),
             const char* what, const char* limit) {
  std::int64_t bad = 0, first = -1;
  for (std::int64_t i = 0; i < model.shape.volume(); ++i) {
    if (!model.material[static_cast<std::size_t>(i)] || allowed(values(i))) continue;
    if (bad++ == 0) first = i;
  }
  if (bad == 0) return;
  const index3 n = model.shape;
  throw data_error(
      fmt::format("{} solid voxels have a {} that is not allowed, the first {} at (z, y, x) = ({}, {}, {}); {}: correct the "
                  "image, or choose a threshold that leaves these voxels out",
                  bad, what, values(first), first / (n.y * n.x), first / n.x % n.y, first % n.x, limit));
}

}  // namespace

calibration calibrate(std::span<const std::pair<double, double>> points) {
  const auto n = static_cast<double>(points.size());
  double grey = 0, density = 0, square = 0, product = 0;
  for (const auto& [g, rho] : points) grey += g / n, density += rho / n;
  for (const auto& [g, rho] : points) {
    square += (g - grey) * (g - grey);
    product += (g - grey) * (rho - density);
  }
  calibration line{product / square, density - product / square * grey};
  if (std::abs(line.intercept) < 1e-14 * std::abs(density)) line.intercept = 0;  // of a line through the origin
  for (const auto& [g, rho] : points)
    line.largest_residual = std::max(line.largest_residual, std::abs(line.slope * g + line.intercept - rho));
  return line;
}

double density_law::modulus_MPa(double grey) const {
  const double density = std::max(0.0, slope * grey + intercept);
  double modulus = 0;
  for (auto a = polynomial_MPa.rbegin(); a != polynomial_MPa.rend(); ++a) modulus = modulus * density + *a;
  if (polynomial_MPa.empty()) modulus = coefficient_MPa * std::pow(density, exponent);
  return std::clamp(modulus, min_modulus_MPa, max_modulus_MPa);
}

segmented segment(const image& scan, const segmentation_options& how, const material& solid) {
  segmented result = find_solid(scan, how);
  result.materials = {material{"empty", 0, 0, 0}, solid};
  return result;
}

segmented segment(const image& scan, const segmentation_options& how, const density_law& law) {
  segmented result = find_solid(scan, how);
  take_classes(result, scan.visit([&](auto values) -> constants_of_voxel {
    using grey = std::remove_const_t<std::remove_pointer_t<decltype(values.data_handle())>>;
    if constexpr (sizeof(grey) <= 2) {  // a table of all greys is cheaper than a power for each voxel
      using place = std::make_unsigned_t<grey>;
      std::vector<double> modulus(std::size_t{std::numeric_limits<place>::max()} + 1);
      for (std::size_t p = 0; p < modulus.size(); ++p)
        modulus[p] = law.modulus_MPa(static_cast<grey>(static_cast<place>(p)));
      return [data = values.data_handle(), modulus = std::move(modulus), nu = law.poisson_ratio](std::int64_t i) {
        return elastic_constants{modulus[static_cast<place>(data[i])], nu};
      };
    } else {
      return [data = values.data_handle(), &law](std::int64_t i) {
        return elastic_constants{law.modulus_MPa(static_cast<double>(data[i])), law.poisson_ratio};
      };
    }
  }));
  return result;
}

segmented segment(const image& scan, const segmentation_options& how, const elastic_images& constants) {
  for (const image* values : {&constants.modulus_MPa, constants.poisson_ratio})
    if (values && values->shape != scan.shape)
      throw data_error(fmt::format(
          "the image of {} has {} x {} x {} voxels (z, y, x), but the scan has {} x {} x {}; give images of one shape",
          values == constants.poisson_ratio ? "Poisson's ratio" : "the modulus", values->shape.z, values->shape.y,
          values->shape.x, scan.shape.z, scan.shape.y, scan.shape.x));
  segmented result = find_solid(scan, how);
  const auto modulus = values_of(constants.modulus_MPa);
  const auto poisson = constants.poisson_ratio ? values_of(*constants.poisson_ratio)
                                               : [nu = constants.same_poisson_ratio](std::int64_t) { return nu; };
  require(result, modulus, [](double e) { return e > 0 && std::isfinite(e); }, "Young's modulus", "it must be > 0 MPa");
  require(result, poisson, [](double nu) { return nu > -1 && nu < 0.5; }, "Poisson's ratio", "it must be in (-1, 0.5)");
  take_classes(result, [&](std::int64_t i) { return elastic_constants{modulus(i), poisson(i)}; });
  return result;
}

segmented segment(const image& labels, const segmentation_options& how, const std::vector<labelled_material>& table,
                  const std::vector<std::int64_t>& void_labels) {
  segmented result;
  result.shape = labels.shape;
  result.report.grey = check_values(labels);
  result.report.method = "labels";
  if (labels.type == scalar::f4 || labels.type == scalar::f8)
    throw data_error(
        fmt::format("a label image holds whole numbers, but this one is of type {}; threshold it, or save it as integers",
                    name_of(labels.type)));
  std::map<std::int64_t, material_number> number_of_label;
  for (const std::int64_t label : void_labels) number_of_label[label] = 0;
  result.materials = {material{"empty", 0, 0, 0}};
  for (const labelled_material& entry : table) {
    number_of_label[entry.label] = static_cast<material_number>(result.materials.size());
    result.materials.push_back(entry.properties);
  }
  result.material.resize(static_cast<std::size_t>(labels.shape.volume()));
  std::map<std::int64_t, std::int64_t> unknown;
  labels.visit([&](auto values) {
    const auto* data = values.data_handle();
    std::int64_t last_label = 0;
    auto last = number_of_label.end();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      const auto label = static_cast<std::int64_t>(data[i]);
      // Neighbours mostly share their label, so the table is rarely asked.
      if (last == number_of_label.end() || label != last_label) last = number_of_label.find(label);
      last_label = label;
      if (last == number_of_label.end())
        ++unknown[label];
      else
        result.material[static_cast<std::size_t>(i)] = last->second;
    }
  });
  if (!unknown.empty()) {
    std::vector<std::string> shown;
    for (const auto& [label, count] : unknown)
      if (shown.size() < 20) shown.push_back(fmt::format("{} ({})", label, counted(count, "voxel")));
    throw data_error(
        fmt::format("labels without a material: {}{}; add a [[material]] with that label, or name it in segment.void_labels",
                    fmt::join(shown, ", "), unknown.size() > shown.size() ? " and more" : ""));
  }
  if (std::all_of(result.material.begin(), result.material.end(), [](material_number m) { return m == 0; }))
    throw data_error(fmt::format("every voxel has a void label; the labels of the image lie in [{}, {}]",
                                 result.report.grey.low, result.report.grey.high));
  keep_parts(result.material, labels.shape, how, result.report);
  return result;
}

}  // namespace osteon::voxel
