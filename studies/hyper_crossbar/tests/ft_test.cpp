// Tests of NPB FT.
#include <gtest/gtest.h>
#include <omp.h>

#include <osteon/base/error.hpp>
#include <studies/hyper_crossbar/ft.hpp>

namespace osteon::studies::ft_test {

// Oracle: the checksums published by NPB.
TEST(ft, classes_verify_by_every_method) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  for (const auto method : {fourier_method::shared, fourier_method::transposition, fourier_method::butterfly}) {
    if (method == fourier_method::butterfly && ranks == 3) continue;
    const ft_report report = run_ft(MPI_COMM_WORLD, ft_class_named("S"), {.method = method});
    EXPECT_TRUE(report.verified) << static_cast<int>(method) << ": " << report.error;
    EXPECT_EQ(report.account.exchanges, ranks == 1 ? 0 : 7 * (method == fourier_method::butterfly && ranks == 4 ? 2 : 1));
    EXPECT_NEAR(report.exec + report.trans, report.seconds, 1e-12);
  }
  EXPECT_TRUE(run_ft(MPI_COMM_WORLD, ft_class_named("W"), {}).verified);
  if (ranks == 4) {
    const ft_report report = run_ft(MPI_COMM_WORLD, ft_class_named("W"), {fourier_method::transposition, {2, 2}, "xor"});
    EXPECT_TRUE(report.verified);
    EXPECT_EQ(report.account.exchanges, 14);
    EXPECT_EQ(report.account.messages, 14);
  }
}

// Oracle: the run with one thread. The checksums must be bitwise equal.
TEST(ft, checksums_do_not_depend_on_threads) {
  omp_set_num_threads(1);
  const auto one = run_ft(MPI_COMM_WORLD, ft_class_named("S"), {}).checksums;
  omp_set_num_threads(3);
  EXPECT_EQ(run_ft(MPI_COMM_WORLD, ft_class_named("S"), {}).checksums, one);
}

// Oracle: the names of the classes of NPB.
TEST(ft, other_classes_are_refused) {
  EXPECT_THROW(ft_class_named("F"), usage_error);
  EXPECT_EQ(ft_class_named("C").shape, (index3{512, 512, 512}));
}

}  // namespace osteon::studies::ft_test
