#include <gtest/gtest.h>

#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>

namespace collectively_test {

using namespace osteon;

// Oracle: the convention of this project. Every rank throws the error of the lowest failing rank.
TEST(collectively, throws_the_same_error_on_all_ranks) {
  const int rank = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
  const int culprit = size / 2;
  try {
    comm::collectively(MPI_COMM_WORLD, [&] {
      if (rank >= culprit) throw data_error("plane " + std::to_string(rank) + " is missing");
    });
    FAIL() << "nothing was thrown on rank " << rank;
  } catch (const data_error& e) {
    EXPECT_EQ(std::string(e.what()), "plane " + std::to_string(culprit) + " is missing");
  }
}

TEST(collectively, returns_when_nobody_fails) {
  int calls = 0;
  comm::collectively(MPI_COMM_WORLD, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace collectively_test
