#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/kernel/rays/surface_light.hpp>
#include <osteon/render/picture.hpp>
#include <osteon/render/rays/cast_rays.hpp>
#include <osteon/render/rays/smooth_edges.hpp>
#include <osteon/render/rays/smooth_mask.hpp>
#include <osteon/render/rays/solid_light.hpp>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/presets.hpp>
#include <random>
#include <tuple>

#include "grid/sample_bricks.hpp"

namespace opaque_surface_test {

using namespace osteon;

bool is_root() { return comm::rank(MPI_COMM_WORLD) == 0; }

// Whether a voxel is solid, determined at the centre of the voxel.
using solid_rule = std::function<bool(double z, double y, double x)>;

std::vector<float> solid_of(const grid::block& where, const solid_rule& is_solid) {
  std::vector<float> solid;
  for (std::int64_t z = where.owned.begin.z; z < where.owned.end.z; ++z)
    for (std::int64_t y = where.owned.begin.y; y < where.owned.end.y; ++y)
      for (std::int64_t x = where.owned.begin.x; x < where.owned.end.x; ++x)
        solid.push_back(
            is_solid(static_cast<double>(z) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(x) + 0.5) ? 1 : 0);
  return solid;
}

grid::block planes_of(MPI_Comm comm, index3 domain) {
  return grid::make_block(comm, domain, std::vector<std::int64_t>(static_cast<std::size_t>(domain.z), 1));
}

// A solid and its smooth surface in one colour.
struct specimen {
  grid::block where;
  grid::ghosted_field<float> surface, value;

  specimen(const grid::block& block, const solid_rule& is_solid, double step_voxels = 0.5) : where(block) {
    const auto solid = solid_of(where, is_solid);
    const int depth = render::ghost_depth(step_voxels);
    surface = render::smooth_mask(where, solid, depth);
    std::vector<float> values;
    std::size_t i = 0;
    for (std::int64_t z = where.owned.begin.z; z < where.owned.end.z; ++z)
      for (std::int64_t y = where.owned.begin.y; y < where.owned.end.y; ++y)
        for (std::int64_t x = where.owned.begin.x; x < where.owned.end.x; ++x)
          values.push_back(solid[i++] > 0 ? static_cast<float>((7 * z + 3 * y + 5 * x) % 11) : std::nanf(""));
    value = grid::with_ghost_cells(where, values, depth);
  }

  render::scene scene(int width) const {
    render::scene s;
    s.spacing_mm = {0.1, 0.1, 0.1};
    s.width = s.height = width;
    s.how = render::method::surface;
    s.shades_itself = true;
    s.view.perspective = false;
    s.layers = {{&surface, {{0, grey, 1}}, false, 1}, {&value, {{0, grey, 1}}, false, 1}};
    return s;
  }

  static constexpr std::array<float, 3> grey{0.5F, 0.4F, 0.3F};
};

kernel::studio studio_of(const render::view& from) {
  const kernel::lighting light = render::light_of(from);
  return {kernel::unit(light.toward_light), kernel::unit(light.toward_eye), from.up, kernel::half_way(light)};
}

// Spheres with a tunnel, plates and isolated single voxels.
bool is_anything(double z, double y, double x) {
  const double r = std::hypot(z - 12, y - 9, x - 10);
  const auto hash = static_cast<int>(z) * 73 + static_cast<int>(y) * 151 + static_cast<int>(x) * 283;
  return (r < 7.3 && std::hypot(y - 9, z - 12) > 2.5) || std::abs(z + 0.37 * y - 24) < 0.5 || hash % 97 == 0;
}

// Oracle: the same field on one rank. The results must be bitwise equal.
TEST(smooth_mask, is_the_same_bit_for_bit_on_any_number_of_ranks) {
  const index3 domain{26, 17, 19};
  const grid::block alone = planes_of(MPI_COMM_SELF, domain);
  const auto expected = render::smooth_mask(alone, solid_of(alone, is_anything), 3);
  for (const grid::block& where :
       {planes_of(MPI_COMM_WORLD, domain), grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, {}))}) {
    const auto found = render::smooth_mask(where, solid_of(where, is_anything), 3);
    ASSERT_EQ(found.present, grid::with_ghosts(where, 3));
    std::size_t i = 0;
    for (std::int64_t z = found.present.begin.z; z < found.present.end.z; ++z)
      for (std::int64_t y = found.present.begin.y; y < found.present.end.y; ++y)
        for (std::int64_t x = found.present.begin.x; x < found.present.end.x; ++x, ++i)
          ASSERT_EQ(found.values[i], expected.values[static_cast<std::size_t>((z * domain.y + y) * domain.x + x)]);
  }
}

// Oracle: the mask. Every voxel keeps its phase. Far from a surface, solid is 1 and empty space is 0.
TEST(smooth_mask, keeps_every_voxel_on_its_side) {
  std::mt19937 random(5);
  const index3 domain{20, 21, 22};
  std::vector<bool> by_chance(static_cast<std::size_t>(domain.volume()));
  for (std::size_t i = 0; i < by_chance.size(); ++i) by_chance[i] = random() % 3 == 0;
  const auto chance = [&](double z, double y, double x) {
    if (x < 10) return z < 12;
    return static_cast<bool>(by_chance[static_cast<std::size_t>(
        (static_cast<std::int64_t>(z) * domain.y + static_cast<std::int64_t>(y)) * domain.x +
        static_cast<std::int64_t>(x))]);
  };
  const grid::block where = planes_of(MPI_COMM_SELF, domain);
  const auto solid = solid_of(where, chance);
  const auto smooth = render::smooth_mask(where, solid, 0);
  for (std::size_t i = 0; i < solid.size(); ++i) {
    ASSERT_EQ(smooth.values[i] > 0.5F, solid[i] != 0) << i;
    ASSERT_TRUE(smooth.values[i] >= 0 && smooth.values[i] <= 1);
  }
  EXPECT_EQ(smooth.values[0], 1);
  EXPECT_EQ(smooth.values[static_cast<std::size_t>((19 * domain.y) * domain.x)], 0);
}

// Oracle: the colours of a sphere by its own normals, fully lit. No part of the sphere occludes the lamp or the sky. The
// residual shading is the occlusion by cells of voxels on a curved surface.
TEST(opaque_surface, of_a_sphere_of_voxels_is_lit_as_the_sphere) {
  const index3 domain{44, 44, 44};
  constexpr double radius = 17.3;
  const vector3 middle{22.2, 21.9, 22.1};
  const specimen ball(planes_of(MPI_COMM_WORLD, domain), [&](double z, double y, double x) {
    return std::hypot(z - middle.z, y - middle.y, x - middle.x) < radius;
  });
  for (const bool shades_itself : {false, true}) {
    render::scene s = ball.scene(120);
    s.shades_itself = shades_itself;
    const auto picture = render::render(ball.where, s);
    if (!is_root()) continue;
    const auto from = render::view::of(s.view, domain, s.spacing_mm, s.width, s.height);
    const kernel::studio studio = studio_of(from);
    double square = 0, most = 0;
    int count = 0, covered = 0, inside = 0;
    for (int row = 0; row < s.height; ++row)
      for (int column = 0; column < s.width; ++column) {
        const float* pixel = &picture.rgba[static_cast<std::size_t>(row * s.width + column) * 4];
        covered += pixel[3] > 0;
        const auto ray = from.ray_through(column, row);
        // Position at which the ray meets the sphere, in voxels. Directions are in mm, and all edges are equal.
        const vector3 start{ray.origin[0] - middle.z, ray.origin[1] - middle.y, ray.origin[2] - middle.x};
        const vector3 along = kernel::unit({ray.direction[0], ray.direction[1], ray.direction[2]});
        const double b = kernel::dot(start, along), h = b * b - kernel::dot(start, start) + radius * radius;
        if (h < 0) continue;
        ++inside;
        const double t = -b - std::sqrt(h);
        const vector3 normal = kernel::unit({start.z + t * along.z, start.y + t * along.y, start.x + t * along.x});
        if (kernel::dot(normal, along) > -0.3) continue;  // at the rim, an error of a tenth of a voxel is a large angle
        ASSERT_EQ(pixel[3], 1) << column << ' ' << row;
        const auto expected = kernel::lit(specimen::grey, normal, studio, 1, 1);
        for (std::size_t c = 0; c < 3; ++c) {
          const double difference = static_cast<double>(pixel[c]) - expected[c];
          square += difference * difference;
          most = std::max(most, std::abs(difference));
          ++count;
        }
      }
    EXPECT_LT(std::sqrt(square / count), shades_itself ? 0.018 : 0.012);
    EXPECT_LT(most, shades_itself ? 0.13 : 0.09);
    EXPECT_NEAR(static_cast<double>(covered) / inside, 1, 0.03);  // area of its outline
  }
}

// Oracle: the projection. A plate of one voxel that extends from end to end covers every pixel of its outline, from both
// sides. The plate is level, tilted, or so steep that its voxels share only edges.
TEST(opaque_surface, of_a_plate_of_one_voxel_has_no_hole) {
  const index3 domain{36, 24, 24};
  for (const auto& [slope_y, slope_x] : {std::pair{0.0, 0.0}, {0.21, 0.08}, {0.5, 0.45}, {1.0, 0.3}}) {
    const specimen plate(planes_of(MPI_COMM_WORLD, domain), [&, a = slope_y, b = slope_x](double z, double y, double x) {
      return std::floor(z) == std::floor(18.3 + a * (y - 12) + b * (x - 12));
    });
    for (const double elevation : {90.0, -90.0}) {
      render::scene s = plate.scene(90);
      s.view.elevation_deg = elevation;
      s.view.azimuth_deg = 20;
      const auto picture = render::render(plate.where, s);
      if (!is_root()) continue;
      const auto from = render::view::of(s.view, domain, s.spacing_mm, s.width, s.height);
      int holes = 0, covered = 0;
      for (int row = 0; row < s.height; ++row)
        for (int column = 0; column < s.width; ++column) {
          const auto ray = from.ray_through(column, row);  // along z
          const bool meets = ray.origin[1] > 0 && ray.origin[1] < 24 && ray.origin[2] > 0 && ray.origin[2] < 24;
          const bool is_seen = picture.rgba[static_cast<std::size_t>(row * s.width + column) * 4 + 3] > 0;
          covered += is_seen;
          holes += meets && !is_seen;
          EXPECT_TRUE(meets || !is_seen);
        }
      EXPECT_EQ(holes, 0) << slope_y << ' ' << slope_x << ' ' << elevation;
      EXPECT_GT(covered, 1000);
    }
  }
}

// Oracle: a wide floor around a pit. The bottom of the pit is darker according to the height of the walls. In the shadow of
// the walls, the lamp is invisible.
TEST(opaque_surface, is_darker_in_a_pit) {
  const index3 domain{40, 64, 64};
  const specimen pitted(planes_of(MPI_COMM_WORLD, domain),
                        [](double z, double y, double x) { return z < 24 && !(z > 16 && std::hypot(y - 32, x - 32) < 4); });
  render::scene s = pitted.scene(96);
  s.view.elevation_deg = 90;
  const auto shaded = render::render(pitted.where, s);
  s.shades_itself = false;
  const auto bare = render::render(pitted.where, s);
  if (!is_root()) return;
  const auto from = render::view::of(s.view, domain, s.spacing_mm, s.width, s.height);
  const auto at = [&](const render::image& picture, double y, double x) {
    const auto place = from.project({2.4, 0.1 * y, 0.1 * x});
    return picture.rgba[static_cast<std::size_t>(std::floor(place[1]) * s.width + std::floor(place[0])) * 4];
  };
  EXPECT_NEAR(at(shaded, 12, 12), at(bare, 12, 12), 0.02);  // the plane
  // A disc of radius 4 at a height of 8 covers the fraction 4^2 / (4^2 + 8^2) = 0.2 of the sky. The lamp is at 45 degrees.
  const auto expected = kernel::lit(specimen::grey, {1, 0, 0}, studio_of(from), 0.2, 0);
  EXPECT_NEAR(at(shaded, 32, 32), expected[0], 0.09);
  EXPECT_LT(at(shaded, 32, 32), 0.45F * at(bare, 32, 32));
}

// Oracle: the picture of one rank, with shade, smooth edges, and a clipping plane. The results must be bitwise equal, also
// for steps so short that the spline of a surface extends beyond their segments.
TEST(opaque_surface, is_the_same_bit_for_bit_on_any_number_of_ranks) {
  const index3 domain{26, 17, 19};
  const auto draw = [&](const grid::block& where, double azimuth, double step_voxels, int width) {
    const specimen some(where, is_anything, step_voxels);
    render::scene s = some.scene(width);
    s.height = width - 14;
    s.step_voxels = step_voxels;
    s.view = {azimuth, 25, 1.1, true};
    s.smooth_edges = true;
    s.layers.back() = render::presets::surface_layer(some.value, 0, 10);
    s.clip = {{{0.2, 1, 0}, 1.2}};
    return render::render(where, s).rgba;
  };
  for (const auto& [azimuth, step, width] :
       {std::tuple{35.0, 0.5, 64}, {200.0, 0.5, 64}, {5.0, 0.1, 200}, {200.0, 1.0, 64}}) {
    std::vector<float> expected;
    if (is_root()) expected = draw(planes_of(MPI_COMM_SELF, domain), azimuth, step, width);
    EXPECT_EQ(draw(planes_of(MPI_COMM_WORLD, domain), azimuth, step, width), expected) << azimuth << ' ' << step;
    EXPECT_EQ(draw(grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, {})), azimuth, step, width), expected)
        << azimuth << ' ' << step;
  }
}

// Oracle: the area of the outline of a block. A pixel is the mean of four rays, or the value of one ray.
TEST(opaque_surface, has_smooth_edges) {
  const index3 domain{16, 16, 16};
  const specimen block(planes_of(MPI_COMM_WORLD, domain), [](double z, double, double) { return z < 8; });
  render::scene s = block.scene(40);
  s.view = {0, 0, 1, false};
  s.view.azimuth_deg = 17;
  const auto rough = render::render(block.where, s);
  s.smooth_edges = true;
  const auto smooth = render::render(block.where, s);
  if (!is_root()) return;
  int partly = 0;
  double area = 0;
  for (std::size_t i = 3; i < smooth.rgba.size(); i += 4) {
    area += static_cast<double>(smooth.rgba[i]);
    partly += smooth.rgba[i] > 0 && smooth.rgba[i] < 1;
    EXPECT_NEAR(std::fmod(static_cast<double>(smooth.rgba[i]) * 4 + 1e-4, 1), 0, 1e-3);
    EXPECT_TRUE(rough.rgba[i] == 0 || rough.rgba[i] == 1);
  }
  EXPECT_GT(partly, 20);
  // Seen from the side at 17 degrees, the block is 16 (cos 17 + sin 17) wide and 8 high. A pixel is 2 radius / 40.
  const double pixel = std::sqrt(3.0) * 16 / 40, turn = 17 * 3.14159265358979 / 180;
  EXPECT_NEAR(area, 16 * (std::cos(turn) + std::sin(turn)) * 8 / (pixel * pixel), 5);
}

// Oracle: cells that are nearly cubes in mm, in the smallest permitted number. For a small domain, the cells are its voxels.
TEST(solid_light, takes_cells_that_every_rank_can_hold) {
  EXPECT_EQ(render::light_cell({128, 128, 128}, {0.02, 0.02, 0.02}), (index3{1, 1, 1}));
  for (const index3 domain : {index3{107, 212, 164}, {1000, 1000, 1000}, {30, 4000, 50}, {1, 1, 100'000'000}}) {
    const index3 edge = render::light_cell(domain, {1.5, 0.957, 0.957});
    std::int64_t cells = 1;
    for (int axis = 0; axis < 3; ++axis) cells *= (domain[axis] + edge[axis] - 1) / edge[axis];
    EXPECT_LE(cells, render::most_light_cells);
    EXPECT_GT(cells, render::most_light_cells / 8);
  }
}

// Oracle: the names of the presets. Paper is white.
TEST(presets, are_known_by_name) {
  EXPECT_EQ(render::presets::background_of("paper"), (std::array<float, 3>{1, 1, 1}));
  EXPECT_EQ(render::presets::background_of("screen"), render::presets::dark_background);
  EXPECT_THROW(render::presets::background_of("slate"), usage_error);
  EXPECT_THROW(render::presets::surface_layer({}, 1, 1, "ivory"), usage_error);
  const auto ivory = render::presets::surface_layer({}, 0, 2);
  EXPECT_NEAR(ivory.transfer.front().colour[0], 0.839, 2e-3);  // sRGB 236
  EXPECT_NEAR(ivory.transfer.back().colour[1], 0.0048, 1e-3);  // sRGB 15
}

}  // namespace opaque_surface_test
