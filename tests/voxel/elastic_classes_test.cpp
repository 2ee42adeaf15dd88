#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/voxel/elastic_classes.hpp>
#include <random>

namespace elastic_classes_test {

using namespace osteon::voxel;

// Sorts constants into classes. Returns the largest errors over all voxels.
struct sorted {
  std::vector<elastic_constants> wanted;
  elastic_classes classes;
  double modulus_error = 0, poisson_error = 0;

  explicit sorted(std::vector<elastic_constants> constants) : wanted(std::move(constants)) {
    classes = sort_into_materials([&](const auto& body) { std::for_each(wanted.begin(), wanted.end(), body); });
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const material& m = classes.materials.at(classes.number(wanted[i]));
      modulus_error = std::max(modulus_error, std::abs(m.youngs_modulus_MPa / wanted[i].youngs_modulus_MPa - 1));
      poisson_error = std::max(poisson_error, std::abs(m.poisson_ratio - wanted[i].poisson_ratio));
    }
  }
};

// Oracle: the constants themselves.
TEST(elastic_classes, keep_up_to_4096_pairs_as_they_are) {
  std::vector<elastic_constants> constants;
  for (int i = 0; i < 10000; ++i)
    constants.push_back({std::pow(10, i / 16 % 256 * 0.03 - 6) / 3, 0.49 - 0.09 * (i % 16)});  // 256 x 16 = 4096 pairs
  const sorted s(constants);
  EXPECT_EQ(s.classes.materials.size(), 4097u);
  EXPECT_EQ(s.modulus_error, 0);
  EXPECT_EQ(s.poisson_error, 0);
  EXPECT_EQ(s.classes.modulus_error, 0);
  EXPECT_EQ(s.classes.poisson_error, 0);
}

// Oracle: the bound of classes of equal ratio. This bound is optimal for moduli that are distributed over the whole range.
TEST(elastic_classes, have_the_smallest_error_for_moduli_that_are_everywhere) {
  std::vector<elastic_constants> constants;
  for (int i = 0; i <= 1000000; ++i) constants.push_back({std::pow(10, 1 + 4e-6 * i), 0.3});
  const sorted s(constants);
  const double ratio = std::pow(1e4, 1.0 / 4096), bound = (ratio - 1) / (ratio + 1);
  EXPECT_LE(s.modulus_error, 1.02 * bound);  // the search has a finite grid
  EXPECT_GE(s.modulus_error, 0.98 * bound);
  EXPECT_NEAR(s.classes.modulus_error, s.modulus_error, 1e-12);
  EXPECT_EQ(s.poisson_error, 0);
}

// Oracle: gaps need no classes. Two narrow clusters divide the classes by their widths, up to a bin of the grid of the
// search.
TEST(elastic_classes, are_spent_where_there_are_voxels) {
  std::vector<elastic_constants> constants;
  for (int i = 0; i < 100000; ++i) {
    constants.push_back({100 + 1e-4 * i, 0.3});
    constants.push_back({1e6 + i, 0.3});
  }
  const double widths = 2 * std::log(1.1), bin = std::log(1.1e4) / (64 * 4096);
  EXPECT_LE(sorted(constants).modulus_error, widths / 4096 / 2 + bin / 2);
}

// Invariant: the reported errors bound the errors of all voxels. Constants on a curve need no more classes than constants on
// a line.
TEST(elastic_classes, bound_the_errors_of_both_constants) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> one(0, 1);
  std::vector<elastic_constants> free, curve;
  for (int i = 0; i < 50000; ++i) {
    free.push_back({std::pow(10, 2 + 2 * one(generator)), 0.2 + 0.2 * one(generator)});
    const double density = one(generator);
    curve.push_back({100 + 9900 * density * density, 0.4 - 0.2 * density});
  }
  const sorted f(free), c(curve);
  for (const sorted* s : {&f, &c}) {
    EXPECT_LE(s->classes.materials.size(), 4097u);
    EXPECT_NEAR(s->classes.modulus_error, s->modulus_error, 1e-12);
    EXPECT_NEAR(s->classes.poisson_error, s->poisson_error, 1e-12);
  }
  EXPECT_LT(std::max(f.modulus_error, f.poisson_error), 0.015);
  EXPECT_LT(std::max(c.modulus_error, c.poisson_error), 0.004);
}

// Oracle: determined by hand. Properties that voxels have in common may be given once or repeatedly.
TEST(elastic_classes, are_numbered_by_their_moduli_from_1) {
  const elastic_classes classes = sort_into_materials([](const auto& body) {
    for (const double e : {3, 1, 3}) body(elastic_constants{e, 0.1});
  });
  EXPECT_EQ(classes.number({1, 0.1}), 1);
  EXPECT_EQ(classes.number({3, 0.1}), 2);
  ASSERT_EQ(classes.materials.size(), 3u);
  EXPECT_EQ(classes.materials[2].youngs_modulus_MPa, 3);
}

}  // namespace elastic_classes_test
