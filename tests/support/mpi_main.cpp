// The main function for the tests of a module with MPI: test_MODULE [FILE_test.cpp] [--no-mpi] [options of GoogleTest]. Rank
// 0 prints the results. A failure on any rank is a failure of the test on all ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string_view>

#include "support/chosen_file.hpp"

namespace {

class agree_on_failure : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& info) override {
    int failed = info.result()->Failed() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed && !info.result()->Failed()) ADD_FAILURE() << "failed on another rank";
  }
};

int run_on_all_ranks() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new agree_on_failure);
  int result = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const bool with_mpi = argc < 3 || std::string_view(argv[2]) != "--no-mpi";
  int provided = 0;
  if (with_mpi) MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  int result = 2;
  if (osteon::test::choose_file(argc, argv)) result = with_mpi ? run_on_all_ranks() : RUN_ALL_TESTS();
  if (with_mpi) MPI_Finalize();
  return result;
}
