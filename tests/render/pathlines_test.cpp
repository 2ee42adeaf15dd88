#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/render/rays/pathlines.hpp>

#include "grid/sample_bricks.hpp"

namespace pathlines_test {

using namespace osteon;

grid::block planes(MPI_Comm comm, index3 domain) {
  return grid::make_block(comm, domain, std::vector<std::int64_t>(static_cast<std::size_t>(domain.z), 1));
}

template <class F>
render::vector_values field_of(const grid::block& where, F value) {
  render::vector_values result;
  const box3& part = where.owned;
  for (std::int64_t z = part.begin.z; z < part.end.z; ++z)
    for (std::int64_t y = part.begin.y; y < part.end.y; ++y)
      for (std::int64_t x = part.begin.x; x < part.end.x; ++x) {
        const vector3 v =
            value(vector3{static_cast<double>(z) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(x) + 0.5});
        for (std::size_t c = 0; c < 3; ++c) result[c].push_back(static_cast<float>(v[static_cast<int>(c)]));
      }
  return result;
}

// All ranks pass the points of their own voxels in the low face of z.
std::vector<render::release_point> low_face(const grid::block& where, double spread = 0.5) {
  std::vector<render::release_point> points;
  if (where.owned.begin.z > 0) return points;
  for (std::int64_t y = where.owned.begin.y; y < where.owned.end.y; ++y)
    for (std::int64_t x = where.owned.begin.x; x < where.owned.end.x; ++x)
      points.push_back({{0, static_cast<double>(y) + 0.5, static_cast<double>(x) + 0.5},
                        {0, spread, spread},
                        1.0 + static_cast<double>(y % 3),
                        y * where.domain.x + x});
  return points;
}

// Oracle: z = z0 + a (t^2 - t0^2) / 2 and y = y0 + v (t - t0), for any steps. The field is uniform and grows with time.
TEST(pathlines, follow_a_field_that_grows_with_time) {
  const index3 domain{30, 12, 6};
  const grid::block where = planes(MPI_COMM_WORLD, domain);
  const vector3 h{0.5, 0.25, 1};
  const auto field = [&](double t) { return field_of(where, [&](vector3) { return vector3{2 * t, 0.125, 0}; }); };
  render::pathlines paths(where, h, 8, 4);
  paths.begin(0, field(0));
  double now = 0;
  for (const double step : {0.1, 0.4, 0.75, 0.25, 0.5, 1.0, 0.5, 0.5}) {
    now += step;
    std::vector<render::release_point> points = low_face(where);
    // the other points leave before the end
    std::erase_if(points, [](const render::release_point& p) { return p.at.y > 9; });
    paths.advance(now, field(now), points);
  }
  EXPECT_EQ(now, 4);
  const render::streamlines all = paths.paths();
  ASSERT_EQ(all.count(), 8);
  for (std::size_t i = 0; i < all.count(); ++i) {
    const auto line = all.line(i);
    const render::line_vertex first = line.front(), last = line.back();
    EXPECT_NEAR(first.time, 0.5 * static_cast<double>(i), 1e-12);
    EXPECT_EQ(first.at.z, 0);
    for (const render::line_vertex& v : line) {
      // The exit is between two parts of a step. Its time is interpolated linearly.
      EXPECT_NEAR(v.at.z, (v.time * v.time - first.time * first.time) / h.z, v.at.z < 30 ? 1e-5 : 1e-2);
      EXPECT_NEAR(v.at.y, first.at.y + 0.125 * (v.time - first.time) / h.y, 1e-5);
      EXPECT_EQ(v.at.x, first.at.x);
    }
    EXPECT_NEAR(last.time, std::min(4.0, std::sqrt(15 + first.time * first.time)), 1e-3);
    EXPECT_NEAR(last.speed, std::hypot(2 * last.time, 0.125), 1.1);  // the speed at the beginning of the last part
  }
}

// A time-dependent swirl. The voxels of a pillar have no value.
vector3 swirl(vector3 p, double t) {
  if (std::fmod(p.y, 7) < 2 && std::fmod(p.x + 2 * p.y, 9) < 3) return {std::nan(""), std::nan(""), std::nan("")};
  return {1 + 0.3 * std::sin(p.z + p.x + t), 0.8 * std::cos(0.4 * p.x + 2 * t) + 0.01 * p.z, std::sin(0.5 * p.y - t)};
}

render::streamlines paths_of(const grid::block& where, bool is_stopped) {
  render::pathlines paths(where, {1, 1, 1}, 40, 8);
  paths.begin(0, field_of(where, [](vector3 p) { return swirl(p, 0); }));
  std::vector<double> saved;
  for (int n = 1; n <= 20; ++n) {
    const double t = 0.5 * n;
    if (is_stopped && n == 8) {
      saved = paths.saved();
      paths = render::pathlines(where, {1, 1, 1}, 40, 8);
      paths.restore(saved);
      paths.begin(t - 0.5, field_of(where, [&](vector3 p) { return swirl(p, t - 0.5); }));
    }
    paths.advance(t, field_of(where, [&](vector3 p) { return swirl(p, t); }), low_face(where));
  }
  return paths.paths();
}

bool are_equal(const render::streamlines& a, const render::streamlines& b) {
  if (a.first != b.first) return false;
  for (std::size_t i = 0; i < a.vertices.size(); ++i)
    if (a.vertices[i].at != b.vertices[i].at || a.vertices[i].time != b.vertices[i].time ||
        a.vertices[i].speed != b.vertices[i].speed)
      return false;
  return true;
}

// Oracle: one rank, with bitwise equal results. The test uses planes and bricks, and a run that was stopped and resumed.
TEST(pathlines, are_the_same_on_any_ranks_and_after_a_stop) {
  const index3 domain{13, 16, 14};
  const render::streamlines alone = paths_of(planes(MPI_COMM_SELF, domain), false);
  EXPECT_GT(alone.count(), 30);
  for (const bool is_stopped : {false, true}) {
    EXPECT_TRUE(are_equal(paths_of(planes(MPI_COMM_WORLD, domain), is_stopped), alone)) << is_stopped;
    EXPECT_TRUE(are_equal(paths_of(grid::make_block(MPI_COMM_WORLD, sample::bricks(domain, {})), is_stopped), alone))
        << is_stopped;
  }
}

// Oracle: the radius of a circle. The error is of fourth order in the parts of a step, each half a voxel long.
TEST(pathlines, keep_to_a_circle) {
  const index3 domain{40, 40, 2};
  const grid::block where = planes(MPI_COMM_WORLD, domain);
  const auto field = field_of(where, [](vector3 p) { return vector3{p.y - 20, 20 - p.z, 0}; });
  render::pathlines paths(where, {1, 1, 1}, 1, 1);
  std::vector<render::release_point> points;
  if (where.owned.contains({20, 8, 0})) points.push_back({{20, 8, 1}, {}, 1, 0});
  paths.begin(0, field);
  for (int n = 1; n <= 8; ++n) paths.advance(n, field, points);
  const render::streamlines all = paths.paths();
  ASSERT_EQ(all.count(), 1);
  for (const render::line_vertex& v : all.line(0)) EXPECT_NEAR(std::hypot(v.at.z - 20, v.at.y - 20), 12, 1e-5);
  const vector3 end = all.line(0).back().at;
  EXPECT_NEAR(end.z, 20 + 12 * std::sin(-8.0), 1e-4);
  EXPECT_NEAR(end.y, 20 - 12 * std::cos(8.0), 1e-4);
}

// Oracle: invalid input is refused on all ranks.
TEST(pathlines, reject_invalid_input) {
  const grid::block where = planes(MPI_COMM_WORLD, {8, 4, 4});
  EXPECT_THROW(render::pathlines(where, {1, 1, 1}, 0, 1), usage_error);
  render::pathlines three(where, {1, 1, 1}, 3, 1);
  EXPECT_THROW(three.restore(render::pathlines(where, {1, 1, 1}, 4, 1).saved()), data_error);
  EXPECT_THROW(three.restore({}), data_error);
}

}  // namespace pathlines_test
