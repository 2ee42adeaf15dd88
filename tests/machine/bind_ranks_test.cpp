#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/machine/topology/bind_ranks.hpp>

namespace osteon::machine::bind_ranks_test {

int cores_of(const local_ranks& here) { return static_cast<int>(here.host().usable_cores().size()); }

// Oracle: invariants. The cores of ranks are disjoint. Their number equals the number of threads, and no core remains
// unused.
TEST(bind_ranks, ranks_get_cores_of_their_own_and_are_released_again) {
  const pu_set before = current_binding();
  const local_ranks here(MPI_COMM_WORLD, 1);
  EXPECT_EQ(here.ranks(), comm::size(MPI_COMM_WORLD));
  EXPECT_EQ(here.rank(), comm::rank(MPI_COMM_WORLD));
  EXPECT_FALSE(here.bound_already());
  EXPECT_EQ(here.enough_cores(), here.ranks() <= cores_of(here));
  if (!here.enough_cores()) {
    EXPECT_EQ(here.default_policy(), binding_policy::none);
    EXPECT_THROW(here.bind(binding_policy::core), machine_error);
    return;
  }
  here.bind(binding_policy::core);
  std::vector<int> mine(1 << 12, 0);
  for (const int pu : current_binding()) mine[static_cast<std::size_t>(pu)] = 1;
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(*std::max_element(mine.begin(), mine.end()), 1);
  EXPECT_EQ(local_ranks(MPI_COMM_WORLD, 1).bound_already(), here.ranks() > 1);
  here.bind(binding_policy::none);
  EXPECT_EQ(current_binding(), before);
}

// Oracle: the assigned cores.
TEST(bind_ranks, threads_of_a_rank_get_a_core_each) {
  const local_ranks here(MPI_COMM_SELF, 2);
  // MPI_COMM_SELF has one rank, so that all ranks would select the same cores.
  if (!here.enough_cores()) GTEST_SKIP() << "one core only";
  omp_set_num_threads(2);
  here.bind(binding_policy::core);
  pu_set of_thread[2];
#pragma omp parallel num_threads(2)
  of_thread[omp_get_thread_num()] = current_binding();
  EXPECT_TRUE(common(of_thread[0], of_thread[1]).empty());
  EXPECT_EQ(united(of_thread[0], of_thread[1]), here.pus(binding_policy::core));
  here.bind(binding_policy::none);
#pragma omp parallel num_threads(2)
  of_thread[omp_get_thread_num()] = current_binding();
  EXPECT_EQ(of_thread[1], here.host().allowed);
}

// Oracle: synthetic times. The best binding is kept, but ranks are not bound for a gain of less than 3 %.
TEST(bind_ranks, a_trial_keeps_the_faster_binding) {
  const local_ranks here(MPI_COMM_WORLD, 1);
  const auto time_when_bound = [&](double seconds) {
    return [&here, seconds] { return current_binding() == here.host().allowed ? 1.0 : seconds; };
  };
  const bool can_gain = here.enough_cores() && cores_of(here) > 1;
  const auto faster = try_bindings(MPI_COMM_WORLD, here, 2, time_when_bound(0.5));
  EXPECT_EQ(faster.selected != binding_policy::none, can_gain) << faster.summary();
  EXPECT_EQ(current_binding(), here.pus(faster.selected));
  for (const double seconds : {2.0, 0.99}) {
    const auto slower = try_bindings(MPI_COMM_WORLD, here, 1, time_when_bound(seconds));
    EXPECT_EQ(slower.selected, binding_policy::none) << slower.summary();
    EXPECT_EQ(current_binding(), here.host().allowed);
  }
}

}  // namespace osteon::machine::bind_ranks_test
