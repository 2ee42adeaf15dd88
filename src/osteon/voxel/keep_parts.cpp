#include <osteon/voxel/segment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>

namespace osteon::voxel {

namespace {

constexpr const char* axis_names[] = {"z", "y", "x"};

std::string face_name(int axis, bool high) { return fmt::format("{} {} face", high ? "high" : "low", axis_names[axis]); }

// Axes along which each part connects both faces of the image. Paths may cross periodic faces of other axes only. A grain
// that a periodic face divides touches both faces but does not connect these faces.
using joined_axes = std::vector<std::array<bool, 3>>;
joined_axes find_joined_axes(const image_runs& cells, const components& found, const std::array<bool, 3>& periodic,
                             connectivity by) {
  joined_axes joins(found.parts.size());
  for (std::size_t a = 0; a < 3; ++a) {
    std::array<bool, 3> others = periodic;
    others[a] = false;
    components of_cut;
    if (periodic[a]) of_cut = find_components(cells, others, by);
    const components& cut = periodic[a] ? of_cut : found;
    for (std::size_t run = 0; run < cut.part_of_run.size(); ++run) {
      const component& part = cut.parts[static_cast<std::size_t>(cut.part_of_run[run])];
      const int axis = static_cast<int>(a);
      if (part.touches(cells.shape(), axis, false) && part.touches(cells.shape(), axis, true))
        joins[static_cast<std::size_t>(found.part_of_run[run])][a] = true;
    }
  }
  return joins;
}

bool is_percolating(const component& part, const std::array<bool, 3>& joins, const segmentation_options& options,
                    index3 shape) {
  bool has_rule = false;
  for (std::size_t a = 0; a < 3; ++a) {
    if (options.through[a] && joins[a]) return true;
    for (const bool high : {false, true})
      if (options.touching[a][high ? 1 : 0] && part.touches(shape, static_cast<int>(a), high)) return true;
    has_rule = has_rule || options.through[a] || options.touching[a][0] || options.touching[a][1];
  }
  return !has_rule && joins[static_cast<std::size_t>(options.load_axis)];
}

// Report the face that the solid does not reach, and the range of the solid.
void require_both_faces(const components& found, const joined_axes& joins, const std::vector<bool>& kept, index3 shape,
                        const segmentation_options& options) {
  const int a = static_cast<int>(options.load_axis);
  const auto along = static_cast<std::size_t>(a);
  std::int64_t low = shape[a], high = -1;
  bool joined = false;
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    if (!kept[p]) continue;
    low = std::min<std::int64_t>(low, found.parts[p].low[along]);
    high = std::max<std::int64_t>(high, found.parts[p].high[along]);
    joined |= joins[p][along];
  }
  const bool misses_low = low > 0, misses_high = high < shape[a] - 1;
  if (misses_low || misses_high)
    throw data_error(
        fmt::format("the solid does not touch the {}{}: it spans the {} planes {} to {} of 0 to {}; crop the image to that "
                    "range (image.crop_voxels), {}lower the threshold, or load another axis",
                    misses_low ? face_name(a, false) : face_name(a, true),
                    misses_low && misses_high ? fmt::format(" nor the {}", face_name(a, true)) : "", axis_names[a], low,
                    high, shape[a] - 1, options.remedy_for_faces));
  if (!joined)
    throw data_error(
        fmt::format("no connected part of the solid connects the {} and the {}; lower the threshold, or load another axis",
                    face_name(a, false), face_name(a, true)));
}

// Count dropped voxels that edges or corners connect to kept parts.
void count_edge_connected(const image_runs& cells, const components& found, const std::vector<bool>& kept,
                          const std::array<bool, 3>& periodic, segmentation_report& report) {
  const numbered_parts wider = number_parts(cells, periodic, connectivity::corners);
  std::vector<bool> is_held(static_cast<std::size_t>(wider.count));
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

}  // namespace

image_runs keep_parts(image_runs cells, const segmentation_options& options, segmentation_report& report) {
  const index3 shape = cells.shape();
  const components found = find_components(cells, options.periodic, options.connected_by);
  const joined_axes joins = find_joined_axes(cells, found, options.periodic, options.connected_by);
  std::vector<bool> kept(found.parts.size());
  for (std::size_t p = 0; p < found.parts.size(); ++p)
    kept[p] = options.keep == keep_rule::all || (options.keep == keep_rule::largest && p == 0) ||
              (options.keep == keep_rule::percolating && is_percolating(found.parts[p], joins[p], options, shape));
  if (options.keep == keep_rule::percolating && options.may_keep_all_parts &&
      std::find(kept.begin(), kept.end(), true) == kept.end())
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
  if (report.dropped_voxels > 0 && options.connected_by == connectivity::faces)
    count_edge_connected(cells, found, kept, options.periodic, report);
  report.volume_fraction = static_cast<double>(report.kept_voxels) / static_cast<double>(shape.volume());
  if (options.keep == keep_rule::percolating && report.kept_voxels == 0)
    require_both_faces(found, joins, std::vector<bool>(kept.size(), true), shape, options);
  if (options.must_connect_faces) require_both_faces(found, joins, kept, shape, options);
  if (std::find(kept.begin(), kept.end(), false) != kept.end())
    cells.keep(
        [&](std::int32_t i) { return kept[static_cast<std::size_t>(found.part_of_run[static_cast<std::size_t>(i)])]; });
  return cells;
}

}  // namespace osteon::voxel
