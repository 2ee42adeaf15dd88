#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/render/picture.hpp>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/colour_map.hpp>
#include <osteon/render/scene/presets.hpp>
#include <osteon/render/scene/transfer.hpp>

#include "grid/sample_bricks.hpp"

namespace picture_test {

using namespace osteon;
using render::control_point;

constexpr double pi = 3.14159265358979323846;

// A field that is available on all ranks. The field is a solid with bubbles, and its value is NaN in the pores.
struct model {
  index3 domain;
  std::vector<float> bone, glow;

  explicit model(index3 shape) : domain(shape) {
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
          const double v = std::sin(0.7 * static_cast<double>(z)) + std::cos(0.6 * static_cast<double>(y)) +
                           std::sin(0.5 * static_cast<double>(x) + 0.2 * static_cast<double>(z));
          bone.push_back(static_cast<float>(v));
          glow.push_back(v > 0.2 ? static_cast<float>(v * v) : std::numeric_limits<float>::quiet_NaN());
        }
  }
};

struct blocks {
  grid::block where;
  grid::ghosted_field<float> bone, glow;

  blocks(MPI_Comm comm, const model& m, const std::vector<std::int64_t>& weight, double step = 0.5)
      : blocks(m, grid::make_block(comm, m.domain, weight), step) {}

  blocks(const model& m, const grid::block& block, double step = 0.5) : where(block) {
    const auto part_of = [&](const std::vector<float>& whole, const box3& box) {
      std::vector<float> part;
      for (std::int64_t z = box.begin.z; z < box.end.z; ++z)
        for (std::int64_t y = box.begin.y; y < box.end.y; ++y) {
          const auto row = whole.begin() + (z * m.domain.y + y) * m.domain.x;
          part.insert(part.end(), row + box.begin.x, row + box.end.x);
        }
      return part;
    };
    const auto cut = [&](const std::vector<float>& whole) {
      const int depth = render::ghost_depth(step);
      if (where.boxes) return grid::with_ghost_cells(where, part_of(whole, where.owned), depth);
      const box3 present = grid::with_ghosts(where, depth);
      return grid::ghosted_field<float>{present, part_of(whole, present)};
    };
    bone = cut(m.bone);
    glow = cut(m.glow);
  }

  render::scene scene() const {
    render::scene s;
    s.spacing_mm = {0.03, 0.02, 0.025};
    s.width = 61;
    s.height = 53;
    s.layers = {render::presets::bone_layer(bone, -1, 0.2, 2), render::presets::glow_layer(glow, 0.1, 6)};
    return s;
  }
};

render::image render_alone(const model& m, const render::scene& like) {
  const blocks whole(MPI_COMM_SELF, m, std::vector<std::int64_t>(static_cast<std::size_t>(m.domain.z), 1));
  render::scene s = like;
  for (std::size_t i = 0; i < s.layers.size(); ++i) s.layers[i].field = i == 0 ? &whole.bone : &whole.glow;
  return render::render(whole.where, s);
}

// Weights that yield ranks with a single plane, or with planes without active voxels.
std::vector<std::int64_t> lopsided(std::int64_t planes) {
  std::vector<std::int64_t> weight(static_cast<std::size_t>(planes), 0);
  weight[static_cast<std::size_t>(planes / 2)] = 100;
  weight[0] = 1;
  return weight;
}

bool is_root() { return comm::rank(MPI_COMM_WORLD) == 0; }

// Oracle: the picture of the same scene on one rank. The results must be bitwise equal.
TEST(picture, is_the_same_bit_for_bit_on_any_number_of_ranks) {
  for (const index3 domain : {index3{23, 17, 19}, index3{7, 12, 9}}) {
    const model m(domain);
    std::vector<material_number> corner(m.bone.size(), 0);  // all content is in a corner, so that some bricks are thin
    for (std::size_t i = 0; i < corner.size() / 3; ++i) corner[i] = i % 5 < 2;
    const blocks of_planes(MPI_COMM_WORLD, m, std::vector<std::int64_t>(static_cast<std::size_t>(domain.z), 1));
    const blocks of_lopsided_planes(MPI_COMM_WORLD, m, lopsided(domain.z));
    const blocks of_bricks(m, grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, {})));
    const blocks of_uneven_bricks(m, grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, corner)));
    for (const bool perspective : {true, false})
      for (const double elevation : {22.0, 0.0, -3.0, -40.0, 90.0})
        for (const double azimuth : {35.0, 0.0, 251.0}) {
          auto like = of_planes.scene();
          like.view = {azimuth, elevation, 1.2, perspective};
          // Every second picture is of solid bone, in which most rays end.
          const bool solid = azimuth == 35;
          const auto make_solid = [&](render::scene& s) {
            if (solid)
              for (auto& point : s.layers[0].transfer) point.opacity = std::min(0.9999f, 40 * point.opacity);
          };
          make_solid(like);
          render::image expected;
          if (is_root()) {
            expected = render_alone(m, like);
            ASSERT_GT(*std::max_element(expected.rgba.begin(), expected.rgba.end()), 0.3f);
          }
          for (const blocks* b : {&of_planes, &of_lopsided_planes, &of_bricks, &of_uneven_bricks}) {
            auto s = b->scene();
            s.view = like.view;
            make_solid(s);

            const auto picture = render::render(b->where, s);

            ASSERT_EQ(picture.rgba, expected.rgba)
                << domain.z << " planes, " << (b->where.is_planes() ? "blocks of planes" : "bricks") << ", azimuth "
                << azimuth << ", elevation " << elevation << (perspective ? ", perspective" : ", orthographic");
          }
        }
  }
}

// Oracle: the picture of the same scene on one rank. The results must be bitwise equal. With a clipping plane, the picture
// also shows cut faces.
TEST(picture, of_a_surface_is_the_same_bit_for_bit_on_any_number_of_ranks) {
  for (const index3 domain : {index3{23, 17, 19}, index3{7, 12, 3}}) {
    const model m(domain);
    const blocks of_planes(MPI_COMM_WORLD, m, lopsided(domain.z));
    const blocks of_bricks(m, grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, {})));
    for (const double azimuth : {35.0, 251.0}) {
      render::image expected;
      for (const blocks* b : {&of_planes, &of_bricks}) {
        auto s = b->scene();
        s.how = render::method::surface;
        s.level = 0.4;
        s.view = {azimuth, 22, 1.2, true};
        s.clip.push_back({{1, 0, 0.5}, 0.4});
        if (is_root() && expected.rgba.empty()) {
          expected = render_alone(m, s);
          ASSERT_GT(*std::max_element(expected.rgba.begin(), expected.rgba.end()), 0.3F);
        }

        EXPECT_EQ(render::render(b->where, s).rgba, expected.rgba) << domain.x << " wide, azimuth " << azimuth;
      }
    }
  }
}

// Oracle: the picture of the same scene on one rank. The results must be bitwise equal. The camera is in the middle of the
// blocks, or outside.
TEST(picture, from_within_is_the_same_bit_for_bit_on_any_number_of_ranks) {
  const model m({23, 17, 19});
  const blocks of_planes(MPI_COMM_WORLD, m, std::vector<std::int64_t>(23, 1));
  const blocks of_bricks(m, grid::make_block(MPI_COMM_WORLD, sample::bricks(m.domain, {})));
  const vector3 middle{0.34, 0.17, 0.23}, at_a_corner{0.01, 0.01, 0.01}, outside{-0.5, 0.2, 0.3};  // in 0.69, 0.34, 0.475
  for (const auto how : {render::method::volume, render::method::surface, render::method::maximum})
    for (const bool perspective : {true, false})
      for (const auto& [eye, target] :
           {std::pair{middle, at_a_corner}, {at_a_corner, middle}, {outside, middle}, {middle, {0.34, 0.17, 1}}}) {
        render::image expected;
        for (const blocks* b : {&of_planes, &of_bricks}) {
          auto s = b->scene();
          s.how = how;
          s.level = 0.4;
          s.view = {0, 0, 1, perspective, target, eye};
          if (is_root() && expected.rgba.empty()) {
            expected = render_alone(m, s);
            ASSERT_GT(*std::max_element(expected.rgba.begin(), expected.rgba.end()), 0.1F);
          }

          EXPECT_EQ(render::render(b->where, s).rgba, expected.rgba)
              << static_cast<int>(how) << " from " << eye.x << (perspective ? ", perspective" : ", orthographic");
        }
      }
}

// Oracle: Beer-Lambert. From the middle of a slab, half of the slab is visible. Parts behind the camera are invisible.
TEST(picture, from_within_shows_the_voxels_in_front) {
  model m({8, 10, 12});
  std::fill(m.bone.begin(), m.bone.end(), 1.0f);
  const blocks b(MPI_COMM_WORLD, m, std::vector<std::int64_t>(8, 1));
  const double opacity = 0.03, reference = render::reference_length(m.domain, {0.5, 0.5, 0.5});
  for (const bool perspective : {true, false})
    for (const auto& [x, thickness] : {std::pair{3.0, 3.0}, {5.0, 5.0}, {9.0, 6.0}}) {
      render::scene s = b.scene();
      s.spacing_mm = {0.5, 0.5, 0.5};
      s.width = s.height = 51;
      s.layers = {{&b.bone, {{1.0, {1, 1, 1}, static_cast<float>(opacity)}}, false, 1.0}};
      s.view.perspective = perspective;
      s.view.eye_mm = {2, 2.5, x};
      s.view.look_at_mm = {2, 2.5, -1};

      const auto picture = render::render(b.where, s);

      if (!is_root()) continue;
      const double expected = 1 - std::pow(1 - opacity, thickness / reference);
      const double one_sample = 1.01 * (1 - std::pow(1 - opacity, 0.25 / reference));
      EXPECT_NEAR(picture.rgba[(25 * 51 + 25) * 4 + 3], expected, one_sample) << x;
    }
}

// Three bars around a corner of the domain, each in front of the next, and the rest of the domain. The rest is two cubes,
// which are halved for 7 or more ranks.
std::vector<box3> pinwheel(index3 end, int ranks) {
  const index3 m{end.z / 2, end.y / 3, 2 * end.x / 3};
  std::vector<box3> boxes{{{m.z, 0, 0}, {end.z, m.y, end.x}},
                          {{0, 0, m.x}, {m.z, end.y, end.x}},
                          {{0, m.y, 0}, {end.z, end.y, m.x}},
                          {{0, 0, 0}, {m.z, m.y, m.x}},
                          {{m.z, m.y, m.x}, end}};
  for (std::size_t i = 3; i < 5 && ranks > 5; ++i) {
    boxes.push_back(boxes[i]);
    boxes[i].end.x = boxes.back().begin.x = (boxes[i].begin.x + boxes[i].end.x) / 2;
  }
  return boxes;
}

// Oracle: the picture of the same scene on one rank. The results must be bitwise equal, also if no order of visibility
// exists.
TEST(picture, of_boxes_in_a_visibility_cycle_is_the_same_bit_for_bit) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  if (ranks != 5 && ranks != 7) GTEST_SKIP() << "five boxes, or seven";
  const model m({23, 17, 19});
  const auto boxes = pinwheel(m.domain, ranks);
  const blocks b(m, {MPI_COMM_WORLD, m.domain, boxes[static_cast<std::size_t>(comm::rank(MPI_COMM_WORLD))]});
  int cycles = 0;
  for (const auto how : {render::method::volume, render::method::surface, render::method::average})
    for (const bool perspective : {true, false})
      for (const auto& [azimuth, elevation] : {std::pair{45.0, 35.0}, {225.0, -35.0}, {0.0, 0.0}, {135.0, 20.0}}) {
        auto s = b.scene();
        s.how = how;
        s.level = 0.4;
        s.view = {azimuth, elevation, 1.2, perspective};
        for (auto& point : s.layers[0].transfer) point.opacity = std::min(0.9999F, 40 * point.opacity);

        const auto picture = render::render(b.where, s);

        if (!picture.cycle.empty()) {
          ++cycles;
          EXPECT_EQ(picture.cycle.size(), 3U);
        }
        if (is_root()) {
          EXPECT_EQ(picture.rgba, render_alone(m, s).rgba) << azimuth << (perspective ? ", perspective" : ", orthographic");
        }
      }
  EXPECT_GE(cycles, 4);

  auto overlapping = b.where;
  overlapping.owned = boxes[0];
  EXPECT_THROW(render::render(blocks(m, overlapping).where, blocks(m, overlapping).scene()), usage_error);
}

// Oracle: random rays. Along each ray, boxes are met in their order.
TEST(view, orders_any_boxes_and_names_a_cycle) {
  const index3 domain{12, 12, 12};
  const auto wheel = pinwheel(domain, 5);
  const auto seen_from = [&](double azimuth, double elevation) {
    return render::view::of({azimuth, elevation, 1, true}, domain, {1, 1, 1}, 64, 64);
  };
  const auto around = render::order_boxes(seen_from(45, 35), wheel);
  EXPECT_TRUE(around.order.empty());
  EXPECT_EQ(around.cycle, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(render::describe_cycle(around.cycle),
            "rank 0 hides a part of rank 1, which hides a part of rank 2, which hides a part of rank 0");

  for (const auto& [azimuth, elevation] : {std::pair{0.0, 0.0}, {135.0, 20.0}, {300.0, -50.0}, {90.0, 90.0}}) {
    const auto v = seen_from(azimuth, elevation);
    const auto found = render::order_boxes(v, wheel);
    ASSERT_EQ(found.order.size(), wheel.size()) << azimuth;
    for (int row = 0; row < 64; row += 3)
      for (int column = 0; column < 64; column += 3) {
        const auto r = v.ray_through(column, row);
        std::size_t last = 0;
        for (double t = r.entry + 0.01; t < r.exit; t += 0.05) {
          const index3 voxel{static_cast<std::int64_t>(r.origin[0] + t * r.direction[0]),
                             static_cast<std::int64_t>(r.origin[1] + t * r.direction[1]),
                             static_cast<std::int64_t>(r.origin[2] + t * r.direction[2])};
          for (std::size_t i = 0; i < wheel.size(); ++i) {
            const box3& box = wheel[static_cast<std::size_t>(found.order[i])];
            if (grid::overlap(box, {voxel, voxel + index3{1, 1, 1}}) != box3{voxel, voxel + index3{1, 1, 1}}) continue;
            ASSERT_GE(i, last) << azimuth;
            last = i;
          }
        }
      }
  }
}

// Oracle: the rows of the complete picture on rank 0, whichever rank has these rows.
TEST(picture, may_be_left_in_rows) {
  const model m({23, 17, 19});
  const blocks parts(MPI_COMM_WORLD, m, lopsided(23));
  const auto ranks = static_cast<std::size_t>(comm::size(MPI_COMM_WORLD));
  const auto rank = static_cast<std::size_t>(comm::rank(MPI_COMM_WORLD));
  render::scene scene = parts.scene();
  std::vector<int> first(ranks + 1, scene.height);
  first.front() = 0;
  // rank 1 has none of three rows
  for (std::size_t r = 1; r < ranks; ++r) first[r] = r == 1 ? 17 : 17 + static_cast<int>(r - 2);
  for (const auto how : {render::method::volume, render::method::average}) {
    scene.how = how;
    render::prepared kept(parts.where, scene);
    auto whole = render::render(parts.where, scene, kept).rgba;
    whole.resize(static_cast<std::size_t>(scene.width * scene.height * 4));
    MPI_Bcast(whole.data(), static_cast<int>(whole.size()), MPI_FLOAT, 0, MPI_COMM_WORLD);

    const auto rows = render::render(parts.where, scene, kept, first);

    EXPECT_EQ(rows.first_row, first[rank]);
    EXPECT_EQ(rows.height, first[rank + 1] - first[rank]);
    const auto begin = whole.begin() + first[rank] * scene.width * 4,
               end = whole.begin() + first[rank + 1] * scene.width * 4;
    EXPECT_EQ(rows.rgba, std::vector<float>(begin, end));
  }
  first.back() -= 1;
  render::prepared kept(parts.where, scene);
  EXPECT_THROW(render::render(parts.where, scene, kept, first), usage_error);
}

// Oracle: the picture made with one thread. The results must be bitwise equal.
TEST(picture, is_the_same_bit_for_bit_with_any_number_of_threads) {
  const model m({23, 17, 19});
  const blocks b(MPI_COMM_WORLD, m, std::vector<std::int64_t>(23, 1));
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto expected = render::render(b.where, b.scene());
  omp_set_num_threads(3);
  const auto picture = render::render(b.where, b.scene());
  omp_set_num_threads(threads);
  EXPECT_EQ(picture.rgba, expected.rgba);
}

// Oracle: data that are prepared anew for each frame.
TEST(picture, of_a_frame_is_equal_with_cached_data) {
  const model m({23, 17, 19});
  const blocks parts(MPI_COMM_WORLD, m, lopsided(23));
  render::scene scene = parts.scene();
  for (auto& l : scene.layers) l.shaded = true;
  render::prepared kept(parts.where, scene);
  for (const auto how : {render::method::volume, render::method::maximum})
    for (const double azimuth : {10.0, 130.0, 250.0}) {
      scene.how = how;
      scene.view.azimuth_deg = azimuth;
      scene.width = 40 + static_cast<int>(azimuth) / 10;
      scene.clip.clear();
      if (azimuth > 200) scene.clip.push_back({{0, 0, 1}, 0.3});
      EXPECT_EQ(render::render(parts.where, scene, kept).rgba, render::render(parts.where, scene).rgba) << azimuth;
    }
}

// Oracle: Beer-Lambert. A slab with opacity o per reference length has the transmittance (1 - o)^(thickness / reference).
TEST(picture, of_a_uniform_slab_has_the_analytic_transmittance_for_every_step) {
  model m({8, 10, 12});
  std::fill(m.bone.begin(), m.bone.end(), 1.0f);
  const vector3 spacing{0.5, 0.5, 0.5};
  const double opacity = 0.03, reference = render::reference_length(m.domain, spacing);
  EXPECT_NEAR(reference, 0.5 * std::sqrt(8. * 8 + 10 * 10 + 12 * 12) / 100, 1e-12);
  struct axis_view {
    double azimuth, elevation, thickness;
  };
  for (const double step : {1.0, 0.5, 0.25}) {
    const blocks b(MPI_COMM_WORLD, m, std::vector<std::int64_t>(8, 1), step);
    render::scene s = b.scene();
    s.spacing_mm = spacing;
    s.layers = {{&b.bone, {{1.0, {0.25f, 0.5f, 1.0f}, static_cast<float>(opacity)}}, false, 1.0}};
    for (const auto& [azimuth, elevation, thickness] : {axis_view{0, 0, 6}, axis_view{90, 0, 5}, axis_view{0, 90, 4}}) {
      s.view = {azimuth, elevation, 3.0, false};
      s.step_voxels = step;

      const auto picture = render::render(b.where, s);

      if (!is_root()) continue;
      const double expected = 1 - std::pow(1 - opacity, thickness / reference);
      const float* middle = &picture.rgba[static_cast<std::size_t>((s.height / 2) * s.width + s.width / 2) * 4];
      // The number of samples is an integer, except for one sample at the far face that depends on rounding.
      const double one_sample = 1.01 * (1 - std::pow(1 - opacity, step * 0.5 / reference));
      const double tolerance = elevation == 90 || azimuth == 90 ? one_sample : 1e-6;
      EXPECT_NEAR(middle[3], expected, tolerance);
      EXPECT_NEAR(middle[0], 0.25 * middle[3], 1e-6);
      EXPECT_NEAR(middle[2], middle[3], 1e-6);
    }
  }
}

// Oracle: a value determined by hand. An opaque red half is above (in z) an opaque green half, and the nearer half is
// visible.
TEST(picture, shows_the_nearer_half_from_above_and_below) {
  model m({14, 10, 10});
  for (std::size_t i = 0; i < m.bone.size(); ++i) m.bone[i] = i < m.bone.size() / 2 ? 0.0f : 1.0f;
  const blocks b(MPI_COMM_WORLD, m, std::vector<std::int64_t>(14, 1));
  for (const bool perspective : {true, false})
    for (const double elevation : {90.0, 50.0, -50.0, -90.0}) {
      render::scene s = b.scene();
      s.layers = {{&b.bone, {{0.49, {0, 1, 0}, 1}, {0.51, {1, 0, 0}, 1}}, false, 1.0}};
      s.view = {35, elevation, 1.0, perspective};

      const auto picture = render::render(b.where, s);

      if (!is_root()) continue;
      const float* middle = &picture.rgba[static_cast<std::size_t>((s.height / 2) * s.width + s.width / 2) * 4];
      EXPECT_EQ(middle[3], 1.0f);
      EXPECT_EQ(middle[elevation > 0 ? 0 : 1], 1.0f) << elevation;
      EXPECT_EQ(middle[elevation > 0 ? 1 : 0], 0.0f) << elevation;
    }
}

// Oracle: a value computed by hand. The centre of an empty neighbour of a voxel is half empty, so that NaN causes a soft
// edge and no hole.
TEST(picture, treats_nan_as_empty) {
  model m({7, 8, 8});
  std::fill(m.bone.begin(), m.bone.end(), std::numeric_limits<float>::quiet_NaN());
  const blocks b(MPI_COMM_WORLD, m, std::vector<std::int64_t>(7, 1));
  render::scene s = b.scene();
  s.layers = {{&b.bone, {{0.0, {1, 1, 1}, 1}}, true, 1.0}};
  const auto picture = render::render(b.where, s);
  if (is_root()) {
    EXPECT_EQ(picture.rgba, std::vector<float>(picture.rgba.size(), 0.0f));
  }
}

// Oracle: geometry, computed by hand. The bounding sphere touches the shorter edges of the picture, and opposite corners are
// mirrored.
TEST(view, projects_the_corners_of_the_domain_into_the_picture) {
  const index3 domain{30, 20, 10};
  const vector3 spacing{0.1, 0.2, 0.3};
  const double extent[3] = {3, 4, 3};
  for (const bool perspective : {true, false})
    for (const double elevation : {-90.0, -20.0, 0.0, 65.0, 90.0}) {
      const auto v = render::view::of({123, elevation, 1, perspective}, domain, spacing, 300, 200);
      const auto centre = v.project({extent[0] / 2, extent[1] / 2, extent[2] / 2});
      EXPECT_NEAR(centre[0], 150, 1e-9);
      EXPECT_NEAR(centre[1], 100, 1e-9);
      const auto box = v.seen({{}, domain});
      for (int corner = 0; corner < 8; ++corner) {
        const auto at = v.project({corner & 4 ? extent[0] : 0, corner & 2 ? extent[1] : 0, corner & 1 ? extent[2] : 0});
        EXPECT_LE(std::hypot(at[0] - 150, at[1] - 100), 100 + 1e-9);
        EXPECT_LE(box.left, at[0]);
        EXPECT_GE(box.right, at[0]);
        EXPECT_LE(box.top, at[1]);
        EXPECT_GE(box.bottom, at[1]);
      }
    }
  // From +x (azimuth 0), +y is to the right and +z is upwards. Orthographic pixels have the size of radius / 100.
  const auto v = render::view::of({0, 0, 1, false}, domain, spacing, 300, 200);
  const double radius = 0.5 * std::sqrt(9.0 + 16 + 9);
  const auto at = v.project({3, 4, 1.5});
  EXPECT_NEAR(at[0], 150 + 2 / radius * 100, 1e-9);
  EXPECT_NEAR(at[1], 100 - 1.5 / radius * 100, 1e-9);
}

// Oracle: determined by hand for a box in front of the eye, around the eye, and behind the eye.
TEST(view, sees_only_points_in_front_of_the_eye) {
  const index3 domain{10, 10, 10};
  for (const bool perspective : {true, false}) {
    const auto v = render::view::of({0, 0, 1, perspective, vector3{5, 5, 0}, vector3{5, 5, 8}}, domain, {1, 1, 1}, 90, 60);
    EXPECT_EQ(v.depth({5, 5, 2}), 6);
    EXPECT_EQ(v.depth({1, 9, 9}), -1);
    EXPECT_EQ(v.seen({{0, 0, 9}, {10, 10, 10}}).size(), 0);
    EXPECT_GT(v.seen({{4, 4, 0}, {6, 6, 2}}).size(), 0);
    EXPECT_LT(v.seen({{4, 4, 0}, {6, 6, 2}}).size(), 90 * 60);
  }
  const auto within = render::view::of({0, 0, 1, true, vector3{5, 5, 0}, vector3{5, 5, 8}}, domain, {1, 1, 1}, 90, 60);
  EXPECT_EQ(within.seen({{}, domain}).size(), 90 * 60);
}

// Oracle: project() and ray_through() are inverse to each other, for any projection.
TEST(view, sends_a_ray_through_the_pixel_that_it_projects_to) {
  const index3 domain{30, 20, 10};
  const vector3 spacing{0.1, 0.2, 0.3};
  for (const bool perspective : {true, false}) {
    const auto v = render::view::of({40, 25, 1.7, perspective}, domain, spacing, 80, 60);
    const auto r = v.ray_through(37, 28);
    ASSERT_GT(r.exit, r.entry);
    for (const double t : {r.entry, r.exit}) {
      vector3 point;
      for (int a = 0; a < 3; ++a) point[a] = (r.origin[a] + t * r.direction[a]) * spacing[a];
      EXPECT_NEAR(v.project(point)[0], 37.5, 1e-9);
      EXPECT_NEAR(v.project(point)[1], 28.5, 1e-9);
    }
  }
}

// Oracle: determined by hand. Planes are crossed upwards and downwards from the plane of the eye. The nearest brick is
// first, and the opposite brick is last.
TEST(view, orders_blocks_outwards_from_the_eye) {
  const index3 domain{40, 40, 40};
  const vector3 spacing{1, 1, 1};
  const std::vector<std::int64_t> first{0, 10, 20, 30, 40};
  const auto order = [&](double elevation, bool perspective) {
    return render::visibility_order(render::view::of({10, elevation, 1, perspective}, domain, spacing, 64, 64),
                                    grid::box_tree::of_planes(domain, first));
  };
  EXPECT_EQ(order(60, true), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(order(-60, true), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(order(60, false), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(order(-1, false), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(order(-2, true), (std::vector<int>{1, 0, 2, 3}));  // the eye is 4.7 voxels below the centre, at z = 15.3
  const double half = std::sqrt(3.0) * 20 / std::sin(15 * pi / 180);
  EXPECT_NEAR(20 - half * std::sin(2 * pi / 180), 15.3, 0.05);

  // The boxes are eight octants, with rank 4 z + 2 y + x. The eye is at high z, high y and low x.
  std::vector<grid::box_tree::cut> cuts{{20, 4, 0}, {20, 2, 1}, {20, 1, 2}, {20, 1, 2}, {20, 2, 1}, {20, 1, 2}, {20, 1, 2}};
  for (const bool perspective : {true, false}) {
    const auto octants = render::visibility_order(render::view::of({120, 30, 1, perspective}, domain, spacing, 64, 64),
                                                  grid::box_tree(domain, cuts));
    EXPECT_EQ(octants, (std::vector<int>{6, 7, 4, 5, 2, 3, 0, 1}));
  }
}

// Oracle: every rank throws an error, and the message states all faults.
TEST(render, refuses_an_impossible_scene_on_all_ranks) {
  const model m({7, 8, 8});
  const blocks b(MPI_COMM_WORLD, m, std::vector<std::int64_t>(7, 1));
  auto s = b.scene();
  s.layers.clear();
  EXPECT_THROW(render::render(b.where, s), usage_error);

  s = b.scene();
  s.view.zoom = 0;
  s.width = 0;
  s.layers[0].transfer[1].value = -99;
  try {
    render::render(b.where, s);
    ADD_FAILURE() << "no error";
  } catch (const usage_error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("view.zoom"), std::string::npos) << text;
    EXPECT_NE(text.find("width"), std::string::npos) << text;
    EXPECT_NE(text.find("layers[0].transfer[1]"), std::string::npos) << text;
  }

  // The camera looks away, looks next to the domain, or looks at itself.
  for (const vector3& look_at : {vector3{9, 9, 9}, vector3{0.1, -9, 0.1}, vector3{5, 5, 5}, vector3{NAN, 0, 0}}) {
    s = b.scene();
    s.view.eye_mm = vector3{5, 5, 5};
    s.view.look_at_mm = look_at;
    EXPECT_THROW(render::render(b.where, s), usage_error) << look_at.y;
  }

  // Only one rank has the wrong field.
  s = b.scene();
  grid::ghosted_field<float> short_field = b.bone;
  short_field.values.pop_back();
  if (comm::rank(MPI_COMM_WORLD) == comm::size(MPI_COMM_WORLD) - 1) s.layers[0].field = &short_field;
  EXPECT_THROW(render::render(b.where, s), usage_error);
}

// Oracle: the values of the sRGB standard for 0, 0.5 and 1.
TEST(to_rgba8, encodes_srgb_over_the_background) {
  const render::image picture{3, 1, 0, 0, {0, 0, 0, 0, 0.5f, 0.5f, 0.5f, 1, 0.25f, 0, 2, 0.5f}};
  const auto bytes = render::to_rgba8(picture, {1, 0.5f, 0});
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{255, 188, 0, 255, 188, 188, 188, 255, 225, 137, 255, 255}));
}

// Oracle: the ends of the published tables.
TEST(colour_map, has_the_published_colours) {
  const auto& viridis = render::colour_map("viridis");
  EXPECT_NEAR(viridis[0][0], 0.0578, 1e-3);    // sRGB 68/255
  EXPECT_NEAR(viridis[255][1], 0.7991, 1e-3);  // sRGB 231/255
  for (const char* name : {"batlow", "inferno", "lipari", "vik"}) EXPECT_NO_THROW(render::colour_map(name));
  EXPECT_THROW(render::colour_map("jet"), usage_error);
}

}  // namespace picture_test
