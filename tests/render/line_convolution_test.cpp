// Tests of line integral convolution. The result is correlated along the field and is noise across the field.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <osteon/render/line_convolution.hpp>

namespace osteon::render {
namespace {

constexpr std::int64_t size = 24;

plane_field field_of(const std::function<std::array<double, 2>(double up, double right)>& value) {
  plane_field field{size, size, 0, 0.5, 0.5, {}, {}};
  for (std::int64_t row = 0; row < size; ++row)
    for (std::int64_t column = 0; column < size; ++column) {
      const auto v = value(0.5 * (static_cast<double>(row) + 0.5), 0.5 * (static_cast<double>(column) + 0.5));
      field.along_rows.push_back(static_cast<float>(v[0]));
      field.along_columns.push_back(static_cast<float>(v[1]));
    }
  return field;
}

const plane_picture picture{192, 192, 12.0 / 192, 24};

// Correlation of pixels with pixels at an offset in rows and columns. A border of `margin` pixels is left out.
double correlation(const std::vector<float>& pixels, int rows, int columns, int margin = 40) {
  double mean = 0, square = 0, product = 0, count = 0;
  for (int row = margin; row < picture.height - margin; ++row)
    for (int column = margin; column < picture.width - margin; ++column) {
      const double a = static_cast<double>(pixels[static_cast<std::size_t>(row * picture.width + column)]) - 0.5;
      const double b =
          static_cast<double>(pixels[static_cast<std::size_t>((row + rows) * picture.width + column + columns)]) - 0.5;
      mean += a, square += a * a, product += a * b, ++count;
    }
  EXPECT_NEAR(mean / count, 0, 0.03);
  EXPECT_GT(std::sqrt(square / count), 0.1);  // visible contrast
  return product / square;
}

TEST(LineConvolution, threads_lie_along_the_field_and_noise_across_it) {
  const auto right = line_convolution(field_of([](double, double) { return std::array{0.0, 3.0}; }), picture, 0, 192);
  EXPECT_GT(correlation(right, 0, 4), 0.8);
  EXPECT_LT(std::abs(correlation(right, 4, 0)), 0.15);
  // The field is directed upwards to the right. Row numbers increase downwards.
  const auto slanted = line_convolution(field_of([](double, double) { return std::array{-2.0, -2.0}; }), picture, 0, 192);
  EXPECT_GT(correlation(slanted, -4, 4), 0.6);
  EXPECT_LT(std::abs(correlation(slanted, 4, 4)), 0.15);
}

TEST(LineConvolution, threads_close_around_an_eddy) {
  const auto eddy =
      line_convolution(field_of([](double up, double right) { return std::array{right - 6, 6 - up}; }), picture, 0, 192);
  const auto at = [&](double radius, double angle) {
    const int row = static_cast<int>(96 - radius * std::sin(angle)),
              column = static_cast<int>(96 + radius * std::cos(angle));
    return static_cast<double>(eddy[static_cast<std::size_t>(row * picture.width + column)]) - 0.5;
  };
  double along = 0, across = 0, square = 0;
  for (double radius = 30; radius < 80; ++radius)
    for (double angle = 0; angle < 6.28; angle += 0.05) {
      along += at(radius, angle) * at(radius, angle + 4 / radius);
      across += at(radius, angle) * at(radius + 4, angle);
      square += at(radius, angle) * at(radius, angle);
    }
  // 45 of 49 pixels of noise are equal 4 pixels further along. Using the nearest pixels of both positions reduces the
  // correlation.
  EXPECT_GT(along / square, 0.5);
  EXPECT_LT(std::abs(across / square), 0.2);
}

TEST(LineConvolution, nothing_is_where_there_is_no_field) {
  const auto half = line_convolution(
      field_of([](double up, double) { return up > 6 ? std::array{0.0, 1.0} : std::array{0.0, 0.0}; }), picture, 0, 192);
  for (int row = 0; row < 192; ++row)
    for (int column = 0; column < 192; ++column) {
      const float pixel = half[static_cast<std::size_t>(row * 192 + column)];
      ASSERT_EQ(std::isnan(pixel), row >= 96) << row << " " << column;
      ASSERT_TRUE(row >= 96 || (pixel >= 0 && pixel <= 1));
    }
}

TEST(LineConvolution, rows_are_the_same_computed_apart_from_the_part_of_the_plane_they_need) {
  const plane_field whole = field_of(
      [](double up, double right) { return std::array{std::sin(up) * std::cos(0.7 * right), std::cos(up + 0.3 * right)}; });
  const auto all = line_convolution(whole, picture, 0, 192);
  for (const auto& [first, last] : {std::pair{0, 60}, {60, 61}, {61, 192}}) {
    const plane_rows needed = rows_needed(picture, whole.row_mm, first, last);
    plane_field part = whole;
    part.first_row = std::clamp<std::int64_t>(needed.begin, 0, size - 1);
    part.rows = std::clamp<std::int64_t>(needed.end, 1, size) - part.first_row;
    for (auto* values : {&part.along_rows, &part.along_columns})
      *values = {values->begin() + part.first_row * size, values->begin() + (part.first_row + part.rows) * size};
    const auto rows = line_convolution(part, picture, first, last);
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(rows[i], all[static_cast<std::size_t>(first * 192) + i]) << first << " " << i;
  }
}

}  // namespace
}  // namespace osteon::render
