#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/host_memory.hpp>

namespace host_memory_test {

using namespace osteon;

// Oracle: no machine has an exabyte of memory. Every rank throws an error, although only the last rank requests this memory.
TEST(host_memory, is_refused_on_all_ranks_before_it_is_taken) {
  const bool last = comm::rank(MPI_COMM_WORLD) + 1 == comm::size(MPI_COMM_WORLD);
  EXPECT_GT(comm::available_memory(), 1e6);
  EXPECT_NO_THROW(comm::check_host_memory(MPI_COMM_WORLD, 1000, "a byte", "take fewer"));
  try {
    comm::check_host_memory(MPI_COMM_WORLD, last ? 1e18 : 0, "a whale", "take a mouse");
    ADD_FAILURE() << "no error";
  } catch (const machine_error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("a whale requires 1e+09 GB on this host"), std::string::npos) << text;
    EXPECT_NE(text.find("take a mouse"), std::string::npos) << text;
  }
}

}  // namespace host_memory_test
