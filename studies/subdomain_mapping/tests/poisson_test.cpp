#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/error.hpp>
#include <studies/subdomain_mapping/poisson/poisson.hpp>
#include <studies/subdomain_mapping/poisson/poisson_grids.hpp>
#include <support/all_cuts.hpp>

namespace poisson_test {

using namespace osteon;
using namespace osteon::studies;

std::uint64_t sum_of(std::uint64_t digest) {
  MPI_Allreduce(MPI_IN_PLACE, &digest, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return digest;
}

template <class T>
std::uint64_t digest_after(MPI_Comm comm, const cartesian& where, int steps, bool overlap, bool stream) {
  heat_block<T> block(comm, where);
  for (int n = 0; n < steps; ++n) block.step({overlap, {0, stream}});
  return sum_of(block.digest());
}

// Oracle: the result of one rank with one thread, on MPI_COMM_SELF.
TEST(poisson, temperatures_are_equal_bit_for_bit_for_all_decompositions_orders_threads_and_ways) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  const index3 cells{10, 9, 35};
  std::uint64_t alone = 0;
  {
    omp_set_num_threads(1);
    heat_block<double> block(MPI_COMM_SELF, {cells, {1, 1, 1}});
    for (int n = 0; n < 5; ++n) block.step({});
    alone = block.digest();
  }
  std::vector<int> backwards;
  for (int r = ranks - 1; r >= 0; --r) backwards.push_back(r);
  const auto other_order = reordered(MPI_COMM_WORLD, backwards);
  EXPECT_EQ(other_order.rank(), ranks - 1 - rank);
  for (const index3 cut : test::all_cuts(ranks))
    for (const int threads : {1, 3})
      for (const bool overlap : {false, true}) {
        omp_set_num_threads(threads);
        const cartesian where(cells, cut);
        EXPECT_EQ(digest_after<double>(MPI_COMM_WORLD, where, 5, overlap, threads == 1), alone);
        EXPECT_EQ(digest_after<double>(other_order.get(), where, 5, overlap, threads == 1), alone);
      }
}

// Oracle: the eigenvalue of the discrete operator. Each step multiplies a Fourier mode by this eigenvalue, except for
// rounding errors.
TEST(poisson, a_fourier_mode_decays_as_it_must) {
  const index3 cells{13, 12, 40};
  const cartesian where(cells, ranks_along_axes(comm::size(MPI_COMM_WORLD)));
  heat_block<double> fine(MPI_COMM_WORLD, where);
  heat_block<float> coarse(MPI_COMM_WORLD, where);
  for (int n = 0; n < 20; ++n) {
    fine.step({n % 2 == 0, {}});
    coarse.step({n % 2 == 0, {}});
  }
  EXPECT_LT(fine.error(), 20 * 16 * std::numeric_limits<double>::epsilon());
  EXPECT_LT(coarse.error(), 20 * 16 * std::numeric_limits<float>::epsilon());
  EXPECT_LT(mode_factor(cells), 0.97);  // the factor is far from 1, so that missing steps would increase the error
}

// Oracle: the exact solution. a sweep with the ghosts of the previous step
TEST(poisson, error_and_digest_see_one_wrong_exchange) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  if (ranks == 1) GTEST_SKIP() << "one rank exchanges no data";
  const cartesian where({12, 12, 40}, ranks_along_axes(ranks));
  heat_block<double> right(MPI_COMM_WORLD, where), wrong(MPI_COMM_WORLD, where);
  right.step({});
  right.step({});
  wrong.step({});
  wrong.sweep_alone({});  // with ghosts of the previous step
  double error = wrong.error();
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_GT(error, 1e-4);
  EXPECT_NE(sum_of(wrong.digest()), sum_of(right.digest()));
}

// Oracle: tables 3 and 4 of [Ito].
TEST(poisson_grids, are_those_of_the_paper) {
  struct line {
    int cores;
    index3 whole, boxes;
  };
  for (const auto& [cores, whole, boxes] :
       {line{32, {813, 813, 3251}, {4, 2, 4}}, line{64, {1024, 1024, 4096}, {4, 4, 4}},
        line{128, {1290, 1290, 5161}, {4, 4, 8}}, line{256, {1625, 1625, 6502}, {8, 4, 8}},
        line{512, {2048, 2048, 8192}, {8, 8, 8}}}) {
    EXPECT_EQ(paper_grid(1, cores, 1).cells(), whole) << cores;
    EXPECT_EQ(paper_grid(1, cores, 1).ranks(), boxes) << cores;
  }
  for (const auto& [cores, whole, boxes] :
       {line{32, {1024, 512, 4096}, {4, 2, 4}}, line{64, {1024, 1024, 4096}, {4, 4, 4}},
        line{128, {1024, 1024, 8192}, {4, 4, 8}}, line{256, {2048, 1024, 8192}, {8, 4, 8}},
        line{512, {2048, 2048, 8192}, {8, 8, 8}}}) {
    EXPECT_EQ(paper_grid(2, cores, 1).cells(), whole) << cores;
    EXPECT_EQ(paper_grid(2, cores, 1).ranks(), boxes) << cores;
    EXPECT_EQ(paper_grid(2, cores, 1).box_of(cores - 1).shape(), (index3{256, 256, 1024}));
  }
  EXPECT_EQ(paper_grid(2, 64, 0.125).cells(), (index3{128, 128, 512}));
  EXPECT_THROW(paper_grid(2, 64, 1e-3), usage_error);
  EXPECT_THROW(paper_grid(3, 64, 1), usage_error);
  EXPECT_NEAR(scale_that_fits(2, 2, 8, 2 * 8 * 1024 * 256 * 256 / 8.0), 0.5, 1e-12);
}

}  // namespace poisson_test
