#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/job/variants/uncertainty.hpp>

namespace uncertainty_test {

using namespace osteon;
using json = nlohmann::ordered_json;

// Oracle: a value whose error is exactly c h^p.
TEST(extrapolation, finds_order_and_limit) {
  for (const double order : {0.6, 1.0, 2.0, 2.4}) {
    const auto at = [&](double h) { return 7 + 0.3 * std::pow(h, order); };
    const job::extrapolation e = job::extrapolate(at(1), at(2), at(4));
    ASSERT_TRUE(e.order && e.value) << order;
    EXPECT_NEAR(*e.order, order, 1e-9);
    EXPECT_NEAR(*e.value, 7, 1e-9);
    EXPECT_NEAR(e.difference, 0.3, 1e-9);
  }
}

// Oracle: determined by hand. The tested values have an order of 3, oscillate, increase evenly (order 0), or are constant.
TEST(extrapolation, is_refused_without_an_order) {
  const std::array<std::array<double, 4>, 4> all{
      {{1, 1.1, 1.9, 0.1}, {1, 1.1, 1.05, 0.1}, {1, 1.2, 1.4, 0.2}, {1, 1, 1, 0}}};
  for (const auto& [one, two, four, difference] : all) {
    const job::extrapolation e = job::extrapolate(one, two, four);
    EXPECT_FALSE(e.order || e.value) << two;
    EXPECT_NEAR(e.difference, difference, 1e-12);
  }
}

// Oracle: computed by hand. The stiffness is 100. For thresholds, the stiffness is 90 and 104. For voxels 2 and 4 times as
// large, the stiffness is 104 and 112 (order 1, limit 96). The results for noise could not be computed.
TEST(uncertainty, is_reported_with_two_digits_each) {
  job::spec spec;
  spec.physics = "elasticity";
  spec.uncertainty.emplace();
  spec.uncertainty->threshold_sd = 5;
  spec.uncertainty->voxel_size = true;
  spec.uncertainty->noise_sd = 2;
  const auto images = job::changed_images(spec, 40.0);
  ASSERT_EQ(images.size(), 6U);
  EXPECT_EQ(images[0].keys.back(), "segment.threshold=35");
  EXPECT_EQ(images[3].keys.back(), "image.coarsen=4");
  const auto of = [](double stiffness) { return json{{"stiffness_N_per_mm", stiffness}}; };
  const std::vector<json> computed{of(90), of(104), of(104), of(112), nullptr, nullptr};
  const json told = job::describe_uncertainty(spec, of(100), images, computed);
  const json& a = told.at("answers").at(0);
  EXPECT_NEAR(a.at("threshold").get<double>(), std::sqrt((100 + 16) / 2.0), 1e-12);
  EXPECT_NEAR(a.at("extrapolated").get<double>(), 96, 1e-12);
  EXPECT_NEAR(a.at("total").get<double>(), std::sqrt(58.0 + 16), 1e-12);
  EXPECT_NEAR(a.at("low").get<double>(), 100 - 2 * std::sqrt(58.0 + 16), 1e-12);
  EXPECT_NEAR(a.at("high").get<double>(), 100 + 2 * std::sqrt(58.0 + 16), 1e-12);
  EXPECT_EQ(told.at("coverage_factor"), 2);
  EXPECT_TRUE(a.at("noise").is_null());
  EXPECT_EQ(told.at("words").at(0),
            "stiffness 100.0 ± 7.6 (threshold) ± 4.0 (voxel size) ± ? (noise) N/mm: 82.8 to 117.2 (k = 2); 96.0 N/mm at "
            "voxel size zero (order 1)");
}

}  // namespace uncertainty_test
