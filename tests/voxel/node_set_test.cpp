#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <osteon/voxel/node_set.hpp>
#include <voxel/random_image.hpp>

namespace node_set_test {

using namespace osteon;
using namespace osteon::voxel;

constexpr index3 domain{7, 5, 6};
constexpr vector3 spacing{0.5, 0.3, 0.2}, origin{1, 2, 3};

/// The upper part of a random scan.
struct block {
  std::vector<material_number> data = random_image(domain, 0.5, 3);
  index3 begin{2, 0, 0};
  run_set cells = active_cells({data.data() + begin.z * domain.y * domain.x, domain - begin});
  run_set nodes = corner_nodes(cells);
  node_grid grid{&cells, &nodes, begin, spacing, origin};

  /// The nodes whose position satisfies `inside`, found by testing every place.
  std::vector<std::int32_t> reference(const std::function<bool(const vector3&)>& inside) const {
    std::vector<std::int32_t> found;
    for (std::int64_t z = begin.z; z <= domain.z; ++z)
      for (std::int64_t y = 0; y <= domain.y; ++y)
        for (std::int64_t x = 0; x <= domain.x; ++x)
          if (const std::int32_t node = nodes.find(z - begin.z, y, x);
              node >= 0 &&
              inside({1 + 0.5 * static_cast<double>(z), 2 + 0.3 * static_cast<double>(y), 3 + 0.2 * static_cast<double>(x)}))
            found.push_back(node);
    return found;
  }
};

// Oracle: the definition of each region, at every node of a dense scan. Limits are between nodes, or on nodes.
TEST(node_set, regions_hold_the_nodes_inside_them) {
  const block b;
  const double rounding = 1e-9;
  const auto slab_nodes = nodes_in(b.grid, slab{axis::y, 2.6, 3.05});
  EXPECT_EQ(slab_nodes, b.reference([&](const vector3& p) { return p.y > 2.6 - rounding && p.y < 3.05; }));
  EXPECT_FALSE(slab_nodes.empty());
  EXPECT_EQ(nodes_in(b.grid, cuboid{{2.5, 2.1, 3.2}, {4.1, 3.2, 3.9}}), b.reference([&](const vector3& p) {
    return p.z > 2.5 - rounding && p.z < 4.1 && p.y > 2.1 && p.y < 3.2 + rounding && p.x > 3.2 - rounding && p.x < 3.9;
  }));
  const auto round = nodes_in(b.grid, disk{{3.0, 2.7, 3.6}, {0, 3, 4}, 0.55, 0.4});
  EXPECT_EQ(round, b.reference([&](const vector3& p) {
    const double z = p.z - 3.0, y = p.y - 2.7, x = p.x - 3.6, height = 0.6 * y + 0.8 * x;
    return std::abs(height) < 0.2 + rounding && z * z + y * y + x * x - height * height < 0.55 * 0.55 + rounding;
  }));
  EXPECT_FALSE(round.empty());
}

// Oracle: the shortest distance to finely spaced points of the line, at every node of a dense scan. For one point, the
// region is a ball.
TEST(node_set, a_stroke_holds_the_nodes_near_its_line) {
  const block b;
  const double radius = 0.36;
  const std::vector<vector3> line{{2.1, 2.2, 3.3}, {3.4, 2.9, 3.5}, {3.4, 2.9, 3.5}, {3.0, 3.3, 4.1}};
  const auto near = [&](const vector3& p, const vector3& q) {
    return (p.z - q.z) * (p.z - q.z) + (p.y - q.y) * (p.y - q.y) + (p.x - q.x) * (p.x - q.x) <= radius * radius;
  };
  const auto found = nodes_in(b.grid, stroke{line, radius});
  EXPECT_EQ(found, b.reference([&](const vector3& p) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      for (int n = 0; n <= 2000; ++n) {
        const double t = n / 2000.0;
        const vector3 q{line[i].z + t * (line[i + 1].z - line[i].z), line[i].y + t * (line[i + 1].y - line[i].y),
                        line[i].x + t * (line[i + 1].x - line[i].x)};
        if (near(p, q)) return true;
      }
    return false;
  }));
  EXPECT_FALSE(found.empty());
  const vector3 centre{3.0, 2.7, 3.6};
  const auto ball = nodes_in(b.grid, stroke{{centre}, radius});
  EXPECT_EQ(ball, b.reference([&](const vector3& p) { return near(p, centre); }));
  EXPECT_FALSE(ball.empty());
  EXPECT_TRUE(nodes_in(b.grid, stroke{{}, radius}).empty());
}

// Oracle: the eight places around each node, in the image.
TEST(node_set, counts_the_voxels_that_meet_in_a_node) {
  const block b;
  const auto count = voxels_at_nodes(b.grid);
  for_each_node(b.grid, [&](std::int32_t node, index3 at) {
    int expected = 0;
    for (int c = 0; c < 8; ++c) {
      const index3 v = at - b.begin - index3{c / 4, c / 2 % 2, c % 2};
      expected += b.cells.find(v.z, v.y, v.x) >= 0;
    }
    EXPECT_EQ(count[static_cast<std::size_t>(node)], static_cast<float>(expected));
    EXPECT_EQ(b.grid.place(node), at);
  });
}

// Oracle: the divergence theorem. The outward areas of a closed surface add up to zero, and their moments add up to the
// volume.
TEST(node_set, areas_enclose_the_volume) {
  const block b;
  const auto area = face_areas(b.grid, std::vector<bool>(static_cast<std::size_t>(b.nodes.size()), true));
  double sum[3] = {}, moment = 0;
  for_each_node(b.grid, [&](std::int32_t node, index3 at) {
    for (int a = 0; a < 3; ++a) {
      const double part = area[static_cast<std::size_t>(3 * node + a)];
      sum[a] += part;
      moment += b.grid.position_mm(at)[a] * part / 3;
    }
  });
  for (const double s : sum) EXPECT_NEAR(s, 0, 1e-12);
  EXPECT_NEAR(moment, b.cells.size() * spacing.z * spacing.y * spacing.x, 1e-11);
}

// Oracle: the area of the top. A corner of the top has a quarter of a face.
TEST(node_set, areas_of_a_flat_set_leave_its_sides_out) {
  const std::vector<material_number> data(8, 1);
  const run_set cells = active_cells({data.data(), {2, 2, 2}}), nodes = corner_nodes(cells);
  const node_grid grid{&cells, &nodes, {}, {1, 2, 3}, {}};
  std::vector<bool> top(27);
  for (std::size_t i = 18; i < 27; ++i) top[i] = true;
  const auto area = face_areas(grid, top);
  for (std::size_t i = 0; i < 27; ++i) {
    const std::size_t y = i / 3 % 3, x = i % 3;
    EXPECT_EQ(area[3 * i], i < 18 ? 0 : 6.0 / 4 * (y == 1 ? 2 : 1) * (x == 1 ? 2 : 1));
    EXPECT_EQ(area[3 * i + 1], 0);
    EXPECT_EQ(area[3 * i + 2], 0);
  }
}

// Oracle: all distances.
TEST(node_set, finds_the_nearest_node) {
  const block b;
  for (const vector3 point : {vector3{3.1, 2.2, 3.3}, vector3{-4, 9, 3}, vector3{2.5, 2.6, 3.6}}) {
    const near_node near = nearest_node(b.grid, point);
    const auto distance = [&](const vector3& p) { return std::hypot(p.z - point.z, p.y - point.y, p.x - point.x); };
    EXPECT_NEAR(near.distance_mm, distance(b.grid.position_mm(b.grid.place(near.node))), 1e-12);
    EXPECT_TRUE(b.reference([&](const vector3& p) { return distance(p) < near.distance_mm - 1e-9; }).empty());
  }
}

}  // namespace node_set_test
