#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/machine/topology/binding.hpp>

#include "machine/trees.hpp"

namespace osteon::machine::binding_test {

// Oracle: invariants. No core has two ranks. Every policy includes the cores of the rank.
TEST(binding, no_core_has_two_ranks_for_any_number_of_ranks_and_threads) {
  for (const host_tree& tree : {samples::two_sockets(), samples::missing_cores(), samples::eleven_of_48().tree(0),
                                restricted(samples::epyc(), parse_pu_list("3-20,90-130"))}) {
    const int cores = static_cast<int>(tree.usable_cores().size());
    for (int ranks = 1; ranks <= cores; ++ranks)
      for (int threads = 1; ranks * threads <= cores; ++threads) {
        std::vector<int> seen;
        for (int rank = 0; rank < ranks; ++rank)
          for (const int c : cores_of_rank(tree, rank, ranks, threads)) {
            EXPECT_EQ(std::count(seen.begin(), seen.end(), c), 0);
            seen.push_back(c);
          }
        EXPECT_EQ(static_cast<int>(seen.size()), ranks * threads);
      }
  }
}

TEST(binding, policies_give_the_domains_of_the_cores) {
  const host_tree tree = samples::epyc();
  EXPECT_EQ(to_list(binding_of(tree, binding_policy::core, 3, 24, 4)), "24-27");
  EXPECT_EQ(to_list(binding_of(tree, binding_policy::l3, 3, 24, 4)), "24-31");
  EXPECT_EQ(to_list(binding_of(tree, binding_policy::l3, 0, 1, 12)), "0-15");
  EXPECT_EQ(to_list(binding_of(tree, binding_policy::numa, 1, 2, 96)), "96-191");
  EXPECT_EQ(to_list(binding_of(tree, binding_policy::socket, 0, 24, 4)), "0-95");
  EXPECT_EQ(to_list(binding_of(tree, binding_policy::none, 0, 24, 4)), "0-191");
  const host_tree some = restricted(tree, parse_pu_list("6-9"));
  EXPECT_EQ(to_list(binding_of(some, binding_policy::l3, 1, 4, 1)), "6-7");
}

TEST(binding, more_ranks_than_cores_are_refused_with_both_numbers) {
  try {
    cores_of_rank(samples::two_sockets(), 0, 3, 3);
    FAIL() << "not refused";
  } catch (const machine_error& e) {
    EXPECT_NE(std::string(e.what()).find("3 ranks of 3 threads require 9 cores"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("8 are available (0-7)"), std::string::npos) << e.what();
  }
  EXPECT_THROW(cores_of_rank(samples::two_sockets(), 3, 3, 1), usage_error);
}

TEST(binding, names_are_read_and_written) {
  for (const auto policy :
       {binding_policy::none, binding_policy::core, binding_policy::l3, binding_policy::numa, binding_policy::socket})
    EXPECT_EQ(parse_binding(name_of(policy)), policy);
  EXPECT_EQ(parse_binding("l3"), binding_policy::l3);
  EXPECT_THROW(parse_binding("package"), usage_error);
}

TEST(binding, synthetic_trees_bind_nothing) {
  const pu_set before = current_binding();
  EXPECT_FALSE(bind_process(samples::epyc(), {150}));
  EXPECT_FALSE(bind_threads(samples::epyc(), {{150}}));
  EXPECT_EQ(current_binding(), before);
}

// Oracle: the binding reported by the kernel.
TEST(binding, this_process_runs_where_it_was_bound) {
  const host_tree tree = this_host();
  const pu_set before = current_binding();
  const pu_set one = {tree.allowed.back()};
  EXPECT_TRUE(bind_process(tree, one, true));
  EXPECT_EQ(current_binding(), one);
  EXPECT_TRUE(bind_threads(tree, {{tree.allowed.front()}}));
  EXPECT_EQ(current_binding(), (pu_set{tree.allowed.front()}));
  EXPECT_TRUE(bind_process(tree, before));
}

TEST(binding, hardware_threads_that_are_not_there_are_named) {
  try {
    bind_process(this_host(), {most_pus - 1});
    FAIL() << "not refused";
  } catch (const machine_error& e) {
    EXPECT_NE(std::string(e.what()).find("hardware threads 65535"), std::string::npos) << e.what();
  }
}

}  // namespace osteon::machine::binding_test
