#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/render/picture.hpp>
#include <osteon/render/rays/streamlines.hpp>
#include <osteon/render/rays/tubes.hpp>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/presets.hpp>

#include "grid/sample_bricks.hpp"

namespace streamlines_test {

using namespace osteon;

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

bool is_root() { return comm::rank(MPI_COMM_WORLD) == 0; }

grid::block planes(MPI_Comm comm, index3 domain) {
  return grid::make_block(comm, domain, std::vector<std::int64_t>(static_cast<std::size_t>(domain.z), 1));
}

// Decompositions by planes, by uneven planes, and by bricks.
std::vector<grid::block> decompositions(index3 domain) {
  std::vector<std::int64_t> weight(static_cast<std::size_t>(domain.z), 0);
  weight[static_cast<std::size_t>(domain.z / 2)] = 100;
  return {planes(MPI_COMM_WORLD, domain), grid::make_block(MPI_COMM_WORLD, domain, weight),
          grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, {}))};
}

template <class F>
std::vector<float> sampled(const box3& part, F value) {
  std::vector<float> result;
  for (std::int64_t z = part.begin.z; z < part.end.z; ++z)
    for (std::int64_t y = part.begin.y; y < part.end.y; ++y)
      for (std::int64_t x = part.begin.x; x < part.end.x; ++x)
        result.push_back(static_cast<float>(
            value(static_cast<double>(z) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(x) + 0.5)));
  return result;
}

template <class Z, class Y, class X>
render::vector_values field_of(const grid::block& where, Z z, Y y, X x) {
  return {sampled(where.owned, z), sampled(where.owned, y), sampled(where.owned, x)};
}

// A swirl with pillars. The pillars have no value.
render::vector_values swirl(const grid::block& where) {
  const auto pillar = [](double y, double x) { return std::fmod(y, 7) < 2 && std::fmod(x + 2 * y, 9) < 3; };
  const auto in_fluid = [&](double y, double x, double v) { return pillar(y, x) ? static_cast<double>(nothing) : v; };
  return field_of(
      where, [&](double z, double y, double x) { return in_fluid(y, x, 1 + 0.3 * std::sin(z + x)); },
      [&](double z, double y, double x) { return in_fluid(y, x, 0.8 * std::cos(0.4 * x) + 0.1 * z); },
      [&](double z, double y, double x) { return in_fluid(y, x, std::sin(0.5 * y - 0.2 * z)); });
}

bool same_bits(const render::streamlines& a, const render::streamlines& b) {
  return a.first == b.first && a.vertices.size() == b.vertices.size() &&
         std::memcmp(a.vertices.data(), b.vertices.data(), a.vertices.size() * sizeof(render::line_vertex)) == 0;
}

// Oracle: the exact circle. Trilinear interpolation of a rotation is exact, and the method is of fourth order.
TEST(streamlines, of_a_rotation_are_circles_to_fourth_order) {
  const index3 domain{8, 40, 40};
  const auto where = planes(MPI_COMM_WORLD, domain);
  const auto rotation = field_of(
      where, [](double, double, double) { return 0.0; }, [](double, double, double x) { return 3 * (x - 20); },
      [](double, double y, double) { return -3 * (y - 20); });
  const double radius = 4;
  const std::vector<vector3> seeds{{4, 20, 20 + radius}};
  const auto distance = [](const vector3& p) { return std::hypot(p.y - 20, p.x - 20); };
  double before = 0;
  for (const double step : {1.0, 0.5, 0.25}) {
    const auto lines =
        render::trace(where, {0.1, 0.1, 0.1}, rotation, seeds, {.step_voxels = step, .greatest_length = 64, .turn_deg = 0});
    ASSERT_EQ(lines.count(), 1U);
    const auto line = lines.line(0);
    ASSERT_EQ(line.size(), 128 / step + 1);
    const double error = std::abs(distance(line.back().at) - radius);
    EXPECT_LT(error, step == 1 ? 1e-2 : before / 14) << step;
    EXPECT_EQ(line.back().at.z, 4);
    // The rotation has 3 per second and the voxel 0.1 mm. At 0.4 mm from the centre, the speed is 12 mm/s, so that 12.8 mm
    // take 1.0667 s.
    EXPECT_NEAR(line.back().time, 12.8 / 12, step == 1 ? 2e-3 : 1e-4);
    EXPECT_NEAR(line.back().speed, 12, 0.02);
    before = error;
  }
  // The same line with a few vertices. Its chords have an angle of several degrees.
  const auto few = render::trace(where, {0.1, 0.1, 0.1}, rotation, seeds, {.greatest_length = 64});
  EXPECT_LT(few.vertices.size(), 300U);
  for (const auto& v : few.vertices) EXPECT_NEAR(distance(v.at), radius, 1e-3);
}

// Oracle: values computed by hand. The line is straight from face to face, and its time is length divided by speed. The
// voxels are not cubes.
TEST(streamlines, of_a_uniform_field_are_straight_and_take_length_over_speed) {
  const index3 domain{9, 10, 24};
  const vector3 spacing{0.5, 0.1, 0.2};
  const auto where = planes(MPI_COMM_WORLD, domain);
  const auto uniform = field_of(
      where, [](double, double, double) { return 0.5; }, [](double, double, double) { return 0.0; },
      [](double, double, double) { return 2.0; });
  const std::vector<vector3> seeds{{4.3, 3.5, 11.25}};
  const auto lines = render::trace(where, spacing, uniform, seeds);
  ASSERT_EQ(lines.count(), 1U);
  const auto line = lines.line(0);
  // In voxels, the direction is (1, 0, 10). From x = 0 to x = 24, z rises by 2.4.
  EXPECT_NEAR(line.front().at.x, 0, 1e-9);
  EXPECT_NEAR(line.back().at.x, 24, 1e-9);
  for (const auto& v : line) {
    EXPECT_NEAR(v.at.z, 4.3 + (v.at.x - 11.25) / 10, 1e-5);
    EXPECT_NEAR(v.at.y, 3.5, 1e-9);
    EXPECT_NEAR(v.speed, std::hypot(0.5, 2.0), 1e-6);
  }
  EXPECT_EQ(line.front().time, 0);
  EXPECT_NEAR(line.back().time, 24 * 0.2 / 2, 1e-6);
  EXPECT_NEAR(lines.length(0, spacing), std::hypot(24 * 0.2, 2.4 * 0.5), 1e-6);
}

// Oracle: an invariant. A line follows the field and ends at a wall or at an end of the domain.
TEST(streamlines, end_where_the_field_ends) {
  const index3 domain{7, 7, 30};
  const auto where = planes(MPI_COMM_WORLD, domain);
  const auto along_x = [](double, double, double x) { return x > 20 ? static_cast<double>(nothing) : 1.0; };
  const auto zero = [&](double, double, double x) { return x > 20 ? static_cast<double>(nothing) : 0.0; };
  const auto lines = render::trace(where, {1, 1, 1}, field_of(where, zero, zero, along_x),
                                   std::vector<vector3>{{3.5, 3.5, 5}, {3.5, 3.5, 25}});
  ASSERT_EQ(lines.count(), 1U);  // no line through the other point
  EXPECT_EQ(lines.line(0).front().at.x, 0);
  EXPECT_GT(lines.line(0).back().at.x, 19.5);
  EXPECT_LT(lines.line(0).back().at.x, 20.5);  // the first centre without a value
}

// Oracle: seeds and lines on one rank. The results must be bitwise equal.
TEST(streamlines, are_the_same_bit_for_bit_on_any_number_of_ranks) {
  for (const index3 domain : {index3{23, 17, 19}, index3{7, 12, 9}}) {
    const vector3 spacing{0.03, 0.02, 0.025};
    const auto alone = planes(MPI_COMM_SELF, domain);
    const auto seeds = render::seeds_by_speed(alone, swirl(alone), 60);
    ASSERT_EQ(seeds.size(), 60U);
    const auto expected = render::trace(alone, spacing, swirl(alone), seeds);
    EXPECT_GT(expected.count(), 40U);
    for (const auto& where : decompositions(domain)) {
      const auto field = swirl(where);
      EXPECT_EQ(render::seeds_by_speed(where, field, 60), seeds);
      EXPECT_TRUE(same_bits(render::trace(where, spacing, field, seeds), expected));
    }
  }
}

// Oracle: the fraction of the flow. A half with twice the speed has twice as many seeds, and voxels without a speed have
// none.
TEST(streamlines, begin_where_the_flow_is) {
  const index3 domain{30, 30, 31};
  const auto where = planes(MPI_COMM_WORLD, domain);
  const auto zero = [](double, double, double) { return 0.0; };
  const auto halves = field_of(where, zero, zero, [](double z, double, double x) {
    return x > 30 ? 0.0 : z < 15 ? 1.0 : 2.0;
  });
  const auto seeds = render::seeds_by_speed(where, halves, 3000);
  ASSERT_EQ(seeds.size(), 3000U);
  const auto slow = std::count_if(seeds.begin(), seeds.end(), [](const vector3& p) { return p.z < 15; });
  EXPECT_NEAR(static_cast<double>(slow), 1000, 100);  // the tolerance is four standard deviations
  EXPECT_TRUE(std::all_of(seeds.begin(), seeds.end(), [](const vector3& p) { return p.x < 30; }));
  EXPECT_EQ(render::seeds_by_speed(where, halves, 100'000).size(), 30U * 30 * 30);
  EXPECT_TRUE(render::seeds_by_speed(where, field_of(where, zero, zero, zero), 5).empty());
}

// Oracle: the contract.
TEST(streamlines, refuse_impossible_wishes_on_all_ranks) {
  const index3 domain{7, 8, 9};
  const auto where = planes(MPI_COMM_WORLD, domain);
  auto field = swirl(where);
  const std::vector<vector3> seeds{{1, 1, 1}}, outside{{1, 1, 10}};
  EXPECT_THROW(render::seeds_by_speed(where, field, 0), usage_error);
  EXPECT_THROW(render::trace(where, {1, 1, 1}, field, outside), usage_error);
  EXPECT_THROW(render::trace(where, {1, 1, 1}, field, seeds, {.step_voxels = 1.5}), usage_error);
  EXPECT_THROW(render::trace(where, {1, 1, 1}, field, seeds, {.step_voxels = 0}), usage_error);
  if (comm::rank(MPI_COMM_WORLD) == comm::size(MPI_COMM_WORLD) - 1) field[1].pop_back();
  EXPECT_THROW(render::trace(where, {1, 1, 1}, field, seeds), usage_error);
}

// A scene of one field.
struct stage {
  grid::block where;
  grid::ghosted_field<float> field;

  template <class F>
  stage(const grid::block& block, F value) : where(block) {
    const int depth = render::ghost_depth(0.5);
    if (where.boxes)
      field = grid::with_ghost_cells(where, sampled(where.owned, value), depth);
    else
      field = {grid::with_ghosts(where, depth), sampled(grid::with_ghosts(where, depth), value)};
  }
  render::scene scene() const {
    render::scene s;
    s.spacing_mm = {0.03, 0.02, 0.025};
    s.width = 61;
    s.height = 53;
    s.layers = {render::presets::bone_layer(field, -1, 0.2, 2)};
    return s;
  }
};

double bubbles(double z, double y, double x) { return std::sin(0.7 * z) + std::cos(0.6 * y) + std::sin(0.5 * x + 0.2 * z); }

render::tubes tubes_of(std::vector<std::vector<vector3>> paths, double radius) {
  render::streamlines lines;
  for (const auto& path : paths) {
    for (const vector3& p : path) lines.vertices.push_back({p, 0, static_cast<double>(lines.vertices.size())});
    lines.first.push_back(lines.vertices.size());
  }
  return {std::make_shared<render::streamlines>(lines), radius, render::presets::tube_colours(0, 100)};
}

render::tubes helices(index3 domain) {
  std::vector<std::vector<vector3>> paths;
  for (int line = 0; line < 6; ++line) {
    std::vector<vector3> path;
    for (int i = 0; i <= 60; ++i) {
      const double t = i / 60.0, a = line + 12 * t;
      path.push_back({static_cast<double>(domain.z) * t, static_cast<double>(domain.y) * (0.5 + 0.45 * std::sin(a)),
                      static_cast<double>(domain.x) * (0.5 + 0.08 * line * std::cos(a))});
    }
    paths.push_back(path);
  }
  return tubes_of(paths, 0.012);
}

// Three bars in a cycle around a corner, and the rest of the domain.
std::vector<box3> bars(index3 end) {
  const index3 m{end.z / 2, end.y / 3, 2 * end.x / 3};
  return {{{m.z, 0, 0}, {end.z, m.y, end.x}},
          {{0, 0, m.x}, {m.z, end.y, end.x}},
          {{0, m.y, 0}, {end.z, end.y, m.x}},
          {{0, 0, 0}, {m.z, m.y, m.x}},
          {{m.z, m.y, m.x}, end}};
}

// Oracle: the picture of the same scene on one rank. The results must be bitwise equal through volumes and surfaces,
// clipped, from within, and in halves of a visibility cycle. The lines are visible, because the picture without lines
// differs.
TEST(tubes, are_the_same_bit_for_bit_on_any_number_of_ranks) {
  const index3 domain{23, 17, 19};
  const stage alone(planes(MPI_COMM_SELF, domain), bubbles);
  std::vector<grid::block> blocks = decompositions(domain);
  if (comm::size(MPI_COMM_WORLD) == 5)
    blocks.push_back({MPI_COMM_WORLD, domain, bars(domain)[static_cast<std::size_t>(comm::rank(MPI_COMM_WORLD))]});
  int cycles = 0;
  for (const auto& block : blocks) {
    const stage parts(block, bubbles);
    for (const auto how : {render::method::volume, render::method::surface})
      for (const int camera : {0, 1, 2, 3, 4}) {
        const auto arrange = [&](const stage& from) {
          render::scene s = from.scene();
          s.how = how;
          s.level = 0.4;
          s.lines = helices(domain);
          s.view = {45.0 + 90 * camera, 35, 1.2, camera != 2};
          if (camera == 1) s.clip.push_back({{1, 0, 0.5}, 0.4});
          if (camera == 3) s.view = {0, 0, 1, true, vector3{0.01, 0.01, 0.01}, vector3{0.34, 0.17, 0.23}};
          for (auto& point : s.layers[0].transfer) point.opacity = std::min(0.9999F, (camera == 4 ? 40 : 1) * point.opacity);
          return s;
        };
        const auto scene = arrange(parts);
        const auto picture = render::render(block, scene);
        cycles += !picture.cycle.empty();
        if (!is_root()) continue;
        auto same = arrange(alone);
        EXPECT_EQ(picture.rgba, render::render(alone.where, same).rgba) << static_cast<int>(how) << ", camera " << camera;
        same.lines.reset();
        const bool within_solid = camera == 3 && how == render::method::surface;
        EXPECT_EQ(picture.rgba == render::render(alone.where, same).rgba, within_solid) << camera;
      }
  }
  if (comm::size(MPI_COMM_WORLD) == 5) {
    EXPECT_GE(cycles, 1);
  }
}

// Oracle: project() and the distance to the eye. A tube has the width given by its radius, and the rest of the picture is
// empty.
TEST(tubes, are_seen_where_they_are) {
  const index3 domain{20, 20, 20};
  const double radius = 0.6;
  const stage parts(planes(MPI_COMM_WORLD, domain), [](double, double, double) { return nothing; });
  for (const bool perspective : {true, false}) {
    render::scene s = parts.scene();
    s.spacing_mm = {1, 1, 1};
    s.width = s.height = 200;
    s.view = {30, 20, 1, perspective};
    const vector3 a{5, 3, 12}, b{15, 16, 8};
    s.lines = tubes_of({{a, b}}, radius);
    const auto picture = render::render(parts.where, s);
    const auto from = render::view::of(s.view, domain, s.spacing_mm, s.width, s.height);
    const auto p = from.project(a), q = from.project(b);
    const double length = std::hypot(q[0] - p[0], q[1] - p[1]);
    const double scale = from.pixel * (perspective ? from.depth({10, 9.5, 10}) : 1);
    const render::tube_hits hits(from, *s.lines, {0, 0, s.width, s.height});
    int seen = 0;
    for (int row = 0; row < s.height; ++row)
      for (int column = 0; column < s.width; ++column) {
        const double dx = column + 0.5 - p[0], dy = row + 0.5 - p[1];
        const double along = (dx * (q[0] - p[0]) + dy * (q[1] - p[1])) / length;
        const double off = std::abs(dx * (q[1] - p[1]) - dy * (q[0] - p[0])) / length * scale;
        if (along < 0.1 * length || along > 0.9 * length) continue;
        const bool inside = off < 0.8 * radius, outside = off > 1.25 * radius;
        if (inside) {
          ++seen;
          const auto r = from.ray_through(column, row);
          const double t = hits.at(column, row).t;
          vector3 point;
          for (int axis = 0; axis < 3; ++axis) point[axis] = r.origin[axis] + t * r.direction[axis];
          const vector3 d{b.z - a.z, b.y - a.y, b.x - a.x}, w{point.z - a.z, point.y - a.y, point.x - a.x};
          const double foot = kernel::dot(w, d) / kernel::dot(d, d);
          // A pixel is about 0.2 mm wide. The first of its rays is slightly in front of the ray through its centre.
          EXPECT_NEAR(std::sqrt(kernel::dot(w, w) - foot * foot * kernel::dot(d, d)), radius, 0.08);
          EXPECT_LT(from.depth(point), from.depth({a.z + foot * d.z, a.y + foot * d.y, a.x + foot * d.x}));
        }
        if (!is_root()) continue;
        const float alpha = picture.rgba[static_cast<std::size_t>(row * s.width + column) * 4 + 3];
        if (inside || outside) {
          EXPECT_EQ(alpha, inside ? 1 : 0) << column << ' ' << row;
        }
      }
    EXPECT_GT(seen, 300);
  }
}

// Oracle: determined by hand. A tube in front of an opaque slab hides the slab, and a tube behind the slab is hidden. A
// clipped tube is absent on one side of the plane. A clipped object shows its inside at the plane.
TEST(tubes, have_depth) {
  const index3 domain{12, 12, 12};
  const stage parts(planes(MPI_COMM_WORLD, domain), [](double, double, double x) { return x > 5 && x < 7 ? 1.0F : 0.0F; });
  for (const auto how : {render::method::volume, render::method::surface}) {
    const auto middle_of = [&](double x, const std::vector<render::clip_plane>& clip) {
      render::scene s = parts.scene();
      s.spacing_mm = {1, 1, 1};
      s.width = s.height = 41;
      s.how = how;
      s.layers = {{&parts.field, {{0.49, {0, 1, 0}, 0}, {0.5, {0, 1, 0}, 1}}, false, 1}};
      s.lines = tubes_of({{{1, 6, x}, {11, 6, x}}}, 0.8);
      s.lines->transfer = {{0, {1, 0, 0}, 1}};
      s.view = {0, 0, 1, true};  // view from high x
      s.clip = clip;
      const auto picture = render::render(parts.where, s);
      std::array<float, 4> result{};
      if (is_root()) std::copy_n(&picture.rgba[(20 * 41 + 20) * 4], 4, result.begin());
      MPI_Bcast(result.data(), 4, MPI_FLOAT, 0, MPI_COMM_WORLD);
      return result;
    };
    const auto before = middle_of(9, {}), behind = middle_of(3, {}), cut_away = middle_of(9, {{{0, 0, 1}, 8}});
    EXPECT_GT(before[0], 0.5) << static_cast<int>(how);
    EXPECT_LT(before[1], 0.3);
    EXPECT_GT(behind[1], 0.5);
    EXPECT_LT(behind[0], 0.3);
    EXPECT_GT(cut_away[1], 0.5);
    EXPECT_LT(cut_away[0], 0.3);
    const auto cut_open = middle_of(9, {{{0, 0, 1}, 9}});
    EXPECT_GT(cut_open[0], 0.5);
    EXPECT_EQ(cut_open[3], 1);
    const auto nothing_else = middle_of(3, {{{0, 0, 1}, 4.5}});  // the slab is clipped, the tube is not
    EXPECT_GT(nothing_else[0], 0.5);
  }
}

// Oracle: the contract. Every rank throws an error, and the message states all faults.
TEST(tubes, refuse_impossible_wishes_on_all_ranks) {
  const stage parts(planes(MPI_COMM_WORLD, {7, 8, 8}), bubbles);
  render::scene s = parts.scene();
  s.lines = helices({7, 8, 8});
  s.lines->radius_mm = 0;
  s.lines->transfer.clear();
  s.how = render::method::maximum;
  try {
    render::render(parts.where, s);
    ADD_FAILURE() << "no error";
  } catch (const usage_error& e) {
    const std::string text = e.what();
    for (const char* word : {"lines.radius_mm", "lines.transfer", "maximum and average cannot show lines"})
      EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

}  // namespace streamlines_test
