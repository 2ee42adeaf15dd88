#pragma once
/// @file
/// Loops on host and device. Kernels are functors over an index; only these functions traverse the index range: by OpenMP
/// threads with g++, by a launch with nvcc.
///
/// A functor is a pure function of its index and of views: no allocation, no exception, no virtual call. Mark it
/// OSTEON_HD so that both compilers accept it. Indices are independent of one another: two of them never write the
/// same element, so the result does not depend on the number of threads.
#include <cstdint>
#include <vector>

#if defined(__CUDACC__)
#define OSTEON_HD __host__ __device__
#else
#define OSTEON_HD
#endif

namespace osteon {

/// Loops shorter than this run on the calling thread: starting a thread team costs more.
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

/// Call `body(begin, end)` for the ranges [0, block), [block, 2 block), ... of [0, count), in any order: for host
/// kernels that take a range of contiguous elements rather than one index.
template <class F>
void for_each_block(std::int64_t count, std::int64_t block, F body) {
  const std::int64_t blocks = (count + block - 1) / block;
#pragma omp parallel for schedule(static)
  for (std::int64_t b = 0; b < blocks; ++b) body(b * block, b * block + block < count ? b * block + block : count);
}

/// Sum `term(begin, end)` over fixed blocks of [0, count). The blocks and the order of their summation do not depend
/// on the number of threads, so neither does the rounding of the result.
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
