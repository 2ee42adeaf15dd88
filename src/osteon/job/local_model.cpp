#include <algorithm>
#include <limits>
#include <osteon/job/local_model.hpp>

namespace osteon::job {

namespace {

// Copy the values of active points, with shape (points, components), to their positions in the planes [first, first +
// planes).
template <class T>
void put_runs(const voxel::run_set& points, std::int64_t first, std::int64_t planes, const T* values, int components,
              T* dense) {
  const index3 shape = points.shape();
  for (std::int64_t z = first; z < first + planes; ++z)
    for (const voxel::run& r : points.plane(z))
      std::copy_n(values + std::ptrdiff_t{components} * r.first, std::ptrdiff_t{components} * r.length,
                  dense + components * (((z - first) * shape.y + r.y) * shape.x + r.x));
}

}  // namespace

void set_voxels(local_model& part, const std::vector<material_number>& image) {
  const view3<const material_number> voxels(image.data(), part.where.owned.shape());
  part.cells = voxel::active_cells(voxels);
  part.material = voxel::gather(part.cells, voxels);
}

std::vector<material_number> image_of(const local_model& part) {
  const index3 shape = part.cells.shape();
  std::vector<material_number> image(static_cast<std::size_t>(shape.volume()));
  image_planes(part)(0, shape.z, image);
  return image;
}

io::plane_source<material_number> image_planes(const local_model& part) {
  return [&part](std::int64_t first, std::int64_t planes, std::span<material_number> image) {
    std::fill(image.begin(), image.end(), material_number{0});
    put_runs(part.cells, first, planes, part.material.data(), 1, image.data());
  };
}

cell_values share(std::vector<float> values) { return std::make_shared<const std::vector<float>>(std::move(values)); }

io::plane_source<float> cell_planes(const local_model& part, cell_values values, int components) {
  return [&part, values = std::move(values), components](std::int64_t first, std::int64_t planes, std::span<float> dense) {
    std::fill(dense.begin(), dense.end(), std::numeric_limits<float>::quiet_NaN());
    put_runs(part.cells, first, planes, values->data(), components, dense.data());
  };
}

io::plane_source<float> vector_planes(const local_model& part, cell_values values) {
  return [planes_of = cell_planes(part, std::move(values), 3)](std::int64_t first, std::int64_t planes,
                                                               std::span<float> dense) {
    planes_of(first, planes, dense);
    for (std::size_t i = 0; i + 2 < dense.size(); i += 3) std::swap(dense[i], dense[i + 2]);
  };
}

axis load_axis(const spec& job) { return *job.load.axis; }

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
