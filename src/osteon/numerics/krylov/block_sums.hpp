#pragma once
/// @file
/// Sums over the four arrays of the unknowns of flow.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/reductions.hpp>
#include <vector>

namespace osteon::numerics {

/// Sums of N terms over blocks of the four arrays of owned values, the same for any number of threads. Terms that sum along
/// a block do so in the lanes of vectors (omp simd): one sum would have each addition wait for the one before.
/// @param term (component, begin, count, sums)
template <std::size_t N, class Term>
std::array<double, N> sum_blocks(std::int64_t owned, Term term) {
  constexpr std::int64_t block = 4096;
  const std::int64_t blocks = (owned + block - 1) / block;
  std::vector<std::array<double, N>> partial(at(4 * blocks));
#pragma omp parallel for schedule(static) if (4 * owned >= shortest_parallel_loop)
  for (std::int64_t b = 0; b < 4 * blocks; ++b) {
    const std::int64_t begin = b % blocks * block;
    term(b / blocks, begin, std::min(block, owned - begin), partial[at(b)]);
  }
  std::array<double, N> sum{};
  for (const auto& p : partial)
    for (std::size_t n = 0; n < N; ++n) sum[n] += p[n];
  return sum;
}

/// Sums over all ranks. @collective on comm
template <std::size_t N>
std::array<double, N> sum_of_ranks(MPI_Comm comm, std::array<double, N> sums) {
  comm::counted_all_reduce(comm, sums.data(), N, MPI_SUM);
  return sums;
}

}  // namespace osteon::numerics
