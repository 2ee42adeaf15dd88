#include <gtest/gtest.h>
#include <omp.h>

#include <random>
#include <studies/subdomain_mapping/block/jacobi_steps.hpp>
#include <vector>

namespace jacobi_test {

using namespace osteon;
using namespace osteon::studies;

// Calls f(z, y, x) for all elements of a block, including its ghosts.
template <class F>
void for_all(index3 shape, F f) {
  for (std::int64_t z = -1; z <= shape.z; ++z)
    for (std::int64_t y = -1; y <= shape.y; ++y)
      for (std::int64_t x = -1; x <= shape.x; ++x) f(z, y, x);
}

// A block of random values, including ghosts. The rows of the block start at a cache line.
template <class T>
struct field {
  field(index3 shape, unsigned seed) {
    const std::int64_t row = (shape.x + 2 + 31) / 16 * 16, plane = row * (shape.y + 2);
    values.resize(static_cast<std::size_t>(plane * (shape.z + 2) + 64));
    T* first = values.data() + plane + row + 16;
    while (reinterpret_cast<std::uintptr_t>(first) % 64 != 0) ++first;
    view = {first, shape, row, plane};
    std::mt19937 draw(seed);
    std::uniform_real_distribution<T> any(-1, 1);
    for_all(shape, [&](auto z, auto y, auto x) { view(z, y, x) = any(draw); });
  }
  std::vector<T> values;
  ghosted_view<T> view;
};

template <class T>
void compare(index3 shape, const box3& region, jacobi_walk walk) {
  const field<T> from(shape, 1);
  field<T> fast(shape, 2), plain(shape, 2);
  const auto w = jacobi_weights<T>::damped(0.7);
  jacobi_sweep<T>(w, from.view, fast.view, region, walk);
  jacobi_sweep_plain<T>(w, from.view, plain.view, region);
  int different = 0;
  for_all(shape, [&](auto z, auto y, auto x) { different += fast.view(z, y, x) != plain.view(z, y, x); });
  EXPECT_EQ(different, 0) << shape.z << " " << shape.y << " " << shape.x;
}

// Oracle: the sweep by its definition. Values outside the region must not change.
TEST(jacobi, fast_sweep_equals_the_plain_one_bit_for_bit) {
  for (const index3 shape : {index3{9, 7, 37}, index3{1, 1, 1}, index3{2, 5, 8}, index3{7, 3, 64}, index3{3, 2, 100}})
    for (const bool stream : {false, true})
      for (const std::int64_t rows : {0, 1, 3, 100})
        for (const int threads : {1, 2, 5}) {
          omp_set_num_threads(threads);
          compare<double>(shape, {{}, shape}, {rows, stream});
          compare<float>(shape, {{}, shape}, {rows, stream});
        }
  for (const box3& region : {box3{{1, 2, 3}, {8, 6, 30}}, box3{{0, 0, 36}, {9, 7, 37}}, box3{{4, 1, 17}, {4, 6, 30}}}) {
    compare<double>({9, 7, 37}, region, {2, true});
    compare<float>({9, 7, 37}, region, {2, true});
  }
}

// Oracle: single sweeps, one after another. The temperatures of the boundary are random numbers, not zero.
TEST(jacobi, many_steps_at_once_equal_single_ones_bit_for_bit) {
  const auto w = jacobi_weights<double>::damped(0.8);
  for (const index3 shape : {index3{11, 13, 21}, index3{1, 1, 9}, index3{3, 20, 40}})
    for (const int steps : {1, 2, 3, 5})
      for (const std::int64_t rows : {0, 1, 4, 100})
        for (const int threads : {1, 2, 4}) {
          omp_set_num_threads(threads);
          field<double> start(shape, 1), one(shape, 1), two(shape, 1), fast(shape, 1);
          for (int n = 0; n < steps; ++n) {
            jacobi_sweep_plain<double>(w, one.view, two.view, {{}, shape});
            std::swap(one, two);
          }
          jacobi_steps<double>(w, start.view, fast.view, steps, rows);
          int different = 0;
          for_all(shape, [&](auto z, auto y, auto x) { different += fast.view(z, y, x) != one.view(z, y, x); });
          EXPECT_EQ(different, 0) << shape.z << " " << steps << " steps, " << rows << " rows, " << threads << " threads";
        }
}

// Oracle: a linear field is harmonic. A sweep therefore does not change the field. The values of the field are exact in
// binary.
TEST(jacobi, linear_fields_stay) {
  const index3 shape{5, 6, 40};
  field<double> from(shape, 1), to(shape, 2);
  for_all(shape, [&](auto z, auto y, auto x) { from.view(z, y, x) = static_cast<double>(4 * z - 2 * y + x); });
  jacobi_sweep<double>({0.25, 0.125}, from.view, to.view, {{}, shape});
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) ASSERT_EQ(to.view(z, y, x), from.view(z, y, x));
}

}  // namespace jacobi_test
