#include "kernel/conduction_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <osteon/kernel/flow/lattice_relax.hpp>
#include <osteon/kernel/flow/stokes.hpp>
#include <random>

namespace flow_lattice_test {

using namespace osteon;
using namespace osteon::kernel;

// A box with a number of a diagonal for each cell. If the number is 0, the values of the cell are zero.
struct flow_case {
  osteon::test::conduction_case box{3, 4, 21};
  std::size_t size = box.material.size();
  std::vector<std::uint8_t> number = std::vector<std::uint8_t>(size);
  std::array<float, 64> diagonal{}, inverse{};
  velocity_lattice lattice;
  std::mt19937 random{7};

  flow_case() {
    box.split(10);
    lattice.open = box.open.data();
    lattice.weight = {2, 3, 5};
    for (std::size_t n = 1; n < 64; ++n) {
      diagonal[n] = 20 + 0.37F * static_cast<float>(n);
      inverse[n] = 1 / diagonal[n];
    }
    lattice.diagonal = diagonal.data();
    lattice.inverse = inverse.data();
    for (std::size_t i = 1; i < cells(); ++i) number[i] = static_cast<std::uint8_t>(random() % 64);
    lattice.friction = number.data();
  }
  std::size_t cells() const { return static_cast<std::size_t>(box.cells); }
  std::vector<float> noise() {
    std::vector<float> v(size);
    for (std::size_t i = 1; i < cells(); ++i)
      v[i] = number[i] == 0 ? 0 : std::uniform_real_distribution<float>(-1, 1)(random);
    return v;
  }
  // Calls visit(i, j, d) for the neighbours of each cell.
  template <class Visit>
  void visit_neighbours(Visit visit) const {
    for (const conduction_segment& s : box.segments)
      for (std::int32_t n = 0; n < static_cast<std::int32_t>(s.length); ++n)
        for (int d = 0; d < directions; ++d) {
          const std::int32_t i = s.first + n;
          if ((box.open[static_cast<std::size_t>(i)] >> d & 1) == 0) continue;
          visit(static_cast<std::size_t>(i),
                static_cast<std::size_t>(d < 4    ? s.neighbour[static_cast<std::size_t>(d)] + n
                                         : d == 4 ? i - 1
                                                  : i + 1),
                static_cast<std::size_t>(d));
        }
  }
};

// Oracle: the table itself.
TEST(flow_lattice, tables_of_bytes_are_looked_up) {
  byte_table table;
  std::array<std::uint8_t, 72> number{};
  for (std::size_t n = 0; n < 64; ++n) table.value[n] = static_cast<std::uint8_t>(5 * n + 1);
  for (std::size_t n = 0; n < number.size(); ++n) number[n] = static_cast<std::uint8_t>((37 * n + 5) % 64);
  for (std::size_t begin = 0; begin <= 64; ++begin) {
    const auto found = looked_up_bytes<4>(table, &number[begin]);
    for (std::size_t l = 0; l < 8; ++l) EXPECT_EQ(found[l], table.value[number[begin + l]]);
  }
  for (std::uint8_t& n : number) n %= 32;
  const auto found = looked_up_bytes<2>(table, &number[9]);
  for (std::size_t l = 0; l < 8; ++l) EXPECT_EQ(found[l], table.value[number[9 + l]]);
}

// Oracle: the table itself.
TEST(flow_lattice, tables_are_looked_up) {
  std::array<float, 64> table{};
  for (std::size_t n = 0; n < 64; ++n) table[n] = 1 + 0.5F * static_cast<float>(n);
  std::array<std::uint8_t, 72> number{};
  for (std::size_t n = 0; n < number.size(); ++n) number[n] = static_cast<std::uint8_t>((37 * n + 5) % 64);
  for (std::size_t begin = 0; begin <= 64; ++begin) {
    const auto found = looked_up<lanes<float>::vector>(table.data(), &number[begin]);
    for (std::size_t l = 0; l < 8; ++l) EXPECT_EQ(found[l], table[number[begin + l]]);
  }
  EXPECT_EQ(looked_up<float>(table.data(), &number[3]), table[number[3]]);
}

// Oracle: the rows one by one, computed in double precision.
TEST(flow_lattice, residuals_are_those_of_the_rows) {
  flow_case c;
  const auto b = c.noise(), x = c.noise();
  std::vector<double> plain(c.size);
  for (std::size_t i = 1; i < c.cells(); ++i)
    plain[i] = static_cast<double>(b[i]) - static_cast<double>(c.lattice.diagonal[c.number[i]]) * static_cast<double>(x[i]);
  c.visit_neighbours([&](std::size_t i, std::size_t j, std::size_t d) {
    plain[i] += static_cast<double>(c.lattice.weight[d / 2]) * static_cast<double>(x[j]);
  });
  std::vector<float> residual(c.size);
  subtract_product(c.lattice, {c.box.segments, {}}, b.data(), x.data(), 0, residual.data());
  for (std::size_t i = 1; i < c.cells(); ++i) EXPECT_NEAR(residual[i], c.number[i] == 0 ? 0 : plain[i], 1e-4);
}

// Oracle: the adjoint of a forward sweep is the backward sweep. A sweep does not change the solution.
TEST(flow_lattice, sweeps_are_adjoint_and_keep_the_answer) {
  flow_case c;
  const conduction_part all{c.box.segments, {}};
  const auto u = c.noise(), v = c.noise(), x = c.noise();
  const auto dot = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  std::vector<float> forth(c.size), back(c.size), b(c.size);
  relax(c.lattice, all, c.box.cells, c.box.cells, sweep::forth, v.data(), forth.data());
  relax(c.lattice, all, c.box.cells, c.box.cells, sweep::back, u.data(), back.data());
  EXPECT_NEAR(dot(u, forth) / dot(v, back), 1, 1e-4);
  subtract_product(c.lattice, all, std::vector<float>(c.size).data(), x.data(), 0, b.data());
  for (float& value : b) value = -value;
  for (const sweep way : {sweep::forth, sweep::back}) {
    auto same = x;
    relax(c.lattice, all, c.box.cells, c.box.cells, way, b.data(), same.data());
    for (std::size_t i = 1; i < c.cells(); ++i) EXPECT_NEAR(same[i], x[i], 1e-5F);
  }
}

// Oracle: a single component. The results must be bitwise equal.
TEST(flow_lattice, three_components_are_swept_as_one_by_one) {
  flow_case one, two, three;
  std::shuffle(two.number.begin() + 1, two.number.begin() + one.box.cells, two.random);
  const conduction_part all{one.box.segments, {}};
  const std::array lattices{one.lattice, two.lattice, three.lattice};
  std::vector<float> b, x;
  for (flow_case* c : {&one, &two, &three}) {
    const auto right = c->noise(), start = c->noise();
    b.insert(b.end(), right.begin(), right.end());
    x.insert(x.end(), start.begin(), start.end());
  }
  const auto stride = static_cast<std::int64_t>(one.size);
  for (const std::int32_t ghosts : {one.box.cells, 1 + 8 * 21})
    for (const sweep way : {sweep::forth, sweep::back}) {
      auto together = x, single = x;
      relax(lattices, all, ghosts, one.box.cells, way, stride, b.data(), together.data());
      for (std::int64_t c = 0; c < 3; ++c)
        relax(lattices[static_cast<std::size_t>(c)], all, ghosts, one.box.cells, way, b.data() + c * stride,
              single.data() + c * stride);
      EXPECT_EQ(together, single);
    }
}

// Oracle: the differences cell by cell, and the mass of for_each_stokes, which has a separate loop.
TEST(flow_lattice, divergence_is_that_of_the_cells) {
  flow_case c;
  stokes_stencil<float> k;
  k.segments = c.box.segments;
  k.open = c.box.open.data();
  k.friction.fill(c.number.data());
  k.slope = {1.5F, 2.5F, 0.5F};
  k.weight = c.lattice.weight;
  k.diagonal.fill(c.diagonal);
  k.stride = static_cast<std::int64_t>(c.size);
  std::vector<float> u;
  for (int n = 0; n < 4; ++n) {
    const auto own = c.noise();
    u.insert(u.end(), own.begin(), own.end());
  }
  std::vector<double> plain(c.size);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 1; i < c.cells(); ++i)
      plain[i] += static_cast<double>(k.slope[axis]) * static_cast<double>(u[axis * c.size + i]);
  c.visit_neighbours([&](std::size_t i, std::size_t j, std::size_t d) {
    if (d % 2 == 1) plain[i] -= static_cast<double>(k.slope[d / 2]) * static_cast<double>(u[d / 2 * c.size + j]);
  });
  std::vector<float> divergence(c.size), mass(c.size);
  for_each_divergence(k, u.data(), [to = divergence.data()]<class V>(std::int32_t i, V value) { put(to + i, value); });
  for_each_stokes(k, u.data(), {}, [to = mass.data()]<class V>(int component, std::int32_t i, V value) {
    if (component == 3) put(to + i, value);
  });
  for (std::size_t i = 1; i < c.cells(); ++i) {
    EXPECT_NEAR(divergence[i], plain[i], 1e-5);
    EXPECT_NEAR(divergence[i], mass[i], 1e-5F);
  }
}

// Rows of K x - b one by one, computed in double precision.
std::vector<double> plain_product(const flow_case& c, const stokes_stencil<float>& k, const std::vector<float>& x,
                                  const std::array<float, 3>& force) {
  std::vector<double> y(4 * c.size);
  const auto value = [&](std::size_t axis, std::size_t i) { return static_cast<double>(x[axis * c.size + i]); };
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 1; i < c.cells(); ++i) {
      y[axis * c.size + i] =
          static_cast<double>(k.diagonal[axis][k.friction[axis][i]]) * value(axis, i) - static_cast<double>(force[axis]);
      y[3 * c.size + i] += static_cast<double>(k.slope[axis]) * value(axis, i);
    }
  c.visit_neighbours([&](std::size_t i, std::size_t j, std::size_t d) {
    const auto slope = static_cast<double>(k.slope[d / 2]);
    for (std::size_t axis = 0; axis < 3; ++axis)
      y[axis * c.size + i] -= static_cast<double>(k.weight[d / 2]) * value(axis, j);
    if (d % 2 == 1)
      y[3 * c.size + i] -= slope * value(d / 2, j);
    else
      y[d / 2 * c.size + i] += slope * (value(3, i) - value(3, j));
  });
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 1; i < c.cells(); ++i)
      if ((c.box.open[i] >> (2 * axis) & 1) == 0) y[axis * c.size + i] = 0;
  return y;
}

template <class T>
void expect_product(const flow_case& c, const stokes_stencil<float>& rows, const std::vector<float>& x,
                    const std::array<float, 3>& force, const std::vector<double>& plain) {
  stokes_stencil<T> k;
  k.segments = rows.segments;
  k.corners = rows.corners;
  k.open = rows.open;
  k.friction = rows.friction;
  k.stride = rows.stride;
  std::array<T, 3> b{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t n = 0; n < 64; ++n) k.diagonal[axis][n] = static_cast<T>(rows.diagonal[axis][n]);
    k.weight[axis] = static_cast<T>(rows.weight[axis]);
    k.slope[axis] = static_cast<T>(rows.slope[axis]);
    b[axis] = static_cast<T>(force[axis]);
  }
  std::vector<T> y(4 * c.size + conduction_padding);
  for_each_stokes(k, x.data(), b, [to = y.data(), stride = k.stride]<class V>(int component, std::int32_t i, V value) {
    put(to + component * stride + i, value);
  });
  for (std::size_t component = 0; component < 4; ++component)
    for (std::size_t i = 1; i < c.cells(); ++i) {
      const std::size_t at = component * c.size + i;
      EXPECT_NEAR(y[at], plain[at], sizeof(T) == 4 ? 1e-4 : 1e-12) << component << " " << i;
    }
}

// Oracle: the rows one by one, computed in double precision. The test uses cubes with few and with many diagonals, non-cubic
// voxels, and numbers beyond bytes.
TEST(flow_lattice, products_are_those_of_the_rows) {
  flow_case c;
  const flow_case whole = c;
  std::vector<std::uint8_t> low(c.number);
  for (std::uint8_t& n : low) n %= 32;
  stokes_stencil<float> few, many, other, large;
  for (stokes_stencil<float>* k : {&few, &many, &other, &large}) {
    k->segments = whole.box.segments;
    k->open = c.box.open.data();
    k->friction.fill(k == &few ? low.data() : c.number.data());
    k->weight = k->slope = {1, 1, 1};
    k->stride = static_cast<std::int64_t>(c.size);
    for (auto& diagonal : k->diagonal)
      for (std::size_t n = 1; n < (k == &few ? 32U : 64U); ++n) diagonal[n] = static_cast<float>((7 * n + 3) % 12);
  }
  other.weight = {2, 3, 0.5F};
  other.slope = {1.5F, 2.5F, 0.75F};
  large.diagonal[1][17] = 300;
  std::vector<float> x;
  for (int n = 0; n < 4; ++n) {
    const auto own = c.noise();
    x.insert(x.end(), own.begin(), own.end());
  }
  // Two cells of a row become corners. One of these cells is at the beginning of the row, and one is inside the row.
  std::vector<conduction_corner> corners;
  const auto bits = [&](std::int32_t i) { return c.box.open[static_cast<std::size_t>(i)]; };
  auto& segments = c.box.segments;
  for (const std::size_t cut : {0, 3}) {
    conduction_segment& s = segments[cut];
    conduction_corner corner{s.first, {}};
    for (std::size_t d = 0; d < 6; ++d)
      corner.neighbour[d] = (bits(s.first) >> d & 1) == 0 ? s.first : d < 4 ? s.neighbour[d] : s.first + (d == 4 ? -1 : 1);
    corners.push_back(corner);
    ++s.first;
    --s.length;
    for (std::int32_t& j : s.neighbour) ++j;
  }
  for (stokes_stencil<float>* k : {&few, &many, &other, &large})
    for (const std::array<float, 3>& force : {std::array<float, 3>{}, std::array<float, 3>{0.5F, -1, 2}}) {
      const auto plain = plain_product(whole, *k, x, force);
      expect_product<float>(whole, *k, x, force, plain);
      expect_product<double>(whole, *k, x, force, plain);
      stokes_stencil<float> cut = *k;
      cut.segments = segments;
      cut.corners = corners;
      expect_product<float>(whole, cut, x, force, plain);
      expect_product<double>(whole, cut, x, force, plain);
    }
}

}  // namespace flow_lattice_test
