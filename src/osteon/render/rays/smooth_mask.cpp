#include <algorithm>
#include <array>
#include <osteon/comm/collectively.hpp>
#include <osteon/render/rays/smooth_mask.hpp>

namespace osteon::render {

namespace {

// Minimum distance of values from the level, which keeps the surface some hundredths of an edge away from voxel centres.
constexpr float margin = 0.02F;
constexpr float level = 0.5F;
// A wall of three voxels has 0.78 at its centre after this number of iterations, and is close to the level after all of
// them: it would have only the stepped bound. So it remains unchanged then.
constexpr int thin_passes = 3;
constexpr float thick = 0.85F;

// A block's voxels and one more on each side, of which those beyond the domain repeat its last ones.
struct neighbourhood {
  const grid::ghosted_field<float>& field;
  index3 domain;

  // Neighbouring row of voxels, from the first present one.
  const float* row(std::int64_t z, std::int64_t y) const {
    const box3& box = field.present;
    const index3 shape = box.shape();
    const std::int64_t at_z = std::clamp<std::int64_t>(z, 0, domain.z - 1) - box.begin.z,
                       at_y = std::clamp<std::int64_t>(y, 0, domain.y - 1) - box.begin.y;
    return field.values.data() + (at_z * shape.y + at_y) * shape.x;
  }
};

// Combine the nine rows around each row of a block, and of the result each voxel and its neighbours along x.
// @param across (the nine, in the order of z and y; how many values) -> a row
// @param write (place in the block, value before, at and after the voxel)
template <class Across, class Write>
void over_rows(const grid::block& where, const grid::ghosted_field<float>& field, Across across, Write write) {
  const index3 shape = where.owned.shape();
  const std::int64_t wide = field.present.shape().x, before = where.owned.begin.x - field.present.begin.x;
  const neighbourhood around{field, where.domain};
#pragma omp parallel
  {
    std::vector<float> row(static_cast<std::size_t>(wide) + 2);  // with its ends repeated
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

// Give each voxel of a block the largest value of it and its 26 neighbours. @param write (place in the block, that value)
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
    if (pass == 1)  // Smoothed once, a plate of two voxels has 0.75 in them, one of a single voxel 0.5.
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
