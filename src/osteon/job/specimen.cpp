#include <algorithm>
#include <limits>
#include <osteon/job/physics.hpp>

namespace osteon::job {

std::vector<float> spread_cells(const specimen& part, const std::vector<float>& per_cell, int components) {
  const index3 shape = part.cells.shape();
  std::vector<float> dense(static_cast<std::size_t>(components * shape.volume()), std::numeric_limits<float>::quiet_NaN());
  for (const voxel::run& r : part.cells.runs())
    std::copy_n(per_cell.begin() + static_cast<std::ptrdiff_t>(components) * r.first,
                static_cast<std::ptrdiff_t>(components) * r.length,
                dense.begin() + components * ((r.z * shape.y + r.y) * shape.x + r.x));
  return dense;
}

std::vector<std::uint8_t> image_of(const specimen& part) {
  const index3 shape = part.cells.shape();
  std::vector<std::uint8_t> image(static_cast<std::size_t>(shape.volume()));
  for (const voxel::run& r : part.cells.runs())
    std::copy_n(part.material.begin() + r.first, r.length, image.begin() + ((r.z * shape.y + r.y) * shape.x + r.x));
  return image;
}

axis load_axis(const spec& job) { return job.load.axis == "z" ? axis::z : job.load.axis == "y" ? axis::y : axis::x; }

double length_mm(const voxel::model_header& header, axis along) {
  const int a = static_cast<int>(along);
  return static_cast<double>(header.shape[a]) * header.spacing_mm[a];
}

double cross_section_mm2(const voxel::model_header& header, axis along) {
  double area = 1;
  for (int a = 0; a < 3; ++a)
    if (a != static_cast<int>(along)) area *= static_cast<double>(header.shape[a]) * header.spacing_mm[a];
  return area;
}

}  // namespace osteon::job
