#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/placement/reorder.hpp>

namespace osteon::placement::reorder_test {

std::string own_name() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return {name, static_cast<std::size_t>(length)};
}

machine::description one_host(const std::string& name) {
  machine::host_list hosts;
  hosts.add("another", machine::synthetic_host("core:2 pu:1"));
  hosts.add(name, machine::synthetic_host("pack:2 core:2 pu:1"));
  return machine::assumed(hosts);
}

// Oracle: the graph. Ranks 0 and 3 communicate, and ranks 1 and 2 communicate. On two sockets with two cores, each pair must
// be on one socket.
TEST(Reorder, PairsShareASocket) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  const auto machine = one_host(own_name());
  std::vector<edge> edges;
  if (ranks == 4) edges = {{0, 3, 1'000'000}, {1, 2, 1'000'000}};
  const reordered found = reorder(MPI_COMM_WORLD, from_edges(ranks, edges), machine);
  EXPECT_EQ(found.ranks.size(), ranks);
  // The communicator agrees with old_rank.
  EXPECT_EQ(found.old_rank[static_cast<std::size_t>(found.ranks.rank())], comm::rank(MPI_COMM_WORLD));
  EXPECT_EQ(found.report.kept_input, ranks == 1);
  EXPECT_FALSE(found.report.line.empty());
  const target where = places_of_ranks(MPI_COMM_WORLD, machine);
  EXPECT_EQ(where.hosts(), 1);
  if (ranks == 4) {
    const auto socket = [&](std::size_t subdomain) {
      const auto rank = static_cast<std::size_t>(found.old_rank[subdomain]);
      return where.machine.hosts.tree(0).domain_of(where.places[rank].core, machine::level::package);
    };
    EXPECT_EQ(socket(0), socket(3));
    EXPECT_EQ(socket(1), socket(2));
    EXPECT_NE(socket(0), socket(1));
    EXPECT_LT(found.report.predicted_s_result, found.report.predicted_s_input);
  }
}

// Oracle: the topology of MPI for the new ranks has the dimensions and neighbours of the grid.
TEST(Reorder, CartCreateHasTheGrid) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  const cartesian grid{{1, ranks == 4 ? 2 : 1, ranks == 4 ? 2 : 1}, {4, 4, 4}, 8, {false, true, false}};
  const reordered found = cart_create(MPI_COMM_WORLD, grid, one_host(own_name()));
  int dims[3], periods[3], coordinates[3];
  MPI_Cart_get(found.ranks.get(), 3, dims, periods, coordinates);
  EXPECT_TRUE(std::equal(dims, dims + 3, grid.blocks.begin()));
  EXPECT_EQ(periods[1], 1);
  EXPECT_EQ((coordinates[0] * dims[1] + coordinates[1]) * dims[2] + coordinates[2], found.ranks.rank());
  EXPECT_EQ(found.old_rank[static_cast<std::size_t>(found.ranks.rank())], comm::rank(MPI_COMM_WORLD));
}

// Oracle: all ranks refuse a description of other hosts, with the name of the missing host. All ranks also refuse a graph of
// another size.
TEST(Reorder, RefusesAnotherAllocation) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  try {
    reorder(MPI_COMM_WORLD, from_edges(ranks, {}), one_host("elsewhere"));
    FAIL() << "nothing was thrown";
  } catch (const data_error& e) {
    EXPECT_NE(std::string(e.what()).find(own_name()), std::string::npos) << e.what();
  }
  EXPECT_THROW(reorder(MPI_COMM_WORLD, from_edges(ranks + 1, {}), one_host(own_name())), usage_error);
}

}  // namespace osteon::placement::reorder_test
