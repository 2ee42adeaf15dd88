#include <osteon/kernel/brick_matrices.hpp>

namespace osteon::kernel {

// P is a product over the axes. Along an axis, a lower child has the corners P0 and M = (1 - m) P0 + m P1 of its parent's
// P0 and P1, an upper child M and P1.
template <class T>
void restrict_to_parent(std::array<T, 576>& matrix, int octant, const std::array<double, 3>& middle) {
  for (std::size_t d = 0; d < 3; ++d) {
    const int bit = 4 >> d;
    const bool upper = octant & bit;
    const T to_high = static_cast<T>(middle[d]), to_low = static_cast<T>(1 - middle[d]);
    const T stays = upper ? to_low : to_high, goes = upper ? to_high : to_low;
    for (int a = 0; a < 8; ++a) {
      if (a & bit) continue;
      const int keep = upper ? a | bit : a, between = upper ? a : a | bit;
      for (int c = 0; c < 3; ++c) {
        T* kept = &matrix[static_cast<std::size_t>((3 * keep + c) * 24)];
        T* divided = &matrix[static_cast<std::size_t>((3 * between + c) * 24)];
        for (int j = 0; j < 24; ++j) {
          kept[j] += goes * divided[j];
          divided[j] *= stays;
        }
      }
    }
    for (int i = 0; i < 24; ++i) {
      T* row = &matrix[static_cast<std::size_t>(24 * i)];
      for (int a = 0; a < 8; ++a) {
        if (a & bit) continue;
        const int keep = upper ? a | bit : a, between = upper ? a : a | bit;
        for (int c = 0; c < 3; ++c) {
          row[3 * keep + c] += goes * row[3 * between + c];
          row[3 * between + c] *= stays;
        }
      }
    }
  }
}

template void restrict_to_parent(std::array<float, 576>&, int, const std::array<double, 3>&);
template void restrict_to_parent(std::array<double, 576>&, int, const std::array<double, 3>&);

padded_matrix::padded_matrix(std::span<const float, 576> matrix) {
  for (int j = 0; j < 24; ++j)
    for (int a = 0; a < 8; ++a)
      for (int c = 0; c < 4; ++c)
        column[j][4 * a + c] = c < 3 ? matrix[static_cast<std::size_t>((3 * a + c) * 24 + j)] : 0.0F;
}

void add_product(const table_bricks& bricks, std::int32_t begin, std::int32_t end, const float* x, float* y) {
  using vector = lanes<float>::vector;
  for (std::int32_t e = begin; e < end; ++e) {
    const auto& corner = bricks.corners[static_cast<std::size_t>(e)];
    const auto& k = bricks.table[static_cast<std::size_t>(bricks.matrix[static_cast<std::size_t>(e)])].column;
    // Two sets of sums, for even and odd corners: one would wait for its own latency.
    vector even[4]{}, odd[4]{};
    for (int a = 0; a < 8; a += 2) {
      const float* first = x + 4 * static_cast<std::int64_t>(corner[static_cast<std::size_t>(a)]);
      const float* second = x + 4 * static_cast<std::int64_t>(corner[static_cast<std::size_t>(a + 1)]);
      for (int c = 0; c < 3; ++c)
        for (int v = 0; v < 4; ++v) {
          vector lower, upper;
          load(lower, &k[3 * a + c][8 * v]);
          load(upper, &k[3 * a + 3 + c][8 * v]);
          even[v] += lower * first[c];
          odd[v] += upper * second[c];
        }
    }
    alignas(32) float force[32];
    for (int v = 0; v < 4; ++v) store(force + 8 * v, even[v] + odd[v]);
    for (int a = 0; a < 8; ++a) {
      float* to = y + 4 * static_cast<std::int64_t>(corner[static_cast<std::size_t>(a)]);
      float4 sum, part;
      load(sum, to);
      load(part, force + 4 * a);
      store(to, sum + part);
    }
  }
}

void multiply(const block_rows& matrix, std::int32_t begin, std::int32_t end, const float* x, float* y) {
  constexpr float4 components{1, 1, 1, 0};
  for (std::int32_t row = begin; row < end; ++row) {
    float4 sum[3]{};
    for (std::int64_t k = matrix.row_begin[static_cast<std::size_t>(row)];
         k < matrix.row_begin[static_cast<std::size_t>(row) + 1]; ++k) {
      const float* from = x + 4 * static_cast<std::int64_t>(matrix.column[static_cast<std::size_t>(k)]);
      for (int c = 0; c < 3; ++c) {
        float4 column;
        load(column, &matrix.value[static_cast<std::size_t>(9 * k + 3 * c)]);
        sum[c] += column * from[c];
      }
    }
    // The fourth lane has summed the next column's first value: drop it.
    store(y + 4 * static_cast<std::int64_t>(row), (sum[0] + sum[1] + sum[2]) * components);
  }
}

}  // namespace osteon::kernel
