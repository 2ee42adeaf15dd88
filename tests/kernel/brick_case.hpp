#pragma once
/// @file
/// A small solid in the representation of the kernels, and its stiffness by the plain element matrix.
#include <osteon/kernel/elasticity/hex8.hpp>
#include <osteon/numerics/operators/list_bricks.hpp>
#include <random>
#include <vector>

namespace osteon::test {

inline const vector3 spacing_mm{0.7, 1.1, 1.3};
inline const std::vector<kernel::lame> materials{
    {}, kernel::lame_of(10, 0.3), kernel::lame_of(3, -0.2), kernel::lame_of(25, 0.45)};

struct brick_case {
  voxel::run_set cells, nodes;
  std::vector<material_number> material;
  numerics::brick_lists lists;
  std::int64_t stride = 0;

  kernel::hex8_bricks bricks() const { return lists.view(material.data()); }
};

/// @param image material numbers of shape (z, y, x); the number 0 is empty space
inline brick_case make_case(index3 shape, const std::vector<material_number>& image) {
  brick_case made;
  made.cells = voxel::active_cells({image.data(), shape});
  made.nodes = voxel::corner_nodes(made.cells);
  made.material = voxel::gather(made.cells, {image.data(), shape});
  made.lists = numerics::list_bricks(made.cells, made.nodes, made.material);
  made.stride = made.nodes.size() + kernel::hex8_padding;
  return made;
}

/// Labels 1 .. labels with probability `fill`, and otherwise empty space.
inline std::vector<material_number> random_labels(index3 shape, int labels, double fill) {
  std::mt19937 random(11);
  std::vector<material_number> image(static_cast<std::size_t>(shape.volume()));
  for (auto& value : image)
    if (std::uniform_real_distribution<>(0, 1)(random) < fill)
      value = static_cast<material_number>(1 + random() % static_cast<unsigned>(labels));
  return image;
}

/// Numbers in [-1, 1] that are exact in float.
inline std::vector<double> random_vector(std::size_t size) {
  std::mt19937 random(7);
  std::vector<double> x(size);
  for (double& value : x) value = static_cast<float>(std::uniform_real_distribution<>(-1, 1)(random));
  return x;
}

/// The product K x, computed with the element matrix of each brick.
inline std::vector<double> product_by_matrix(const brick_case& solid, const std::vector<double>& x) {
  std::vector<kernel::matrix24> matrices;
  for (const kernel::lame& m : materials) matrices.push_back(kernel::element_stiffness(spacing_mm, m));
  std::vector<double> y(x.size());
  for (const kernel::hex8_run& run : solid.lists.runs)
    for (std::int32_t e = 0; e < run.length; ++e) {
      const auto& k = matrices[solid.material[static_cast<std::size_t>(run.cell + e)]];
      const auto at = [&](int dof) {
        return static_cast<std::size_t>(dof % 3 * solid.stride + run.node[dof / 6] + (dof / 3 & 1) + e);
      };
      for (int i = 0; i < 24; ++i)
        for (int j = 0; j < 24; ++j) y[at(i)] += k[static_cast<std::size_t>(24 * i + j)] * x[at(j)];
    }
  return y;
}

}  // namespace osteon::test
