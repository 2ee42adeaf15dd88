#include <algorithm>
#include <array>
#include <osteon/comm/collectively.hpp>
#include <osteon/render/rays/smooth_mask.hpp>

namespace osteon::render {

namespace {

// Minimum difference between values and the level. With this difference, the distance between the surface and voxel centres
// is some hundredths of a voxel edge.
constexpr float margin = 0.02F;
constexpr float level = 0.5F;
// After three passes, the centre of a wall of three voxels has the value 0.78. After all passes, the value would be close to
// the level. The constraint would then restore the voxel steps. Thin walls are therefore not smoothed in further passes.
constexpr int thin_passes = 3;
constexpr float thick = 0.85F;

// The voxels of a block, and their neighbours. At positions outside of the domain, the outermost voxels are repeated.
struct neighbourhood {
  const grid::ghosted_field<float>& field;
  index3 domain;

  // Row of voxels that begins with the first present voxel.
  const float* row(std::int64_t z, std::int64_t y) const {
    const box3& box = field.present;
    const index3 shape = box.shape();
    const std::int64_t at_z = std::clamp<std::int64_t>(z, 0, domain.z - 1) - box.begin.z,
                       at_y = std::clamp<std::int64_t>(y, 0, domain.y - 1) - box.begin.y;
    return field.values.data() + (at_z * shape.y + at_y) * shape.x;
  }
};

// Apply a filter to each row of a block. The filter is first applied across the row and its neighbours (nine rows), and then
// along x.
// @param across function that combines nine rows (in the order of z and y) into one row
// @param write function of the position of the row in the block, the length of the row, and the combined row; one additional
// value precedes the combined row
template <class Across, class Write>
void over_rows(const grid::block& where, const grid::ghosted_field<float>& field, Across across, Write write) {
  const index3 shape = where.owned.shape();
  const std::int64_t wide = field.present.shape().x, before = where.owned.begin.x - field.present.begin.x;
  const neighbourhood around{field, where.domain};
#pragma omp parallel
  {
    std::vector<float> row(static_cast<std::size_t>(wide) + 2);  // a row; at the ends, values are repeated
#pragma omp for
    for (std::int64_t line = 0; line < shape.z * shape.y; ++line) {
      const std::int64_t z = where.owned.begin.z + line / shape.y, y = where.owned.begin.y + line % shape.y;
      std::array<const float*, 9> nine;
      for (int k = 0; k < 9; ++k) nine[static_cast<std::size_t>(k)] = around.row(z + k / 3 - 1, y + k % 3 - 1);
      across(nine, wide, row.data() + 1);
      row.front() = row[1];
      row.back() = row[static_cast<std::size_t>(wide)];
      write(line * shape.x, shape.x, row.data() + before);
    }
  }
}

// Compute the maximum over each voxel of a block and its 26 neighbours. @param write function of the position of the voxel
// in the block, and of the maximum
template <class Write>
void over_largest(const grid::block& where, const grid::ghosted_field<float>& field, Write write) {
  over_rows(
      where, field,
      [](const auto& nine, std::int64_t n, float* row) {
        for (std::int64_t x = 0; x < n; ++x) {
          float most = nine[0][x];
          for (std::size_t k = 1; k < 9; ++k) most = std::max(most, nine[k][x]);
          row[x] = most;
        }
      },
      [&](std::int64_t first, std::int64_t n, const float* row) {
        for (std::int64_t x = 0; x < n; ++x)
          write(static_cast<std::size_t>(first + x), std::max(std::max(row[x], row[x + 1]), row[x + 2]));
      });
}

}  // namespace

grid::ghosted_field<float> smooth_mask(const grid::block& where, const std::vector<float>& solid, int depth) {
  std::vector<float> values, bound, most;
  comm::collectively(where.comm, [&] {
    values = solid;
    bound.resize(values.size());
    most.resize(values.size());
  });
  for (int pass = 0; pass < mask_passes; ++pass) {
    const auto wide = grid::with_ghost_cells(where, values, 1);
    if (pass == 1)  // after one pass, the value is 0.75 in a plate of two voxels, and 0.5 in a plate of one voxel
      over_largest(where, wide, [&](std::size_t i, float largest) {
        const float lift = std::clamp(0.75F - largest, margin, 0.5F);
        bound[i] = solid[i] != 0 ? level + lift : level - margin;
      });
    if (pass == thin_passes) {
      over_largest(where, wide, [&](std::size_t i, float largest) { most[i] = largest; });
      const auto nearby = grid::with_ghost_cells(where, most, 1);
      over_largest(where, nearby, [&](std::size_t i, float largest) { most[i] = largest; });
    }
    over_rows(
        where, wide,
        [](const auto& nine, std::int64_t n, float* row) {
          for (std::int64_t x = 0; x < n; ++x)
            row[x] = (nine[0][x] + nine[2][x] + nine[6][x] + nine[8][x] +
                      2 * (nine[1][x] + nine[3][x] + nine[5][x] + nine[7][x]) + 4 * nine[4][x]) /
                     16;
        },
        [&](std::int64_t first, std::int64_t n, const float* row) {
          for (std::int64_t x = 0; x < n; ++x) {
            const auto i = static_cast<std::size_t>(first + x);
            if (pass >= thin_passes && most[i] < thick) continue;
            const float smooth = (row[x] + 2 * row[x + 1] + row[x + 2]) / 4;
            values[i] = pass == 0 ? smooth : solid[i] != 0 ? std::max(smooth, bound[i]) : std::min(smooth, bound[i]);
          }
        });
  }
  return grid::with_ghost_cells(where, values, depth);
}

}  // namespace osteon::render
