#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <osteon/job/estimate/plans_at_scale.hpp>
#include <osteon/plan/verify.hpp>
#include <string>

namespace levels_at_scale_test {

using namespace osteon;
using namespace osteon::job;

spec elastic_job() {
  std::vector<problem> faults;
  spec job = read_spec_text(R"(
name = "struts"
physics = "elasticity"
[image]
path = "struts.npy"
spacing_mm = 0.01
[segment]
threshold = 1
[[material]]
name = "bone"
youngs_modulus_MPa = 1000
poisson_ratio = 0.3
[load]
test = "axial_bonded"
axis = "z"
strain = -0.01
)",
                            "struts.toml", faults);
  EXPECT_TRUE(faults.empty()) << join(faults);
  return job;
}

/// Thin struts along z that are near one another. On coarse levels of cubes, the struts are one solid.
plan_image struts(std::int64_t n, const plan_limits& limits, thinning how) {
  voxel::model_header header;
  header.shape = {n, n, n};
  header.spacing_mm = {0.01, 0.01, 0.01};
  header.materials = {{}, {"bone", 1000, 0.3, 1}};
  header.provenance_json = "{}";
  std::vector<material_number> image;
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t y = 0; y < n; ++y)
      for (std::int64_t x = 0; x < n; ++x)
        image.push_back((y % 3 == 1 && x % 3 == 1) || z == 0 || z + 1 == n ? material_number{1} : material_number{0});
  for (std::int64_t z = 0; z < n; ++z)
    header.active_per_plane.push_back(
        std::count(image.begin() + z * n * n, image.begin() + (z + 1) * n * n, material_number{1}));
  return image_for_plans(header, std::move(image), limits, how);
}

std::map<std::string, std::int64_t> runs_of_iteration(const job_plans& plans) {
  std::map<std::string, std::int64_t> runs;
  for (const job_part& part : plans.parts)
    if (is_iteration(part))
      for (const comm::plan_traffic& p : part.plans) {
        EXPECT_TRUE(plan::verify(p.what).empty()) << p.plan;
        runs[p.plan] = p.runs;
      }
  return runs;
}

// Oracle: the plans of the image itself. Cubes unite the struts, so that the plans would have fewer levels.
TEST(levels_at_scale, a_thinned_image_has_the_visits_of_the_whole_image) {
  const spec job = elastic_job();
  const plan_image whole = struts(60, {}, thinning::to_a_level),
                   thinned = struts(60, {.most_voxels = 30000}, thinning::to_a_level);
  ASSERT_EQ(whole.stands_for.missing_levels, 0);
  ASSERT_GT(thinned.stands_for.missing_levels, 0);
  const plan_limits limits;
  const auto expected = runs_of_iteration(plans_at_scale(job, whole, 3, limits)),
             found = runs_of_iteration(plans_at_scale(job, thinned, 3, limits));
  EXPECT_EQ(std::ssize(whole.stands_for.nodes_of_levels), std::count_if(expected.begin(), expected.end(), [](const auto& p) {
              return p.first.starts_with("nodes of level") && p.first.ends_with("12 B");
            }));
  for (const auto& [name, runs] : expected)
    if (name.starts_with("nodes of level") || name.starts_with("coarsest level")) {
      EXPECT_EQ(found.contains(name) ? found.at(name) : 0, runs) << name;
    }
}

// Oracle: the verifier, and the rule. Levels with few nodes are on few ranks, and only these ranks exchange data with rank
// 0.
TEST(levels_at_scale, small_levels_are_on_few_of_many_ranks) {
  const spec job = elastic_job();
  const plan_limits limits{.most_voxels = 30000, .most_ranks = 16};
  const plan_image image = struts(60, limits, thinning::to_a_level);
  const job_plans plans = plans_at_scale(job, image, 4096, limits);
  const auto runs = runs_of_iteration(plans);
  const auto places = place_levels(image.levels(), 4096);
  EXPECT_EQ(places.front().holders, (std::vector<int>{4096}));
  EXPECT_LE(places.back().holders.back(), 8);
  std::int64_t of_root = 0;
  for (const job_part& part : plans.parts)
    if (is_iteration(part))
      for (const comm::plan_traffic& p : part.plans)
        if (p.plan.starts_with("coarsest"))
          of_root += std::ssize(p.what.of(0, 0).sends) + std::ssize(p.what.of(0, 0).receives);
  EXPECT_LE(of_root, 2 * 7);
  for (std::size_t l = 1; l < places.size(); ++l)
    for (std::size_t m = 0; m + 1 < places[l].holders.size(); ++m) {
      const std::string name =
          "level " + std::to_string(l) + " to " + std::to_string(places[l].holders[m + 1]) + " ranks, 16 B";
      EXPECT_TRUE(runs.contains(name)) << name;
    }
}

// Oracle: determined by hand.
TEST(levels_at_scale, names_have_a_level) {
  EXPECT_EQ(level_of_plan("nodes of level 3, 12 B"), 3);
  EXPECT_EQ(level_of_plan("level 12 to 8 ranks, 16 B"), 12);
  EXPECT_EQ(level_of_plan("nodes of level 3: ids, 8 B"), 3);
  EXPECT_EQ(level_of_plan("reductions, 8 B"), -1);
  EXPECT_EQ(usual_nodes_of_levels(37.5e6).size(), 7U);
}

// Oracle: determined by hand. The exchanges of the set-up and of the finest level are not replaced.
TEST(levels_at_scale, placed_plans_are_those_of_coarse_levels) {
  for (const char* plan : {"nodes of level 3, 12 B", "level 2 to 8 ranks, 16 B", "coarsest level to rank 0, 16 B",
                           "coarsest level from rank 0, 16 B", "coarsest level to all its ranks, 16 B"})
    EXPECT_TRUE(is_placed(plan)) << plan;
  for (const char* plan : {"nodes of level 0, 12 B", "nodes of level 3: ids, 8 B", "reductions, 8 B"})
    EXPECT_FALSE(is_placed(plan)) << plan;
}

// Oracle: an image without a model has the sizes of the levels, with or without thinning. The rule requires these sizes.
TEST(levels_at_scale, an_image_without_a_model_has_levels) {
  for (const std::int64_t most_voxels : {std::int64_t{1} << 21, std::int64_t{30000}})
    EXPECT_GT(made_up_image({60, 60, 60}, 0.3, {.most_voxels = most_voxels}, thinning::to_a_level).levels().last(), 1);
}

}  // namespace levels_at_scale_test
