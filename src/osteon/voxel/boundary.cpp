#include <osteon/voxel/boundary.hpp>

namespace osteon::voxel {

std::vector<std::int32_t> face_nodes(const run_set& nodes, const box3& owned, index3 domain, axis along, bool high_face) {
  const int a = static_cast<int>(along);
  const std::int64_t face = (high_face ? domain[a] : 0) - owned.begin[a];  // node planes are counted from 0 to domain
  std::vector<std::int32_t> found;
  for (const run& r : nodes.runs()) {
    if (along == axis::x) {
      if (face >= r.x && face < r.x + r.length) found.push_back(r.first + static_cast<std::int32_t>(face - r.x));
    } else if ((along == axis::z ? r.z : r.y) == face) {
      for (std::int32_t i = 0; i < r.length; ++i) found.push_back(r.first + i);
    }
  }
  return found;
}

std::vector<face_displacement> bonded_axial(const run_set& nodes, const box3& owned, index3 domain, axis along,
                                            double driven_mm) {
  std::vector<face_displacement> fixed;
  for (const bool high_face : {false, true})
    for (const std::int32_t node : face_nodes(nodes, owned, domain, along, high_face))
      for (const axis direction : {axis::z, axis::y, axis::x})
        fixed.push_back({node, direction, high_face && direction == along ? driven_mm : 0.0});
  return fixed;
}

}  // namespace osteon::voxel
