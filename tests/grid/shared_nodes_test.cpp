#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/grid/shared_nodes.hpp>

namespace shared_nodes_test {

using namespace osteon;

// Rank r stores the nodes id of [4 r, 4 r + 12) with (id + r) % 3 != 0. Up to three ranks share a node, and there are gaps.
bool holds(int rank, std::int64_t id) { return id >= 4 * rank && id < 4 * rank + 12 && (id + rank) % 3 != 0; }

std::vector<std::int64_t> nodes_of(int rank) {
  std::vector<std::int64_t> ids;
  for (std::int64_t id = 4 * rank; id < 4 * rank + 12; ++id)
    if (holds(rank, id)) ids.push_back(id);
  return ids;
}

std::vector<int> everyone_else() {
  std::vector<int> ranks(static_cast<std::size_t>(comm::size(MPI_COMM_WORLD)));
  std::iota(ranks.begin(), ranks.end(), 0);
  ranks.erase(ranks.begin() + comm::rank(MPI_COMM_WORLD));
  return ranks;
}

std::vector<grid::identified_node> numbered(const std::vector<std::int64_t>& ids) {
  std::vector<grid::identified_node> nodes;
  for (std::size_t i = 0; i < ids.size(); ++i) nodes.push_back({ids[i], static_cast<std::int32_t>(i)});
  return nodes;
}

template <class T>
T contribution(int rank, std::int64_t id, int component) {
  return T(1) / static_cast<T>(3 + rank + 7 * id + 11 * component);
}

template <class T>
void check_sums() {
  const int me = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
  const auto ids = nodes_of(me);
  const grid::shared_nodes shared(MPI_COMM_WORLD, numbered(ids), everyone_else());
  const auto count = static_cast<std::int64_t>(ids.size());
  for (const grid::node_layout layout : {grid::node_layout{3, count + 5, 1}, grid::node_layout{3, 1, 4}}) {
    std::vector<T> values(static_cast<std::size_t>(4 * (count + 5)), T(-1));
    const auto at = [&](std::int64_t i, int c) -> T& {
      return values[static_cast<std::size_t>(c * layout.component_stride + i * layout.node_stride)];
    };
    for (std::int64_t i = 0; i < count; ++i)
      for (int c = 0; c < 3; ++c) at(i, c) = contribution<T>(me, ids[static_cast<std::size_t>(i)], c);

    shared.exchange_add(values.data(), layout);

    for (std::int64_t i = 0; i < count; ++i)
      for (int c = 0; c < 3; ++c) {
        T expected = 0;
        for (int r = 0; r < size; ++r)
          if (holds(r, ids[static_cast<std::size_t>(i)]))
            expected += contribution<T>(r, ids[static_cast<std::size_t>(i)], c);
        ASSERT_EQ(at(i, c), expected) << "node " << ids[static_cast<std::size_t>(i)];
      }
  }
}

// Oracle: the sum in the order of the ranks. The results must be bitwise equal.
TEST(shared_nodes, add_the_copies_in_the_order_of_the_ranks) {
  check_sums<float>();
  check_sums<double>();
}

// Oracle: an invariant. Every existing node has exactly one owner.
TEST(shared_nodes, have_one_owner) {
  const auto ids = nodes_of(comm::rank(MPI_COMM_WORLD));
  const grid::shared_nodes shared(MPI_COMM_WORLD, numbered(ids), everyone_else());
  std::vector<int> owners(200, 0);
  for (const std::int64_t id : ids) owners[static_cast<std::size_t>(id)] = 1;
  for (const std::int32_t node : shared.not_owned())
    owners[static_cast<std::size_t>(ids[static_cast<std::size_t>(node)])] = 0;
  MPI_Allreduce(MPI_IN_PLACE, owners.data(), 200, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (std::int64_t id = 0; id < 200; ++id) {
    bool exists = false;
    for (int r = 0; r < comm::size(MPI_COMM_WORLD); ++r) exists = exists || holds(r, id);
    EXPECT_EQ(owners[static_cast<std::size_t>(id)], exists ? 1 : 0) << id;
  }
}

// Oracle: there is no message to wait for. A rank without nodes participates.
TEST(shared_nodes, may_be_none) {
  const std::vector<std::int64_t> none;
  const grid::shared_nodes shared(MPI_COMM_WORLD, numbered(none), everyone_else());
  shared.exchange_add(static_cast<double*>(nullptr), {3, 1, 3});
  EXPECT_TRUE(shared.not_owned().empty());
}

// Oracle: values computed by hand. A node may have copies on its own rank (at periodic faces) and on other ranks.
TEST(shared_nodes, may_have_copies_on_one_rank) {
  const int me = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
  // Node 0 is private. Nodes 1 and 3 are copies of the id that all ranks have. Node 2 is not in the list.
  const grid::shared_nodes shared(MPI_COMM_WORLD, {{7, 1}, {100 + me, 0}, {7, 3}}, everyone_else());
  std::vector<double> values{1, 10, 100, 1000};
  shared.exchange_add(values.data(), {1, 1, 1});
  EXPECT_EQ(values, (std::vector<double>{1, 1010.0 * size, 100, 1010.0 * size}));
  const std::vector copies(shared.with_copies().begin(), shared.with_copies().end());
  EXPECT_EQ(copies, (std::vector<std::int32_t>{1, 3}));
  const std::vector not_owned(shared.not_owned().begin(), shared.not_owned().end());
  EXPECT_EQ(not_owned, me == 0 ? (std::vector<std::int32_t>{3}) : copies);
}

// Oracle: values computed by hand.
TEST(shared_nodes, find_the_smallest_value_of_the_copies) {
  const int me = comm::rank(MPI_COMM_WORLD);
  const grid::shared_nodes shared(MPI_COMM_WORLD, {{7, 0}, {7, 1}}, everyone_else());
  std::vector<std::int64_t> values{5 - me, 20 + me, 50, 40};
  shared.exchange_min(values, 2);
  const std::int64_t last = comm::size(MPI_COMM_WORLD) - 1;
  EXPECT_EQ(values, (std::vector<std::int64_t>{5 - last, 20, 5 - last, 20}));
}

// Oracle: values computed by hand. Three ranks have two nodes each, and node 1 is common to all three ranks.
TEST(shared_nodes, of_virtual_ranks_without_values_are_counted) {
  constexpr grid::node_layout one{1, 2, 1};
  const auto ledgers = comm::run_virtual_ranks(3, [&](MPI_Comm comm) {
    const int me = comm::rank(comm);
    std::vector<int> others{0, 1, 2};
    others.erase(others.begin() + me);
    const grid::shared_nodes shared(comm, {{1, 0}, {10 + me, 1}}, others, "nodes");
    std::vector<double> values{1.0 + me, 5.0};
    {
      const comm::without_values empty(comm);
      EXPECT_FALSE(comm::has_values(comm));
      shared.exchange_add(static_cast<double*>(nullptr), one);
      EXPECT_EQ(comm::counted_sum(comm, 7), 1);
    }
    EXPECT_TRUE(comm::has_values(comm));
    shared.exchange_add(values.data(), one);
    EXPECT_EQ(values, (std::vector<double>{6, 5}));
    EXPECT_EQ(comm::counted_sum(comm, 7), 21);
  });
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> runs_and_bytes;
  for (const auto& t : comm::traffic_of(ledgers)) {
    EXPECT_TRUE(t.problems.empty());
    runs_and_bytes[t.plan] = {t.runs, t.bytes};
  }
  EXPECT_EQ(runs_and_bytes.at("nodes, 8 B"), std::pair(std::int64_t{2}, std::int64_t{2 * 6 * 8}));
  EXPECT_EQ(runs_and_bytes.at("reductions, 8 B").first, 2);
}

// Oracle: ranks of MPI always have values.
TEST(shared_nodes, of_a_run_have_values) {
  const comm::without_values nothing(MPI_COMM_WORLD);
  EXPECT_TRUE(comm::has_values(MPI_COMM_WORLD));
  EXPECT_EQ(comm::counted_sum(MPI_COMM_WORLD, 2), 2 * comm::size(MPI_COMM_WORLD));
}

}  // namespace shared_nodes_test
