// Tests of discrete Fourier transforms of many lines.
#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <studies/hyper_crossbar/fourier/fourier.hpp>
#include <studies/hyper_crossbar/integer_sort/npb_random.hpp>

namespace osteon::studies::fourier_test {

using complex = std::complex<double>;

std::vector<complex> noise(std::size_t count) {
  npb_random random;
  std::vector<complex> values(count);
  for (complex& v : values) v = {random.next() - 0.5, random.next() - 0.5};
  return values;
}

double norm(const std::vector<complex>& values) {
  double sum = 0;
  for (const complex& v : values) sum += std::norm(v);
  return std::sqrt(sum);
}

// The largest difference, divided by the norm of all values.
double difference(const std::vector<complex>& a, const std::vector<complex>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest / norm(b);
}

// The transform by its definition as a sum, computed in long double.
std::vector<complex> defined(const std::vector<complex>& line, fourier_direction direction) {
  using precise = std::complex<long double>;
  const std::size_t n = line.size();
  const long double turn = (direction == fourier_direction::forward ? -1 : 1) * 6.283185307179586476925286766559L;
  std::vector<precise> roots;
  for (std::size_t j = 0; j < n; ++j)
    roots.push_back(std::polar(1.0L, turn * static_cast<long double>(j) / static_cast<long double>(n)));
  std::vector<complex> result;
  for (std::size_t k = 0; k < n; ++k) {
    precise sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += precise(line[j].real(), line[j].imag()) * roots[j * k % n];
    result.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
  }
  return result;
}

// Oracle: the definition of the transform as a sum. The rounding error of a transform, divided by the norm of the result,
// increases with log2 n.
TEST(fourier, is_the_defining_sum_in_rows_and_columns) {
  for (const int n :
       {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 25, 27, 30, 32, 40, 45, 60, 64, 72, 100, 128, 135, 240, 256, 512})
    for (const bool rows : {true, false})
      for (const auto direction : {fourier_direction::forward, fourier_direction::backward}) {
        constexpr int lines = 7;  // four lines that are transformed at once, and three further lines
        const fourier_plan plan(n);
        const std::vector<complex> from = noise(static_cast<std::size_t>(n) * lines);
        std::vector<complex> to(from.size());
        const auto offset = regular_offsets(n, rows ? 1 : lines);
        const std::ptrdiff_t stride = rows ? n : 1;
        transform_lines(plan, direction, {from.data(), offset, stride}, {to.data(), offset, stride}, lines);
        for (int l = 0; l < lines; ++l) {
          std::vector<complex> line;
          for (const std::ptrdiff_t o : offset) line.push_back(from[static_cast<std::size_t>(o + l * stride)]);
          std::vector<complex> result;
          for (const std::ptrdiff_t o : offset) result.push_back(to[static_cast<std::size_t>(o + l * stride)]);
          ASSERT_LT(difference(result, defined(line, direction)), 2e-16 * (1 + std::log2(n)))
              << n << (rows ? " rows" : " columns");
        }
      }
}

// Oracle: the theorem of Parseval. A forward and a backward transform multiply the values by n.
TEST(fourier, keeps_the_norm_and_goes_there_and_back) {
  for (const int n : {4096, 3 * 5 * 1024, 3125, 19683}) {
    const fourier_plan plan(n);
    const std::vector<complex> from = noise(static_cast<std::size_t>(n));
    std::vector<complex> line = from;
    const auto offset = regular_offsets(n, 1);
    transform_lines(plan, fourier_direction::forward, {line.data(), offset, n}, {line.data(), offset, n}, 1);
    EXPECT_NEAR(norm(line) / norm(from) / std::sqrt(n), 1, 1e-14) << n;
    transform_lines(plan, fourier_direction::backward, {line.data(), offset, n}, {line.data(), offset, n}, 1);
    for (complex& v : line) v /= n;
    EXPECT_LT(difference(line, from), 1e-15) << n;
  }
}

// Oracle: the transforms of equal lines, one at a time and in contiguous memory.
TEST(fourier, lines_may_lie_in_blocks) {
  constexpr int n = 48, lines = 11, block = 1000;
  const fourier_plan plan(n);
  const std::vector<complex> lying = noise(n * lines);  // one line after another
  const auto row = regular_offsets(n, 1);
  std::vector<complex> expected(lying.size()), got(lying.size());
  for (int l = 0; l < lines; ++l)
    transform_lines(plan, fourier_direction::forward, {lying.data() + l * n, row, n}, {expected.data() + l * n, row, n}, 1);

  std::vector<std::ptrdiff_t> blocks;  // three blocks, each with columns
  for (int j = 0; j < n; ++j) blocks.push_back(j / 16 * block + j % 16 * lines);
  std::vector<complex> columns(3 * block);
  for (int l = 0; l < lines; ++l)
    for (std::size_t j = 0; j < n; ++j)
      columns[static_cast<std::size_t>(blocks[j] + l)] = lying[static_cast<std::size_t>(l) * n + j];
  transform_lines(plan, fourier_direction::forward, {columns.data(), blocks, 1}, {columns.data(), blocks, 1}, lines);
  for (int l = 0; l < lines; ++l)
    for (std::size_t j = 0; j < n; ++j)
      got[static_cast<std::size_t>(l) * n + j] = columns[static_cast<std::size_t>(blocks[j] + l)];
  EXPECT_LT(difference(got, expected), 1e-16);

  // Test stores that bypass the caches, with aligned and unaligned addresses.
  for (const std::ptrdiff_t shift : {0, 1}) {
    std::vector<complex> streamed(static_cast<std::size_t>(n * 12 + 1));
    const auto offset = regular_offsets(n, 12);
    std::vector<complex> from(streamed.size());
    for (int l = 0; l < lines; ++l)
      for (std::size_t j = 0; j < n; ++j)
        from[j * 12 + static_cast<std::size_t>(l)] = lying[static_cast<std::size_t>(l) * n + j];
    transform_lines(plan, fourier_direction::forward, {from.data(), offset, 1}, {streamed.data() + shift, offset, 1, true},
                    lines);
    for (int l = 0; l < lines; ++l)
      for (std::size_t j = 0; j < n; ++j)
        got[static_cast<std::size_t>(l) * n + j] = streamed[j * 12 + static_cast<std::size_t>(l + shift)];
    EXPECT_LT(difference(got, expected), 1e-16);
  }
}

// Oracle: elements that are multiplied before the transform.
TEST(fourier, weights_multiply_elements_and_lines) {
  constexpr int n = 20, lines = 6;
  const fourier_plan plan(n);
  const std::vector<complex> from = noise(n * lines);
  std::vector<double> element, line;
  for (int j = 0; j < n; ++j) element.push_back(1.0 / (1 + j));
  for (int l = 0; l < lines; ++l) line.push_back(0.5 + l);
  std::vector<complex> weighted = from, expected(from.size()), got(from.size());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t l = 0; l < lines; ++l) weighted[j * lines + l] *= element[j] * line[l];
  const auto offset = regular_offsets(n, lines);
  transform_lines(plan, fourier_direction::backward, {weighted.data(), offset, 1}, {expected.data(), offset, 1}, lines);
  transform_lines(plan, fourier_direction::backward, {from.data(), offset, 1}, {got.data(), offset, 1}, lines,
                  {element, line});
  EXPECT_LT(difference(got, expected), 1e-15);
}

// Oracle: a value computed by hand.
TEST(fourier, names_the_nearest_lengths) {
  try {
    fourier_plan plan(1022);
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("use 1000 or 1024"), std::string::npos) << e.what();
  }
  try {
    fourier_plan plan(0);
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("use 1"), std::string::npos) << e.what();
  }
  EXPECT_TRUE(fourier_plan::supports(2 * 3 * 5 * 7 / 7));
  EXPECT_FALSE(fourier_plan::supports(7));
}

}  // namespace osteon::studies::fourier_test
