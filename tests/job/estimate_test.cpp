// Tests for the parts of an estimate. The parts are linear fits of measured runs, networks between ranks, and substitutes
// for plans of many ranks.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <osteon/job/estimate/plans_at_scale.hpp>
#include <osteon/job/plans/message_times.hpp>
#include <osteon/job/stage.hpp>
#include <osteon/job/stage_costs.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/plan/verify.hpp>

namespace osteon::job::estimate_test {

measured_run run_of(double unknowns, double set_up, double solution, double iterations) {
  measured_run run;
  run.voxels = unknowns / 2;
  run.unknowns = unknowns;
  run.set_up = set_up;
  run.solution = solution;
  run.iterations = iterations;
  return run;
}

// Oracle: determined by hand. The parts are those of the run that counted them, for each of its iterations. The file
// contains these parts.
TEST(StageCosts, KnowHowOftenPartsHappen) {
  const measured_run large = run_of(1e6, 3, 30, 10);
  measured_run small = run_of(1e5, 1.2, 2.4, 8);
  small.parts = {{"iteration", 8}, {"restart", 2}};
  const stage_costs costs = costs_of(large, &small);
  EXPECT_EQ(costs.parts, (std::map<std::string, double>{{"iteration", 1}, {"restart", 0.25}}));
  EXPECT_EQ(parse_costs(to_json(costs).dump(), "it").parts, costs.parts);
}

// Oracle: determined by hand. The set-up takes 1 s + 2 us per unknown. An iteration takes 3 us per unknown.
TEST(StageCosts, AreTheLineThroughTwoRuns) {
  const measured_run large = run_of(1e6, 3, 30, 10), small = run_of(1e5, 1.2, 2.4, 8);
  const stage_costs costs = costs_of(large, &small);
  EXPECT_NEAR(costs.set_up.fixed, 1, 1e-12);
  EXPECT_NEAR(costs.set_up.of_unit, 2e-6, 1e-18);
  EXPECT_NEAR(costs.iteration.fixed, 0, 1e-12);
  EXPECT_NEAR(costs.iteration.at(4e6), 12, 1e-9);
  EXPECT_EQ(costs.iterations, 10);
  EXPECT_TRUE(costs.parts.empty());
  // Beyond the larger run, each doubling of the unknowns adds one twelfth, up to a factor of 1.6.
  EXPECT_NEAR(costs.seconds_of_iteration(5e5), 1.5, 1e-9);
  EXPECT_NEAR(costs.seconds_of_iteration(4e6), 12 * (1 + 2.0 / 12), 1e-9);
  EXPECT_NEAR(costs.seconds_of_iteration(1e12), 1.6 * 3e6, 1e-3);
}

// Oracle: determined by hand. A pixel takes 1 us, and 10 ns for each voxel along an edge. The edges have 50 and 100 voxels.
TEST(StageCosts, OfAPictureGrowWithTheEdge) {
  measured_run large = run_of(1e6, 1, 1, 1), small = run_of(1e5, 1, 1, 1);
  large.voxels = 1e6;
  small.voxels = 125000;
  large.pixels = small.pixels = 1000;
  large.picture = 2e-3;
  small.picture = 1.5e-3;
  EXPECT_NEAR(costs_of(large, &small).picture.at(200), 3e-6, 1e-15);
}

// Oracle: a small run that took longer than the large run is ignored. The time of the large run is unchanged.
TEST(StageCosts, NeverFallWithTheSize) {
  const measured_run large = run_of(1e6, 3, 30, 10), small = run_of(1e5, 4, 60, 10);
  const stage_costs costs = costs_of(large, &small);
  EXPECT_EQ(costs.set_up.fixed, 0);
  EXPECT_NEAR(costs.set_up.at(1e6), 3, 1e-12);
  EXPECT_NEAR(costs.iteration.at(1e6), 3, 1e-12);
}

// Oracle: four ranks divide seconds and unknowns by four, so that the time per unknown is unchanged.
TEST(StageCosts, OfSeveralRanksAreThoseOfOne) {
  measured_run four = run_of(1e6, 3, 30, 10);
  four.ranks = 4;
  EXPECT_NEAR(costs_of(four, nullptr).set_up.of_unit, 3e-6, 1e-18);
  EXPECT_NEAR(costs_of(four, nullptr).iteration.of_unit, 3e-6, 1e-18);
}

TEST(StageCosts, AreReadAsTheyWereWritten) {
  const measured_run large = run_of(1e6, 3, 30, 10);
  stage_costs costs = costs_of(large, nullptr);
  costs.source = "a test";
  costs.spread = 0.125;
  const stage_costs read = parse_costs(to_json(costs).dump(), "costs.json");
  EXPECT_EQ(read.source, "a test");
  EXPECT_EQ(read.spread, 0.125);
  EXPECT_EQ(read.set_up.of_unit, costs.set_up.of_unit);
  EXPECT_THROW(parse_costs("{}", "costs.json"), data_error);
  EXPECT_THROW(parse_costs("[", "costs.json"), data_error);
  auto wrong = to_json(costs);
  wrong["set_up"]["unit_s"] = -1;
  EXPECT_THROW(parse_costs(wrong.dump(), "costs.json"), data_error);
}

// A plan of one message of the given size from rank 0 to rank `to`.
job_plans one_message(int ranks, int to, std::int64_t bytes) {
  comm::plan_traffic traffic;
  traffic.plan = "one";
  traffic.runs = traffic.messages = 1;
  traffic.bytes = bytes;
  traffic.what = plan::plan_of("one", ranks, {{0, 0, to, bytes}});
  job_plans plans;
  plans.ranks = ranks;
  plans.parts.push_back({"iteration", "in each iteration", {traffic}});
  return plans;
}

machine::description four_hosts() {
  machine::description found;
  found.hosts = machine::host_list(4, machine::synthetic_host("core:2 pu:1"));
  machine::path_speeds speeds;
  speeds.inside = {machine::link{1e-6, 1e9}, machine::link{1e-6, 1e9}, machine::link{1e-6, 1e9}};
  speeds.between = machine::host_links::uniform(4, {40e-6, 12.5e6});
  found.isolated = speeds;
  return found;
}

// Oracle: determined by hand. At 12.5 MB/s, 12.5 MB take a second. Inside a host, the message takes 12.5 ms. Latencies are
// below 0.1 ms.
TEST(RankNetwork, BetweenHostsLinksCountAndInsideMemory) {
  const rank_network found = network_of_machine(four_hosts(), 8, 0);
  EXPECT_EQ(found.hosts, 4);
  EXPECT_EQ(found.ranks_per_host, 2);
  EXPECT_TRUE(found.assumed.empty());
  const auto inside = times_of(one_message(8, 1, 12500000), found), outside = times_of(one_message(8, 2, 12500000), found);
  EXPECT_NEAR(inside[0].seconds, 12.5e-3, 0.1e-3);
  EXPECT_NEAR(outside[0].seconds, 1, 0.1e-3);
  // Without bytes, the time is the measured latency. A quarter of the latency is at each end, and a small amount is for
  // memory.
  EXPECT_NEAR(outside[0].latency_seconds, 40e-6, 1e-6);
}

// Oracle: determined by hand. Two messages use the link of one host, so that both messages arrive after two seconds.
TEST(RankNetwork, RanksOfAHostShareItsLink) {
  const rank_network found = network_of_machine(four_hosts(), 8, 0);
  job_plans plans = one_message(8, 2, 12500000);
  auto& traffic = plans.parts[0].plans[0];
  traffic.messages = 2;
  traffic.bytes *= 2;
  traffic.what = plan::plan_of("two", 8, {{0, 0, 2, 12500000}, {0, 1, 4, 12500000}});
  EXPECT_NEAR(times_of(plans, found)[0].seconds, 2, 1e-3);
}

// Oracle: hosts that are missing from the machine file are reported as assumed.
TEST(RankNetwork, SaysWhichHostsItAssumes) {
  const rank_network found = network_of_machine(four_hosts(), 16, 0);
  EXPECT_EQ(found.hosts, 8);
  ASSERT_EQ(found.assumed.size(), 1U);
  EXPECT_NE(found.assumed[0].find("4 further hosts"), std::string::npos) << found.assumed[0];
  EXPECT_NEAR(times_of(one_message(16, 15, 12500000), found)[0].seconds, 1, 0.1e-3);
}

// Oracle: the same message, computed by hand on a crossbar with 100 MB/s and a start-up of 10 us. Too many ranks are
// refused.
TEST(RankNetwork, TakesAModelBetweenHosts) {
  const auto model = std::make_shared<const net::network>(net::network_by_text("crossbar:4,rate=100MB/s,startup=10us"));
  const machine::link memory{1e-6, 1e9};
  const rank_network found = network_of_model(model, memory, 8, 0);
  EXPECT_EQ(found.ranks_per_host, 2);
  EXPECT_NEAR(times_of(one_message(8, 7, 10000000), found)[0].seconds, 0.1, 1e-4);
  EXPECT_NEAR(times_of(one_message(8, 1, 10000000), found)[0].seconds, 0.01, 1e-4);
  EXPECT_THROW(network_of_model(model, memory, 8, 1), usage_error);
  EXPECT_THROW(network_of_model(model, memory, 4 * 512 + 1, 0), usage_error);
}

// Oracle: the verifier, and counts determined by hand. There are 27 blocks, and the inner block has 26 neighbours.
TEST(BlocksAround, SendToFacesEdgesAndCorners) {
  const index3 blocks{3, 3, 3};
  const plan::plan all = blocks_around("all", blocks, 26, 1e6), faces = blocks_around("faces", blocks, 5, 6e6);
  EXPECT_TRUE(plan::verify(all).empty());
  EXPECT_TRUE(plan::verify(faces).empty());
  EXPECT_EQ(all.of(13, 0).sends.size(), 26U);
  EXPECT_EQ(all.of(0, 0).sends.size(), 7U);
  EXPECT_EQ(faces.of(13, 0).sends.size(), 6U);
  EXPECT_EQ(faces.of(13, 0).sends[0].size(), 1000000);
  std::int64_t bytes = 0;
  for (const auto& m : all.of(13, 0).sends) bytes += m.size();
  EXPECT_NEAR(static_cast<double>(bytes), 1e6, 30);
}

// Oracle: determined by hand.
TEST(BlocksAround, AreNearCubes) {
  EXPECT_EQ(grid_of_blocks({100, 100, 100}, 64), (index3{4, 4, 4}));
  EXPECT_EQ(grid_of_blocks({400, 100, 100}, 4), (index3{4, 1, 1}));
  EXPECT_EQ(grid_of_blocks({100, 100, 100}, 7).volume(), 7);
}

// Oracle: determined by hand. A voxel at the far corner of a cube makes the cube solid. The last cubes are cut.
TEST(PlanImage, HasTheBricksOfALevel) {
  voxel::model_header header;
  header.shape = {5, 4, 4};
  header.spacing_mm = {1, 2, 3};
  std::vector<material_number> image(80);
  image[static_cast<std::size_t>((1 * 4 + 1) * 4 + 1)] = 3;  // cube (0, 0, 0)
  image[static_cast<std::size_t>((4 * 4 + 2) * 4 + 3)] = 2;  // cube (2, 1, 1), of one plane
  header.active_per_plane = {0, 1, 0, 0, 1};
  const plan_image cubes = image_for_plans(header, image, {.most_voxels = 12, .counts_levels = false}, thinning::to_a_level);
  EXPECT_EQ(cubes.header.shape, (index3{3, 2, 2}));
  EXPECT_EQ(cubes.header.spacing_mm.x, 6);
  EXPECT_EQ(cubes.image, (std::vector<material_number>{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(cubes.stands_for.planes, 5);
  EXPECT_EQ(cubes.stands_for.missing_levels, 1);
  EXPECT_DOUBLE_EQ(cubes.volume_factor, 80.0 / 12);
  EXPECT_DOUBLE_EQ(cubes.area_factor, 1);  // the number of solid voxels is unchanged
  const plan_image one = image_for_plans(header, image, {.most_voxels = 2, .counts_levels = false}, thinning::to_a_level);
  EXPECT_EQ(one.header.shape, (index3{2, 1, 1}));
  EXPECT_EQ(one.stands_for.missing_levels, 2);
}

// Oracle: every second voxel, determined by hand, and the solid fraction of a synthetic solid.
TEST(PlanImage, IsCoarserOrMadeUp) {
  voxel::model_header header;
  header.shape = {8, 8, 8};
  header.spacing_mm = {1, 1, 1};
  header.active_per_plane.assign(8, 64);
  const plan_image half = image_for_plans(header, std::vector<material_number>(512, 1), {.most_voxels = 64});
  EXPECT_EQ(half.header.shape, (index3{4, 4, 4}));
  EXPECT_EQ(half.volume_factor, 8);
  EXPECT_DOUBLE_EQ(half.area_factor, 4);
  EXPECT_EQ(half.assumed.size(), 1U);
  const plan_image same = image_for_plans(header, std::vector<material_number>(512, 1), {});
  EXPECT_EQ(same.image.size(), 512U);
  EXPECT_TRUE(same.assumed.empty());
  const plan_image gyroid = made_up_image({1000, 1000, 1000}, 0.3, {.most_voxels = 100000});
  EXPECT_LE(gyroid.image.size(), 100000U);
  const double solid = static_cast<double>(std::count(gyroid.image.begin(), gyroid.image.end(), 1));
  EXPECT_NEAR(solid / static_cast<double>(gyroid.image.size()), 0.3, 0.01);
}

// Oracle: determined by hand.
TEST(stages, write_no_files_if_results_stay_in_memory) {
  spec job;
  job.picture.film = true;
  const auto names = [&](sinks to) {
    std::vector<std::string> asked_for;
    for (const stage* s : all_stages())
      if (s->is_requested(job, to)) asked_for.emplace_back(s->name);
    return asked_for;
  };

  EXPECT_EQ(names(sinks::files), (std::vector<std::string>{"read", "solve", "write", "picture", "film", "report"}));
  EXPECT_EQ(names(sinks::memory), (std::vector<std::string>{"read", "solve", "report"}));
}

// Oracle: the parts of `osteon plan job` (docs/reference/plans.md).
TEST(stages, have_a_cost_for_each_part_that_they_plan) {
  std::vector<std::string> parts;
  for (const stage* s : all_stages())
    if (s->plan) {
      ASSERT_FALSE(s->costs.empty()) << s->name;
      ASSERT_FALSE(s->costs.front().parts.empty()) << s->name;
      parts.emplace_back(s->costs.front().parts.front());
    }

  EXPECT_EQ(parts, (std::vector<std::string>{"reading", "set_up", "writing", "picture"}));
}

}  // namespace osteon::job::estimate_test
