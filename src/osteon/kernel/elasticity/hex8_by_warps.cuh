#pragma once
/// @file
/// Product of the stiffness of bricks with a vector on a CUDA device: one thread per node, in the basis of modes of
/// hex8.hpp.
///
/// A thread processes the four bricks that begin at its node along x. It computes the forces of these bricks on its node and
/// on the next node in the row; the next lane adds the forces on the next node. Hence each value of the result has one
/// writer and one order of summation. No atomic operations are required, and sparse images cause no idle lanes. Four threads
/// transform each brick and share the nine rows of nodes around a node.
#include <osteon/base/device_buffer.hpp>
#include <osteon/kernel/elasticity/hex8.hpp>

namespace osteon::kernel {

/// A run. A thread reads a run by two loads of 16 bytes.
struct alignas(16) aligned_run {
  explicit aligned_run(const hex8_run& run)
      : node{run.node[0], run.node[1], run.node[2], run.node[3]}, rest{run.cell, run.length, run.material, 0} {}
  int4 node, rest;  ///< as in hex8_run; `rest`: cell, length, material
};

/// Borrowed memory of the device.
template <class T>
struct hex8_on_device {
  const aligned_run* runs;
  const std::int32_t* runs_of_node;  ///< by `runs_of_nodes`, 16-byte aligned
  const material_number* material;   ///< per cell
  const T *ratio, *mu;               ///< per material: lambda / mu, and mu > 0
  std::int64_t nodes, stride;        ///< component c (z, y, x) of node i at c * stride + i
  lame_blocks<T> blocks;
};

namespace hex8_by_warps {

constexpr int threads = 128, nodes_of_warp = 31;  // the first lane of a warp only contributes to the second lane

// Product of block p with the components z, y, x of a displacement, for a shear modulus of 1. @param ratio lambda / mu
template <int p, class T>
__device__ __forceinline__ void apply(const lame_blocks<T>& k, T ratio, T& a, T& b, T& c) {
  constexpr bool zz = !(p & 4), yy = !(p & 2), xx = !(p & 1);
  T pressure = 0;
  if constexpr (zz) pressure += k.root[p][0] * a;
  if constexpr (yy) pressure += k.root[p][1] * b;
  if constexpr (xx) pressure += k.root[p][2] * c;
  T fz = 0, fy = 0, fx = 0;
  if constexpr (p != 4) fz = k.mu[p][0] * a;
  if constexpr (p != 2) fy = k.mu[p][1] * b;
  if constexpr (p != 1) fx = k.mu[p][2] * c;
  if constexpr ((p & 6) == 6) fz += k.mu[p][3] * b, fy += k.mu[p][3] * a;
  if constexpr ((p & 5) == 5) fz += k.mu[p][4] * c, fx += k.mu[p][4] * a;
  if constexpr ((p & 3) == 3) fy += k.mu[p][5] * c, fx += k.mu[p][5] * b;
  pressure *= ratio;
  if constexpr (zz) fz += k.root[p][0] * pressure;
  if constexpr (yy) fy += k.root[p][1] * pressure;
  if constexpr (xx) fx += k.root[p][2] * pressure;
  a = fz, b = fy, c = fx;
}

// Add the forces of blocks 2 q and 2 q + 1, as modes in z and y with their signs at the node's row of brick b. `even` and
// `odd` are modes along x. Their sum acts on the lower corner, and their difference acts on the upper corner.
template <int b, int q, class T>
__device__ __forceinline__ void add_blocks(const lame_blocks<T>& k, T ratio, const T (&sums)[3][4],
                                           const T (&differences)[3][4], T (&even)[3], T (&odd)[3]) {
  constexpr int mode[3] = {q ^ 2, q ^ 1, q};
  T e[3] = {sums[0][mode[0]], sums[1][mode[1]], differences[2][mode[2]]};
  T o[3] = {differences[0][mode[0]], differences[1][mode[1]], sums[2][mode[2]]};
  apply<2 * q>(k, ratio, e[0], e[1], e[2]);
  apply<2 * q + 1>(k, ratio, o[0], o[1], o[2]);
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const bool minus = ((mode[c] & 2) != 0 && b / 2 == 0) != ((mode[c] & 1) != 0 && b % 2 == 0);
    even[c] += minus ? -e[c] : e[c];
    odd[c] += minus ? -o[c] : o[c];
  }
}

// Add the forces of brick b, which begins at z - 1 + b / 2, y - 1 + b % 2. @param sum, difference sums and differences along
// x of nine rows
template <int b, class T>
__device__ __forceinline__ void add_brick(const lame_blocks<T>& k, T ratio, T mu, const T (&sum)[3][9],
                                          const T (&difference)[3][9], T (&own)[3], T (&next)[3]) {
  constexpr int first = 3 * (b / 2) + b % 2;
  T sums[3][4], differences[3][4], even[3] = {}, odd[3] = {};
  const auto modes = [](const T(&u)[9], T(&to)[4]) {
    const T s0 = u[first] + u[first + 1], d0 = u[first] - u[first + 1];
    const T s1 = u[first + 3] + u[first + 4], d1 = u[first + 3] - u[first + 4];
    to[0] = s0 + s1, to[1] = d0 + d1, to[2] = s0 - s1, to[3] = d0 - d1;
  };
#pragma unroll
  for (int c = 0; c < 3; ++c) modes(sum[c], sums[c]), modes(difference[c], differences[c]);
  add_blocks<b, 0>(k, ratio, sums, differences, even, odd);
  add_blocks<b, 1>(k, ratio, sums, differences, even, odd);
  add_blocks<b, 2>(k, ratio, sums, differences, even, odd);
  add_blocks<b, 3>(k, ratio, sums, differences, even, odd);
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    own[c] += mu * (even[c] + odd[c]);
    next[c] += mu * (c == 2 ? odd[c] - even[c] : even[c] - odd[c]);
  }
}

template <class T>
__global__ void __launch_bounds__(threads) multiply(hex8_on_device<T> k, const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t warp = (static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  const std::int64_t node = warp * nodes_of_warp + lane - 1;
  const bool exists = node >= 0 && node < k.nodes;

  // Nodes of the nine rows around the node at its x position; index 3 z + y. Rows without an adjacent brick contain the node
  // itself.
  std::int32_t row[9];
#pragma unroll
  for (int r = 0; r < 9; ++r) row[r] = exists ? static_cast<std::int32_t>(node) : 0;
  T ratio[4] = {}, mu[4] = {};
  bool any = false;
  if (exists) {
    const int4 of_node = reinterpret_cast<const int4*>(k.runs_of_node)[node];
    const std::int32_t number[4] = {of_node.x, of_node.y, of_node.z, of_node.w};
#pragma unroll
    for (int b = 0; b < 4; ++b) {  // bricks at z - 1 + b / 2, y - 1 + b % 2
      if (number[b] < 0) continue;
      const int4 first = k.runs[number[b]].node, rest = k.runs[number[b]].rest;
      const std::int32_t begin[4] = {first.x, first.y, first.z, first.w};
      const std::int32_t at = static_cast<std::int32_t>(node) - begin[3 - b];
      if (at < 0 || at >= rest.y) continue;
      any = true;
      const int m = rest.z >= 0 ? rest.z : k.material[rest.x + at];
      ratio[b] = k.ratio[m], mu[b] = k.mu[m];
#pragma unroll
      for (int r = 0; r < 4; ++r) row[3 * (b / 2 + r / 2) + b % 2 + r % 2] = begin[r] + at;
    }
  }
  T own[3] = {}, next[3] = {};
  if (any) {
    T sum[3][9], difference[3][9];  // sums and differences along x
#pragma unroll
    for (int c = 0; c < 3; ++c)
#pragma unroll
      for (int r = 0; r < 9; ++r) {
        const T* const from = x + c * k.stride + row[r];
        const T low = from[0], high = from[1];
        sum[c][r] = low + high, difference[c][r] = low - high;
      }
    add_brick<0>(k.blocks, ratio[0], mu[0], sum, difference, own, next);
    add_brick<1>(k.blocks, ratio[1], mu[1], sum, difference, own, next);
    add_brick<2>(k.blocks, ratio[2], mu[2], sum, difference, own, next);
    add_brick<3>(k.blocks, ratio[3], mu[3], sum, difference, own, next);
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const T before = __shfl_up_sync(0xffffffffU, next[c], 1);
    if (exists && lane > 0) y[c * k.stride + node] = own[c] + before;
  }
}

}  // namespace hex8_by_warps

/// y = K x at the nodes; the padding of each component remains unchanged. Asynchronous.
/// @param x, y device memory of 3 * stride values; one value after the last node of each component must be readable
template <class T>
void multiply(const hex8_on_device<T>& k, const T* x, T* y) {
  if (k.nodes == 0) return;
  const std::int64_t warps = (k.nodes + hex8_by_warps::nodes_of_warp - 1) / hex8_by_warps::nodes_of_warp;
  constexpr int warps_of_block = hex8_by_warps::threads / 32;
  hex8_by_warps::multiply<<<static_cast<unsigned>((warps + warps_of_block - 1) / warps_of_block), hex8_by_warps::threads>>>(
      k, x, y);
  check_device(cudaGetLastError(), "launch of the stiffness product");
}

}  // namespace osteon::kernel
