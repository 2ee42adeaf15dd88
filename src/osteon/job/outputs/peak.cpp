#include <cstdint>
#include <limits>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/outputs/peak.hpp>

namespace osteon::job {

nlohmann::ordered_json peak_of(const local_model& part, const physics_result& result) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const index3 domain = part.where.domain, shape = part.where.owned.shape(), begin = part.where.owned.begin;
  double largest = -std::numeric_limits<double>::infinity(), here = largest;
  std::int64_t place = none;  // index in the whole image
  if (result.shown)
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (const voxel::run& r : part.cells.plane(z))
        for (std::int32_t i = 0; i < r.length; ++i) {
          const auto value = static_cast<double>((*result.shown)[static_cast<std::size_t>(r.first + i)]);
          if (!(value > here)) continue;
          here = value;
          place = ((begin.z + z) * domain.y + begin.y + r.y) * domain.x + begin.x + r.x + i;
        }
  largest = here;
  comm::all_reduce(part.where.comm, &largest, 1, MPI_MAX);
  if (here < largest) place = none;
  comm::all_reduce(part.where.comm, &place, 1, MPI_MIN);
  if (place == none) return nullptr;
  const index3 voxel{place / (domain.x * domain.y), place / domain.x % domain.y, place % domain.x};
  nlohmann::ordered_json at = nlohmann::ordered_json::array();
  for (int axis = 0; axis < 3; ++axis)
    at.push_back(part.header.origin_mm[axis] + (static_cast<double>(voxel[axis]) + 0.5) * part.header.spacing_mm[axis]);
  return {{"value", largest}, {"voxel", {voxel.z, voxel.y, voxel.x}}, {"at_mm", at}};
}

}  // namespace osteon::job
