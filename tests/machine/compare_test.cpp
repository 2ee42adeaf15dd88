#include <gtest/gtest.h>

#include <osteon/machine/links/links.hpp>

#include "machine/trees.hpp"

namespace osteon::machine::compare_test {

description five_hosts() { return assumed({5, samples::two_sockets()}); }

host_links links_of_five(std::initializer_list<std::pair<std::pair<int, int>, double>> slow) {
  std::vector<link> pairs(10, link{1e-6, 12e9});
  for (const auto& [pair, rate] : slow)
    pairs[static_cast<std::size_t>(host_links::pair_index(pair.first, pair.second))].bandwidth = rate;
  return host_links::dense(5, pairs);
}

TEST(compare, a_machine_is_as_fast_as_itself) {
  const comparison same = compare(five_hosts(), five_hosts(), 0.7);
  EXPECT_TRUE(same.slower.empty() && same.gone.empty() && same.fresh.empty());
}

// Oracle: the links that were made slower, determined by hand.
TEST(compare, hosts_come_before_links_and_classes_are_compared) {
  description now = five_hosts();
  now.isolated->between = links_of_five({{{0, 3}, 3e9}, {{1, 3}, 3e9}, {{2, 3}, 3e9}, {{4, 3}, 3e9}, {{0, 1}, 4e9}});
  now.isolated->inside[2]->bandwidth /= 2;
  const comparison found = compare(five_hosts(), now, 0.7);
  ASSERT_EQ(found.slower.size(), 3u);
  EXPECT_EQ(found.slower[0].what, "host host3");
  EXPECT_DOUBLE_EQ(found.slower[0].now, 3e9);
  EXPECT_EQ(found.slower[1].what, "link host0 - host1");
  EXPECT_EQ(found.slower[2].what, "inter-socket");
}

TEST(compare, missing_hosts_are_reported) {
  description now = five_hosts();
  now.hosts = {};
  for (const char* name : {"host0", "host9", "host4"}) now.hosts.add(name, samples::two_sockets());
  now.isolated->between = host_links::uniform(3, {1e-6, 12e9});
  const comparison found = compare(five_hosts(), now, 0.7);
  EXPECT_EQ(found.gone, (std::vector<std::string>{"host1", "host2", "host3"}));
  EXPECT_EQ(found.fresh, (std::vector<std::string>{"host9"}));
  EXPECT_TRUE(found.slower.empty());
}

TEST(compare, of_two_hosts_only_the_link_is_named) {
  description before = assumed({2, samples::two_sockets()}), now = before;
  now.isolated->between = host_links::uniform(2, {1e-6, 1e9});
  const comparison found = compare(before, now, 0.7);
  ASSERT_EQ(found.slower.size(), 1u);
  EXPECT_EQ(found.slower[0].what, "link host0 - host1");
}

}  // namespace osteon::machine::compare_test
