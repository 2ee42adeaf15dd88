#pragma once
/// @file
/// Loops on the host and on the device. A kernel is a functor with an index as argument. The functions below call a functor
/// for each index. With g++, OpenMP threads call the functor; with nvcc, a kernel launch calls the functor.
///
/// The result of a functor depends only on its index and its views. A functor does not allocate memory, throw exceptions or
/// call virtual functions. Mark functors with OSTEON_HD. Both compilers can then compile the functors. Calls with different
/// indices must not write to the same element. Otherwise, the result depends on the number of threads.
#include <cstdint>
#include <vector>

#if defined(__CUDACC__)
#define OSTEON_HD __host__ __device__
#else
#define OSTEON_HD
#endif

namespace osteon {

/// Shorter loops run on the calling thread, because starting a thread team takes longer than such a loop.
inline constexpr std::int64_t shortest_parallel_loop = 4096;

#if defined(__CUDACC__)
namespace detail {
template <class F>
__global__ void for_each_kernel(std::int64_t count, F body) {
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) body(i);
}
}  // namespace detail
#endif

/// Call `body(i)` for every i in [0, count), in any order.
template <class F>
void for_each(std::int64_t count, F body) {
#if defined(__CUDACC__)
  constexpr int threads = 256;
  if (count > 0) detail::for_each_kernel<<<static_cast<unsigned>((count + threads - 1) / threads), threads>>>(count, body);
#else
#pragma omp parallel for schedule(static) if (count >= shortest_parallel_loop)
  for (std::int64_t i = 0; i < count; ++i) body(i);
#endif
}

/// Call `body(begin, end)` for the ranges [0, block), [block, 2 block), ... of [0, count) in any order. Host kernels use
/// this function to process ranges of contiguous elements.
template <class F>
void for_each_block(std::int64_t count, std::int64_t block, F body) {
  const std::int64_t blocks = (count + block - 1) / block;
#pragma omp parallel for schedule(static)
  for (std::int64_t b = 0; b < blocks; ++b) body(b * block, b * block + block < count ? b * block + block : count);
}

/// Sum `term(begin, end)` over fixed blocks of [0, count). Blocks and order of summation do not depend on the number of
/// threads. The rounding of the result therefore does not depend on the number of threads either.
template <class F>
double reduce_blocks(std::int64_t count, F term) {
  constexpr std::int64_t block = 8192;
  const std::int64_t blocks = (count + block - 1) / block;
  std::vector<double> partial(static_cast<std::size_t>(blocks));
#pragma omp parallel for schedule(static) if (count >= shortest_parallel_loop)
  for (std::int64_t b = 0; b < blocks; ++b)
    partial[static_cast<std::size_t>(b)] = term(b * block, b * block + block < count ? b * block + block : count);
  double sum = 0;
  for (double p : partial) sum += p;
  return sum;
}

}  // namespace osteon
