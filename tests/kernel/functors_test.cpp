#include <gtest/gtest.h>

#include <cmath>
#include <osteon/kernel/elasticity/hex8_at_node.hpp>
#include <osteon/kernel/heat/conduction_at_cell.hpp>
#include <osteon/kernel/vector_steps.hpp>

#include "brick_case.hpp"
#include "conduction_case.hpp"

namespace functors_test {

using namespace osteon;
using namespace osteon::test;

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, static_cast<double>(std::abs(a[i] - b[i])));
    size = std::max(size, static_cast<double>(std::abs(b[i])));
  }
  return difference / size;
}

template <class T>
double node_functor_against_run_kernel(const brick_case& solid) {
  const auto values = random_vector(static_cast<std::size_t>(3 * solid.stride));
  const std::vector<T> x(values.begin(), values.end());
  std::vector<T> by_node(x.size()), by_run(x.size());
  const auto table = kernel::runs_of_nodes(solid.lists.runs, solid.nodes.size());
  const auto matrices = kernel::element_matrices<T>(spacing_mm, materials);
  for_each(solid.nodes.size(), kernel::hex8_at_node<T>{solid.lists.runs.data(), table.data(), solid.material.data(),
                                                       matrices.data(), x.data(), by_node.data(), solid.stride});
  kernel::hex8_stiffness<T>(spacing_mm, materials).multiply(solid.bricks(), x.data(), by_run.data(), solid.stride);
  return largest_difference(by_node, by_run);
}

// Oracle: the kernel over runs, which is tested against the element matrices.
TEST(functors, stiffness_node_by_node_equals_stiffness_run_by_run) {
  for (const index3 shape : {index3{1, 1, 1}, {3, 1, 20}, {13, 8, 21}})
    for (const double fill : {0.3, 0.7, 1.0}) {
      const auto solid = make_case(shape, random_labels(shape, 3, fill));
      if (solid.material.empty()) continue;
      EXPECT_LT(node_functor_against_run_kernel<double>(solid), 1e-12);
      EXPECT_LT(node_functor_against_run_kernel<float>(solid), 1e-5);
    }
}

// Oracle: the operator over segments, which is tested against a dense matrix.
TEST(functors, conduction_cell_by_cell_equals_conduction_segment_by_segment) {
  const conduction_case box(5, 7, 31);
  const auto k = box.stencil<double>();
  const auto x = random_vector(box.material.size());
  std::vector<double> by_cell(static_cast<std::size_t>(box.cells)), by_segment(by_cell.size());
  const auto rows = kernel::rows_of(box.segments);
  const auto table = kernel::rows_of_cells(box.segments, box.cells);
  const kernel::conduction_at_cell<double> at_cell{rows.data(),
                                                   table.data(),
                                                   box.open.data(),
                                                   box.material.data(),
                                                   k.resistivity.data(),
                                                   k.storage.data(),
                                                   {k.face[0], k.face[1], k.face[2]},
                                                   x.data(),
                                                   by_cell.data()};
  for_each(box.cells - 1, [&](std::int64_t i) { at_cell(i + 1); });
  kernel::for_each_flux(k, x.data(), [&](std::int32_t i, double flux) { by_segment[static_cast<std::size_t>(i)] = flux; });
  EXPECT_LT(largest_difference(by_cell, by_segment), 1e-13);
}

// Oracle: analytic solution. After m steps, the residual of eigenvalue s is W_m(1 - 2 s / largest) / (2 m + 1) of the
// initial residual, with W_m(cos a) = sin((m + 1/2) a) / sin(a / 2).
TEST(functors, chebyshev_steps_follow_the_polynomial_of_the_fourth_kind) {
  constexpr int modes = 50, steps = 4;
  constexpr double largest = 3;
  std::vector<double> eigenvalue(modes), inverse(modes, 1), r(modes, 1), d(modes), x(modes, 0.5), product(modes);
  for (int i = 0; i < modes; ++i) eigenvalue[static_cast<std::size_t>(i)] = largest * (i + 0.5) / modes;
  const auto apply = [&] {
    for (std::size_t i = 0; i < modes; ++i) product[i] = eigenvalue[i] * d[i];
  };
  for_each(modes, kernel::chebyshev_first<double>{inverse.data(), r.data(), d.data(), x.data(), 4 / (3 * largest), true});
  for (int k = 1; k < steps; ++k) {
    apply();
    for_each(modes, kernel::chebyshev_next<double>{inverse.data(), product.data(), r.data(), d.data(), x.data(),
                                                   (2.0 * k - 1) / (2 * k + 3), (8.0 * k + 4) / ((2 * k + 3) * largest)});
  }
  apply();
  for_each(modes, kernel::add_scaled<double>{-1, product.data(), r.data()});
  for (std::size_t i = 0; i < modes; ++i) {
    const double angle = std::acos(1 - 2 * eigenvalue[i] / largest);
    EXPECT_NEAR(r[i], std::sin((steps + 0.5) * angle) / std::sin(angle / 2) / (2 * steps + 1), 1e-13);
    EXPECT_NEAR(1 - eigenvalue[i] * x[i], r[i], 1e-13);
  }
}

// Oracle: values computed by hand.
TEST(functors, the_next_direction_is_a_sum) {
  const std::vector<float> z{1, 2};
  std::vector<double> p{10, 100};
  for_each(2, kernel::next_direction<double, float>{3, 0.5, z.data(), p.data()});
  EXPECT_EQ(p, (std::vector<double>{8, 56}));
}

// Oracle: analytic solution. The sum of i * 1 over whole numbers is exact in double.
TEST(functors, parts_of_a_dot_product_hold_every_term_once) {
  using dot = kernel::dot_parts<double, float>;
  for (const std::int64_t count : {1, 31, 33, 8191, 8192, 8193, 30000}) {
    std::vector<double> a(static_cast<std::size_t>(count));
    const std::vector<float> b(a.size(), 1);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i + 1);
    std::vector<double> part(static_cast<std::size_t>(dot::parts_of(count)), 1e9);
    for_each(dot::parts_of(count), dot{a.data(), b.data(), count, part.data()});
    double sum = 0;
    for (const double p : part) sum += p;
    EXPECT_EQ(sum, static_cast<double>(count) * static_cast<double>(count + 1) / 2);
  }
}

}  // namespace functors_test
