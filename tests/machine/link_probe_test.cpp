#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/plan/exchange/pairs.hpp>

#include "machine/fake_network.hpp"

namespace osteon::machine::link_probe_test {

// Oracle of all tests in this file: the formula of the fake network.

double uniform(int, int) { return 1e9; }

probe_options isolated() {
  probe_options options;
  options.loaded = false;
  return options;
}

TEST(link_probe, a_slow_host_is_named_by_all_its_links_and_no_other_is) {
  for (const int hosts : {3, 4, 5, 8, 33}) {
    fake_network network(hosts, 1, [](int a, int b) { return a == 2 || b == 2 ? 0.25e9 : 1e9; });
    const probe_result found = network.probe(isolated());
    ASSERT_EQ(found.judged.hosts.size(), 1u) << hosts;
    EXPECT_EQ(found.judged.hosts[0].host, 2);
    EXPECT_EQ(found.judged.hosts[0].links, hosts - 1);
    EXPECT_TRUE(found.judged.links.empty());
    EXPECT_FALSE(found.fine());
    ASSERT_TRUE(found.machine.isolated->between.is_dense());
    for (int a = 0; a < hosts; ++a)
      for (int b = 0; b < a; ++b)
        EXPECT_NEAR(found.machine.isolated->between.between(a, b).bandwidth, network.bandwidth(a, b),
                    0.1 * network.bandwidth(a, b));
  }
}

TEST(link_probe, like_hosts_are_fine_and_one_group) {
  for (const int hosts : {1, 2, 3, 16, 100}) {
    const probe_result found = fake_network(hosts, 2, uniform).probe({});
    EXPECT_TRUE(found.fine()) << hosts;
    EXPECT_EQ(found.judged.clusters, 1);
  }
}

TEST(link_probe, one_slow_link_is_named_and_not_its_hosts) {
  fake_network network(9, 1, [](int a, int b) { return std::minmax(a, b) == std::minmax(6, 4) ? 0.2e9 : 1e9; });
  const probe_result found = network.probe(isolated());
  EXPECT_TRUE(found.judged.hosts.empty());
  ASSERT_EQ(found.judged.links.size(), 1u);
  EXPECT_EQ(found.judged.links[0].a, 4);
  EXPECT_EQ(found.judged.links[0].b, 6);
}

TEST(link_probe, several_slow_hosts_do_not_hide_each_other) {
  fake_network network(12, 1, [](int a, int b) { return a % 4 == 1 || b % 4 == 1 ? 0.3e9 : 1e9; });
  const probe_result found = network.probe(isolated());
  std::vector<int> named;
  for (const slow_host& s : found.judged.hosts) named.push_back(s.host);
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, (std::vector<int>{1, 5, 9}));
}

TEST(link_probe, switches_are_groups_and_no_host_is_slow) {
  fake_network network(20, 1, [](int a, int b) { return a / 6 == b / 6 ? 1e9 : 0.25e9; });  // the last network has two hosts
  const probe_result found = network.probe(isolated());
  EXPECT_TRUE(found.fine());
  EXPECT_EQ(found.judged.clusters, 4);
  EXPECT_EQ(found.judged.cluster_of[7], found.judged.cluster_of[11]);
  EXPECT_NE(found.judged.cluster_of[5], found.judged.cluster_of[6]);
  EXPECT_EQ(std::count_if(found.remarks.begin(), found.remarks.end(),
                          [](const std::string& r) { return r.find("4 groups of up to 6") != std::string::npos; }),
            1);
}

TEST(link_probe, links_that_others_disturbed_are_acquitted_by_a_retest_alone) {
  fake_network network(16, 1, uniform);
  network.disturbance = 0.1;
  EXPECT_FALSE(judge(
                   16,
                   [&] {
                     std::vector<host_sample> samples;
                     for (int round = 0; round < 15; ++round) {
                       measurement m;
                       m.rounds = {plan::best_pairing(16).pairs(round)};
                       m.seconds = 0.1;
                       m.bytes = {64, 1024, 1048576};
                       m.repeats = 5;
                       for (const auto& p : network.measure(m)) samples.push_back({p.a, p.b, fit_robust(p.times)});
                     }
                     return samples;
                   }(),
                   0.7)
                   .fine())
      << "the disturbance is too weak for this test";
  EXPECT_TRUE(network.probe(isolated()).fine());
}

TEST(link_probe, the_ratio_of_loaded_and_isolated_is_the_contention) {
  for (const int hosts : {2, 4, 9}) {
    fake_network network(hosts, 8, uniform);
    const probe_result found = network.probe({});
    const auto *alone = found.figures(path::inter_host, false), *loaded = found.figures(path::inter_host, true);
    ASSERT_TRUE(alone && loaded);
    EXPECT_NEAR(loaded->median.bandwidth / alone->median.bandwidth, 1.0 / 8, 0.02) << hosts;
    EXPECT_NEAR(found.contention(path::inter_host).value(), 1.0 / 8, 0.02) << hosts;
    EXPECT_NEAR(found.machine.loaded->between.between(0, 1).bandwidth, 1e9 / 8, 0.15e9 / 8);
  }
}

TEST(link_probe, contention_is_that_of_pairs_where_half_of_them_have_a_slow_host) {
  fake_network network(4, 2, [](int a, int b) { return a == 2 || b == 2 ? 0.25e9 : 1e9; });
  EXPECT_NEAR(network.probe({}).contention(path::inter_host).value(), 0.5, 0.05);
}

TEST(link_probe, classes_inside_a_host_are_distinguished) {
  fake_network network(2, 8, uniform);
  const probe_result found = network.probe({});
  for (const bool loaded : {false, true})
    for (const path what : all_paths) {
      const auto* figures = found.figures(what, loaded);
      ASSERT_TRUE(figures) << name_of(what);
      EXPECT_GE(figures->pairs, 1);
    }
  EXPECT_NEAR(found.machine.isolated->inside[2]->bandwidth, 8e9, 0.8e9);
  // Unbound ranks give no information about classes.
  network.ranks.core_of_rank.assign(16, -1);
  EXPECT_FALSE(network.probe({}).figures(path::same_l3, false));
}

TEST(link_probe, a_host_that_is_slow_inside_is_named) {
  fake_network network(5, 4, uniform);
  const measure_function slow_in_three = [&](const measurement& m) {
    auto found = network.measure(m);
    for (auto& p : found)
      if (p.a / 4 == 3 && p.b / 4 == 3)
        for (auto& t : p.times) t.seconds *= 3;
    return found;
  };
  const probe_result found = probe_links(network.ranks, {}, slow_in_three, [&] { return network.clock; });
  ASSERT_FALSE(found.inside.empty());
  for (const slow_inside& s : found.inside) EXPECT_EQ(s.host, 3);
  EXPECT_TRUE(found.judged.fine());
  EXPECT_FALSE(found.fine());
}

// Oracle: the clock of the fake network. One message more than the budget is accepted.
TEST(link_probe, the_budget_is_obeyed) {
  for (const double budget : {0.5, 2.0, 10.0})
    for (const int hosts : {2, 8, 64, 1000}) {
      fake_network network(hosts, 2, [](int a, int) { return a == 1 ? 5e6 : 1e9; });
      probe_options options;
      options.budget_s = budget;
      const probe_result found = network.probe(options);
      EXPECT_LT(found.seconds, 1.1 * budget + 0.1) << hosts;
      EXPECT_EQ(found.seconds, network.clock);
    }
}

TEST(link_probe, of_a_thousand_hosts_all_pairs_are_measured_in_ten_seconds_and_the_slow_host_is_named) {
  constexpr int hosts = 1000;
  fake_network network(hosts, 1, [](int a, int b) { return a == 77 || b == 77 ? 2e9 : 10e9; });
  const probe_result found = network.probe(isolated());
  EXPECT_LT(found.seconds, 1.1 * 10 + 0.1);  // as in the_budget_is_obeyed
  EXPECT_GE(network.measured, hosts * (hosts - 1) / 2);
  ASSERT_TRUE(found.machine.isolated->between.is_dense());
  int far = 0;
  for (int a = 0; a < hosts; ++a)
    for (int b = 0; b < a; ++b) {
      const double exact = network.bandwidth(a, b);
      far += std::abs(found.machine.isolated->between.between(a, b).bandwidth - exact) > 0.2 * exact;
    }
  EXPECT_EQ(far, 0);
  ASSERT_EQ(found.judged.hosts.size(), 1u);
  EXPECT_EQ(found.judged.hosts[0].host, 77);
}

TEST(link_probe, ten_thousand_hosts_are_sampled_and_their_switches_found) {
  constexpr int hosts = 10000, a_switch = 36;
  fake_network network(hosts, 1, [](int a, int b) {
    if (a == 4321 || b == 4321) return 1e9;
    return a / a_switch == b / a_switch ? 10e9 : 5e9;
  });
  const probe_result found = network.probe(isolated());
  EXPECT_LT(network.measured, 30 * hosts);
  EXPECT_LT(found.seconds, 11);
  ASSERT_EQ(found.judged.hosts.size(), 1u);
  EXPECT_EQ(found.judged.hosts[0].host, 4321);
  EXPECT_TRUE(found.judged.links.empty());
  EXPECT_EQ(found.judged.clusters, (hosts + a_switch - 1) / a_switch + 1);
  const host_links& links = found.machine.isolated->between;
  EXPECT_FALSE(links.is_dense());
  EXPECT_NEAR(links.between(0, 35).bandwidth, 10e9, 1e9);
  EXPECT_NEAR(links.between(0, 9999).bandwidth, 5e9, 0.5e9);
  EXPECT_NEAR(links.between(4321, 17).bandwidth, 1e9, 0.1e9);
}

TEST(link_probe, the_papers_sizes_shrink_where_they_do_not_fit) {
  fake_network network(4, 1, [](int, int) { return 6e6; });
  probe_options options = isolated();
  options.fit = fit_method::paper;
  const probe_result found = network.probe(options);
  EXPECT_LT(found.seconds, 11);
  EXPECT_EQ(found.remarks.size(), 1u);
  for (const fitted_pair& p : found.pairs) EXPECT_EQ(p.times.size(), 5u);
  fake_network fast(4, 1, uniform);
  const probe_result unchanged = fast.probe(options);
  EXPECT_TRUE(unchanged.remarks.empty());
  EXPECT_EQ(unchanged.pairs[0].times[2].bytes, 1.5e6);
}

TEST(link_probe, senseless_options_are_refused) {
  probe_options options;
  options.budget_s = 0;
  EXPECT_THROW(fake_network(2, 1, uniform).probe(options), usage_error);
  options = {};
  options.isolated = options.loaded = false;
  EXPECT_THROW(fake_network(2, 1, uniform).probe(options), usage_error);
}

TEST(core_choice, does_not_matter_where_cores_are_alike) {
  fake_network network(3, 4, uniform);
  const core_choice found = network.which_core(10);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.ways.size(), 16u);
  EXPECT_FALSE(found.matters()) << found.between_ways << " " << found.same_way;
  EXPECT_NEAR(found.usual, 1e9, 0.1e9);
}

TEST(core_choice, matters_where_half_of_the_cores_are_far_from_the_network) {
  fake_network network(2, 4, uniform);
  network.of_cores = [](int a, int) { return a % 4 >= 2 ? 0.7 : 1.0; };  // only the second socket of the first host
  const core_choice found = network.which_core(10);
  EXPECT_TRUE(found.matters()) << found.between_ways << " " << found.same_way;
  // Oracle: 8 directions have the bandwidth 1, and 8 directions have 0.7. The deviation is 0.15 sqrt(16 / 15), relative to a
  // median of 0.7 or 1.
  EXPECT_GT(found.between_ways, 0.14);
  EXPECT_LT(found.between_ways, 0.26);
  for (std::size_t i = 0; i < found.ways.size(); ++i)
    EXPECT_NEAR(found.ways[i].bandwidth, i / 4 >= 2 ? 0.7e9 : 1e9, 0.1e9) << i;
}

TEST(core_choice, says_when_the_budget_was_over_and_refuses_one_host) {
  EXPECT_FALSE(fake_network(2, 8, uniform).which_core(1e-3).complete);
  EXPECT_THROW(fake_network(1, 8, uniform).which_core(1), usage_error);
  EXPECT_EQ(fake_network(2, 40, uniform, synthetic_host("pack:2 core:20 pu:1")).which_core(30).ways.size(), 256u);
}

}  // namespace osteon::machine::link_probe_test
