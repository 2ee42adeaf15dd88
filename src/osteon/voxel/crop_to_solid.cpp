#include <osteon/voxel/crop_to_solid.hpp>

#include <algorithm>
#include <memory>

namespace osteon::voxel {

namespace {

image_runs cropped_runs(const image_runs& solid, const box3& box) {
  image_runs part(box.shape());
  for (std::int64_t z = box.begin.z; z < box.end.z; ++z)
    for (std::int64_t y = box.begin.y; y < box.end.y; ++y) {
      const std::int64_t row = z * solid.shape().y + y;
      part.begin_row();
      solid.for_each_in_rows(row, row + 1, [&](const run& r) { part.append(r.x - box.begin.x, r.length); });
    }
  return part;
}

// Materials in a box that contains all solid voxels of an image.
material_planes cropped_materials(const segmented& model, const box3& box) {
  return [whole = model.material, from = model.shape, box, plane = std::make_shared<std::vector<material_number>>()](
             std::int64_t first, std::int64_t planes, std::span<material_number> numbers) {
    const index3 n = box.shape();
    plane->resize(static_cast<std::size_t>(from.y * from.x));
    for (std::int64_t z = 0; z < planes; ++z) {
      whole(box.begin.z + first + z, 1, *plane);
      for (std::int64_t y = 0; y < n.y; ++y)
        std::copy_n(plane->begin() + (box.begin.y + y) * from.x + box.begin.x, n.x, numbers.begin() + (z * n.y + y) * n.x);
    }
  };
}

}  // namespace

box3 box_of_solid(const image_runs& solid) {
  box3 box{solid.shape(), {0, 0, 0}};
  solid.for_each([&](const run& r) {
    const index3 first{r.z, r.y, r.x}, end{r.z + 1, r.y + 1, r.x + r.length};
    for (int a = 0; a < 3; ++a) {
      box.begin[a] = std::min(box.begin[a], first[a]);
      box.end[a] = std::max(box.end[a], end[a]);
    }
  });
  return box;
}

segmented crop_to_solid(const segmented& model, const segmentation_options& options) {
  const box3 box = box_of_solid(model.solid);
  segmented part = model;
  if (box.shape() != model.shape) {
    part.shape = box.shape();
    part.begin = model.begin + box.begin;
    part.solid = cropped_runs(model.solid, box);
    part.material = cropped_materials(model, box);
  }
  segmentation_options of_kept = options;
  of_kept.keep = keep_rule::all;
  segmentation_report found;
  keep_parts(part.solid, of_kept, found);
  part.report.volume_fraction = found.volume_fraction;
  part.report.percolates = found.percolates;
  return part;
}

}  // namespace osteon::voxel
