#include <gtest/gtest.h>

#include <cmath>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <random>

namespace hex8_test {

using namespace osteon;

const vector3 spacing{0.7, 1.1, 1.3};
const std::vector<kernel::lame> materials{{}, kernel::lame_of(10, 0.3), kernel::lame_of(3, -0.2), kernel::lame_of(25, 0.45)};

// A row of runs in a plane of bricks. The nodes are numbered row by row, as in a dense plane of `width` nodes.
struct plane_case {
  std::vector<kernel::hex8_run> runs;
  std::vector<material_number> material;
  std::int32_t nodes = 0, node_end[2] = {};
};

plane_case make_plane(const std::vector<std::vector<material_number>>& rows) {
  plane_case result;
  const auto width = static_cast<std::int32_t>(rows[0].size()) + 1;
  const auto height = static_cast<std::int32_t>(rows.size()) + 1;
  result.nodes = 2 * height * width;
  result.node_end[0] = height * width;
  result.node_end[1] = result.nodes;
  for (std::int32_t y = 0; y + 1 < height; ++y) {
    const auto& row = rows[static_cast<std::size_t>(y)];
    for (std::int32_t x = 0; x + 1 < width;) {
      if (row[static_cast<std::size_t>(x)] == 0) {
        ++x;
        continue;
      }
      const std::int32_t begin = x, node = y * width + x;
      const auto cell = static_cast<std::int32_t>(result.material.size());
      while (x + 1 < width && row[static_cast<std::size_t>(x)] != 0)
        result.material.push_back(row[static_cast<std::size_t>(x++)]);
      result.runs.push_back({{node, node + width, node + height * width, node + (height + 1) * width},
                             cell,
                             x - begin,
                             kernel::common_material(&result.material[static_cast<std::size_t>(cell)], x - begin)});
    }
  }
  return result;
}

std::vector<double> by_matrix(const plane_case& plane, const std::vector<kernel::lame>& table, const std::vector<double>& x,
                              std::int64_t stride) {
  std::vector<double> y(x.size());
  for (const auto& run : plane.runs)
    for (std::int32_t e = 0; e < run.length; ++e) {
      const auto k = kernel::element_stiffness(spacing, table[plane.material[static_cast<std::size_t>(run.cell + e)]]);
      const auto at = [&](int dof) {
        return static_cast<std::size_t>(dof % 3 * stride + run.node[dof / 6] + (dof / 3 & 1) + e);
      };
      for (int i = 0; i < 24; ++i)
        for (int j = 0; j < 24; ++j) y[at(i)] += k[static_cast<std::size_t>(24 * i + j)] * x[at(j)];
    }
  return y;
}

template <class T>
double relative_error(const plane_case& plane, const std::vector<kernel::lame>& table = materials) {
  const std::int64_t stride = plane.nodes + kernel::hex8_padding;
  std::vector<double> x(static_cast<std::size_t>(3 * stride));
  std::mt19937 random(7);
  for (double& value : x) value = static_cast<float>(std::uniform_real_distribution<>(-1, 1)(random));
  const std::vector<T> xt(x.begin(), x.end());
  std::vector<T> yt(x.size());
  const kernel::hex8_stiffness<T> stiffness(spacing, table);
  stiffness.add_product({plane.runs, {plane.node_end[0], plane.node_end[1]}}, plane.material.data(), xt.data(), yt.data(),
                        stride);
  const auto expected = by_matrix(plane, table, x, stride);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(yt[i]) - expected[i]));
    size = std::max(size, std::abs(expected[i]));
  }
  return error / size;
}

std::vector<std::vector<material_number>> random_rows(int height, int width, int labels, double fill) {
  std::mt19937 random(11);
  std::vector<std::vector<material_number>> rows(static_cast<std::size_t>(height),
                                                 std::vector<material_number>(static_cast<std::size_t>(width)));
  for (auto& row : rows)
    for (auto& value : row)
      value = std::uniform_real_distribution<>(0, 1)(random) < fill
                  ? static_cast<material_number>(1 + random() % static_cast<unsigned>(labels))
                  : 0;
  return rows;
}

// Oracle: the element matrix by Gauss quadrature.
TEST(hex8, equals_the_element_matrix_for_runs_of_every_length) {
  for (int length = 1; length <= 35; ++length) {
    const auto plane = make_plane({std::vector<material_number>(static_cast<std::size_t>(length), 1)});
    EXPECT_LT(relative_error<double>(plane), 1e-13) << length;
    EXPECT_LT(relative_error<float>(plane), 1e-5) << length;
  }
}

// Oracle: the element matrix by Gauss quadrature. Values in the lanes behind a run must not affect its neighbours.
TEST(hex8, equals_the_element_matrix_for_runs_one_voxel_apart) {
  for (std::size_t length = 1; length <= 17; ++length) {
    std::vector<material_number> row(2 * length + 4, 1);
    row[length] = row[length + 2] = 0;  // a run, a single voxel, and a run
    std::vector<material_number> mixed = row;
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = static_cast<material_number>(mixed[i] * (1 + i % 3));
    const auto plane = make_plane({row, mixed, {row.rbegin(), row.rend()}});
    EXPECT_LT(relative_error<double>(plane), 1e-13) << length;
    EXPECT_LT(relative_error<float>(plane), 1e-5) << length;
  }
}

// Oracle: the element matrix by Gauss quadrature.
TEST(hex8, equals_the_element_matrix_for_random_runs_of_one_and_of_mixed_materials) {
  for (const int labels : {1, 3})
    for (const double fill : {0.3, 0.6, 0.9}) {
      const auto plane = make_plane(random_rows(12, 41, labels, fill));
      EXPECT_LT(relative_error<double>(plane), 1e-13) << labels << " " << fill;
      EXPECT_LT(relative_error<float>(plane), 1e-5) << labels << " " << fill;
    }
}

// Oracle: the element matrix by Gauss quadrature. There are hundreds of materials, more than the table contains. Some runs
// have one material, and some have several.
TEST(hex8, equals_the_element_matrix_for_hundreds_of_materials) {
  std::vector<kernel::lame> many{{}};
  for (int m = 1; m <= 700; ++m) many.push_back(kernel::lame_of(1 + 0.01 * m, 0.45 - 0.001 * m));
  auto rows = random_rows(6, 41, 700, 0.8);
  for (std::size_t y = 0; y < 4; ++y)
    rows.push_back(std::vector<material_number>(9 + y, static_cast<material_number>(254 + 3 * y)));
  for (auto& row : rows) row.resize(41);
  const auto plane = make_plane(rows);
  EXPECT_LT(relative_error<double>(plane, many), 1e-13);
  EXPECT_LT(relative_error<float>(plane, many), 1e-5);
}

// Oracle: determined by hand. A row of the matrix is the response to a unit displacement.
TEST(hex8, knows_its_diagonal) {
  const kernel::hex8_stiffness<double> stiffness(spacing, materials);
  for (material_number m = 1; m < 4; ++m) {
    const auto k = kernel::element_stiffness(spacing, materials[m]);
    for (int dof = 0; dof < 24; ++dof)
      EXPECT_NEAR(stiffness.diagonal(m, dof % 3), k[static_cast<std::size_t>(25 * dof)], 1e-13 * k[0]);
  }
}

// Oracle: an invariant. Translations and small rotations of a body produce no force.
TEST(hex8, has_six_rigid_motions_without_force) {
  const auto k = kernel::element_stiffness(spacing, materials[1]);
  for (int mode = 0; mode < 6; ++mode) {
    double u[24];
    for (int a = 0; a < 8; ++a) {
      const double at[3] = {(a >> 2) * spacing.z, (a >> 1 & 1) * spacing.y, (a & 1) * spacing.x};
      for (int c = 0; c < 3; ++c) {
        const int about = mode - 3, next = (about + 1) % 3, last = (about + 2) % 3;
        u[3 * a + c] = mode < 3 ? (c == mode) : c == next ? at[last] : c == last ? -at[next] : 0;
      }
    }
    for (int i = 0; i < 24; ++i) {
      double force = 0;
      for (int j = 0; j < 24; ++j) force += k[static_cast<std::size_t>(24 * i + j)] * u[j];
      EXPECT_NEAR(force, 0, 1e-13 * k[0]) << mode;
    }
  }
}

}  // namespace hex8_test
