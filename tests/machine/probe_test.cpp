#include <gtest/gtest.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/machine/probe/probe.hpp>

#include "machine/trees.hpp"

namespace osteon::machine::probe_test {

TEST(probe, all_ranks_are_on_hosts_that_they_agree_on) {
  const job_hosts job = hosts_of(MPI_COMM_WORLD);
  ASSERT_EQ(job.hosts.size(), 1);
  EXPECT_FALSE(job.shares_kernel);
  EXPECT_EQ(job.hosts.tree(0), this_host());
  EXPECT_EQ(static_cast<int>(job.ranks_of_host[0].size()), comm::size(MPI_COMM_WORLD));
  EXPECT_EQ(job.local_rank(comm::rank(MPI_COMM_WORLD)), comm::rank(MPI_COMM_WORLD));
}

// Oracle: bounds that hold on any machine, and the clock.
TEST(probe, ranks_of_this_host_are_measured_within_the_budget) {
  const job_hosts job = hosts_of(MPI_COMM_WORLD);
  probe_options options;
  options.budget_s = 0.5;
  for (const auto fit : {fit_method::robust, fit_method::paper}) {
    options.fit = fit;
    const probe_result found = probe(MPI_COMM_WORLD, job, options, false);
    EXPECT_LT(found.seconds, 3);
    if (comm::rank(MPI_COMM_WORLD) != 0 || comm::size(MPI_COMM_WORLD) == 1) {
      EXPECT_TRUE(found.pairs.empty());
      continue;
    }
    if (job.hosts.tree(0).domains(level::l3).size() > 1) continue;  // unbound ranks have no class on such a machine
    ASSERT_FALSE(found.pairs.empty());
    for (const fitted_pair& p : found.pairs) {
      ASSERT_GE(p.times.size(), 2u);
      for (const timing& t : p.times) EXPECT_GT(t.seconds, 0);
      if (fit == fit_method::robust) {
        EXPECT_GT(p.found.bandwidth, 1e6);
        EXPECT_LT(p.found.bandwidth, 1e12);
        EXPECT_GE(p.found.latency_s, 0);
      }
    }
  }
}

TEST(probe, the_description_of_rank_0_reaches_all_ranks) {
  const description machine = assumed(samples::eleven_of_48());
  EXPECT_EQ(shared(MPI_COMM_WORLD, comm::rank(MPI_COMM_WORLD) == 0 ? machine : description{}), machine);
}

}  // namespace osteon::machine::probe_test
