#include <osteon/physics/elasticity/loads/necks.hpp>

#include <array>
#include <bit>
#include <cstdlib>
#include <osteon/comm/collectively.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using neighbours = std::uint32_t;  // a bit for each of 3^3 voxels, in the order z, y, x

constexpr int middle = 13;

constexpr int distance(int voxel) { return std::abs(voxel / 9 - 1) + std::abs(voxel / 3 % 3 - 1) + std::abs(voxel % 3 - 1); }
constexpr neighbours within(int most) {
  neighbours all = 0;
  for (int v = 0; v < 27; ++v)
    if (v != middle && distance(v) <= most) all |= neighbours{1} << v;
  return all;
}
constexpr neighbours across_faces = within(1), beside = within(2);

// Face neighbours of each voxel.
constexpr std::array<neighbours, 27> touching = [] {
  std::array<neighbours, 27> all{};
  for (int a = 0; a < 27; ++a)
    for (int b = 0; b < 27; ++b)
      if (std::abs(a / 9 - b / 9) + std::abs(a / 3 % 3 - b / 3 % 3) + std::abs(a % 3 - b % 3) == 1)
        all[static_cast<std::size_t>(a)] |= neighbours{1} << b;
  return all;
}();

bool is_neck(neighbours solid) {
  const neighbours wanted = solid & across_faces;
  if (std::popcount(wanted) < 2) return false;
  solid &= beside;
  neighbours reached = wanted & (~wanted + 1), due = reached;
  while (due != 0) {
    const int v = std::countr_zero(due);
    due &= due - 1;
    const neighbours found = touching[static_cast<std::size_t>(v)] & solid & ~reached;
    reached |= found;
    due |= found;
  }
  return (wanted & ~reached) != 0;
}

}  // namespace

std::vector<std::uint8_t> find_necks(const local_model& part) {
  std::vector<float> own;
  comm::collectively(part.where.comm, [&] {
    const std::vector<material_number> image = image_of(part);
    own.assign(image.size(), 0.0F);
    for (std::size_t i = 0; i < image.size(); ++i) own[i] = image[i] != 0 ? 1 : 0;
  });
  const grid::ghosted_field<float> solid = grid::with_ghost_cells(part.where, own, 1);
  std::vector<std::uint8_t> necks;
  comm::collectively(part.where.comm, [&] {
    own = {};
    necks.resize(static_cast<std::size_t>(part.cells.size()));
    const index3 first = part.where.owned.begin - solid.present.begin, shape = solid.present.shape();
    const auto bit_of = [&](index3 at) -> neighbours {
      for (int a = 0; a < 3; ++a)
        if (at[a] < 0 || at[a] >= shape[a]) return 0;
      return solid.values[static_cast<std::size_t>((at.z * shape.y + at.y) * shape.x + at.x)] > 0 ? 1 : 0;
    };
    for (const voxel::run& r : part.cells.runs())
      for (std::int32_t e = 0; e < r.length; ++e) {
        neighbours around = 0;
        for (int v = 0; v < 27; ++v)
          if (v != middle && distance(v) <= 2)
            around |= bit_of({first.z + r.z + v / 9 - 1, first.y + r.y + v / 3 % 3 - 1, first.x + r.x + e + v % 3 - 1}) << v;
        necks[static_cast<std::size_t>(r.first + e)] = is_neck(around) ? 1 : 0;
      }
  });
  return necks;
}

}  // namespace osteon::physics
