#include <gtest/gtest.h>

#include <cmath>
#include <osteon/numerics/multigrid/coarsest_heat.hpp>

namespace coarse_direct_test {

using namespace osteon;

// A chain of points. Points exchange heat only with their neighbours. The rows are those of a coarse level.
numerics::coarse_level chain_of(const std::vector<float>& conductance) {
  const std::size_t points = conductance.size() + 1;
  numerics::coarse_level level;
  kernel::sparse_rows& k = level.matrix;
  for (std::size_t i = 0; i < points; ++i) {
    double sum = 0;
    const auto add = [&](std::size_t other, float g) {
      k.column.push_back(static_cast<std::int32_t>(other));
      k.conductance.push_back(g);
      sum += static_cast<double>(g);
    };
    if (i > 0) add(i - 1, conductance[i - 1]);
    if (i + 1 < points) add(i + 1, conductance[i]);
    k.begin.push_back(static_cast<std::int32_t>(k.column.size()));
    k.diagonal.push_back(static_cast<float>(sum));
  }
  return level;
}

// Oracle: a value computed by hand. A unit of heat enters at one end of a chain and leaves at the other end. Between two
// points, this heat reduces the temperature by one over the conductance. The conductances differ so much that the rounded
// diagonal of a point loses the smaller conductance. A factorisation of rounded diagonals would have a pivot that is not
// positive.
TEST(coarse_direct, factorises_a_floating_part_whose_diagonals_lose_conductances) {
  const float weak = std::ldexp(1.0F, -26);
  const std::vector<float> conductance{1, weak, 3, weak, 1, weak, 2};
  const numerics::coarse_level level = chain_of(conductance);
  numerics::level_geometry geometry;
  geometry.places.resize(conductance.size() + 1);
  const numerics::coarse_direct direct(level, geometry);
  std::vector<float> heat(conductance.size() + 1), temperature(heat.size());
  heat.front() = 1, heat.back() = -1;
  direct.solve(heat.data(), temperature.data());
  for (std::size_t i = 0; i < conductance.size(); ++i) {
    const double fall = static_cast<double>(temperature[i]) - static_cast<double>(temperature[i + 1]);
    EXPECT_NEAR(fall, 1 / static_cast<double>(conductance[i]), 1e-6 / static_cast<double>(weak)) << i;
  }
}

}  // namespace coarse_direct_test
