#pragma once
/// @file
/// Sums and maxima over fixed blocks of indices, and sums over ranks. The results are independent of the number of threads.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/reductions.hpp>
#include <type_traits>
#include <vector>

namespace osteon::numerics {

/// The indices [0, count) of one or several arrays, divided into blocks of equal size.
struct index_blocks {
  std::int64_t count = 0;
  std::int64_t arrays = 1;
  std::int64_t size = 4096;

  std::int64_t of_array() const { return (count + size - 1) / size; }
};

/// Call body(block, array, begin, n) for all blocks, in any order, by all threads. The blocks of the first array have the
/// lowest numbers.
template <class Body>
void for_each_block_of(const index_blocks& blocks, const Body& body) {
  const std::int64_t number = blocks.arrays * blocks.of_array();
#pragma omp parallel for schedule(static) if (blocks.arrays * blocks.count >= std::min(blocks.size, shortest_parallel_loop))
  for (std::int64_t b = 0; b < number; ++b) {
    const std::int64_t begin = b % blocks.of_array() * blocks.size;
    body(b, b / blocks.of_array(), begin, std::min(blocks.size, blocks.count - begin));
  }
}

/// Sums of N terms over the blocks of this rank. Terms should use SIMD lanes (omp simd) for their sum over a block, because
/// each addition of a scalar sum depends on the previous addition.
/// @param term (array, begin, n, sums); for one array also (begin, end, sums). The sums are zero on entry.
template <std::size_t N, class Term>
std::array<double, N> block_sums(const index_blocks& blocks, const Term& term) {
  std::vector<std::array<double, N>> partial(at(blocks.arrays * blocks.of_array()));
  for_each_block_of(blocks, [&](std::int64_t block, std::int64_t array, std::int64_t begin, std::int64_t n) {
    std::array<double, N>& sums = partial[at(block)];
    if constexpr (std::is_invocable_v<Term, std::int64_t, std::int64_t, std::array<double, N>&>)
      term(begin, begin + n, sums);
    else
      term(array, begin, n, sums);
  });
  std::array<double, N> all{};
  for (const auto& p : partial)
    for (std::size_t n = 0; n < N; ++n) all[n] += p[n];
  return all;
}

/// Sum N values over all ranks. @collective on comm
template <std::size_t N>
std::array<double, N> sum_of_ranks(MPI_Comm comm, std::array<double, N> sums) {
  comm::counted_all_reduce(comm, sums.data(), N, MPI_SUM);
  return sums;
}

/// Sums of N terms over the blocks of all ranks. @collective on comm
template <std::size_t N, class Term>
std::array<double, N> block_sums(MPI_Comm comm, const index_blocks& blocks, const Term& term) {
  return sum_of_ranks(comm, block_sums<N>(blocks, term));
}

/// Largest value of `term` over the blocks of one array of this rank; 0 if there are no blocks. @param term (begin, end), >=
/// 0
template <class Term>
double block_maximum(const index_blocks& blocks, const Term& term) {
  std::vector<double> values(at(blocks.of_array()));
  for_each_block_of(blocks, [&](std::int64_t block, std::int64_t, std::int64_t begin, std::int64_t n) {
    values[at(block)] = term(begin, begin + n);
  });
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

}  // namespace osteon::numerics
