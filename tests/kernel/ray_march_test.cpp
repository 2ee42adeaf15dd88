#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <osteon/kernel/rays/ray_march.hpp>
#include <random>

namespace ray_march_test {

using namespace osteon;
using kernel::wide_pixel;

kernel::ray ray_along_x(double z, double y, double length) { return {{z, y, -1.0}, {0, 0, 1}, 1.0, 1.0 + length}; }

void march(const kernel::march_volume& volume, const kernel::ray& ray, wide_pixel& pixel) {
  std::int64_t samples = 0;
  kernel::travel alone{ray, 0, 0, pixel};
  volume.march({&alone, 1}, samples);
  pixel = alone.result;
}

kernel::march_volume volume_of(const std::vector<float>& values, index3 domain, double step,
                               std::vector<std::array<float, 4>> entries, float high = 1) {
  return {domain,
          {1, 1, 1},
          {{}, domain},
          {{}, domain},
          step,
          {{1, 0, 0}, {0, 0, 1}},
          {{values.data(), {0, high, std::move(entries)}, false, 1}}};
}

// A random pixel. Its doubles use all bits.
wide_pixel random_pixel(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  wide_pixel p;
  for (int c = 0; c < 4; ++c) {
    p.high[c] = uniform(random);
    p.low[c] = p.high[c] * 0x1p-54 * uniform(random);
  }
  return p;
}

wide_pixel over(const wide_pixel& front, const wide_pixel& back) {
  wide_pixel result = front;
  kernel::blend(&result, &back, 1, false);
  return result;
}

// Oracle: an invariant. `over` is associative to 1e-30. Pictures therefore do not depend on the grouping.
TEST(wide_pixel, blends_associatively_to_thirty_digits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto a = random_pixel(random), b = random_pixel(random), c = random_pixel(random);
    const auto left = over(over(a, b), c), right = over(a, over(b, c));
    for (int k = 0; k < 4; ++k)
      ASSERT_LT(std::abs((left.high[k] - right.high[k]) + (left.low[k] - right.low[k])), 1e-30 * left.high[k]);
    ASSERT_EQ(kernel::rounded(left), kernel::rounded(right));
  }
}

// Oracle: values of premultiplied `over` computed by hand. These values are exact in binary.
TEST(wide_pixel, blends_front_over_back) {
  const wide_pixel front{{0.5, 0, 0, 0.5}, {}}, back{{0, 0.25, 0, 0.75}, {}};
  wide_pixel own = front, other = back;
  kernel::blend(&own, &back, 1, false);
  kernel::blend(&other, &front, 1, true);
  for (const auto& p : {own, other}) EXPECT_EQ(kernel::rounded(p), (std::array<float, 4>{0.5f, 0.125f, 0, 0.625f}));
}

// Oracle: a plain double loop over the samples with a separate trilinear interpolation. The large domain contains segments
// that do not touch the ends of the domain. The small domain contains only segments that touch them.
TEST(march, agrees_with_a_readable_reference) {
  for (const index3 domain : {index3{6, 7, 9}, index3{40, 36, 48}})
    for (const double step : {0.37, 1.0, 2.3}) {
      std::mt19937 random(5);
      std::uniform_real_distribution<float> uniform(0, 1);
      std::vector<float> values(static_cast<std::size_t>(domain.volume()));
      for (float& v : values) v = uniform(random);
      const auto volume = volume_of(values, domain, step, {{0, 1, 0.5f, 0}, {1, 0, 0.5f, 0.2f}});
      const double size = static_cast<double>(domain.x) / 9;
      const kernel::ray ray{{0.4 * size, 0.3 * size, 0.2 * size}, {0.41, 0.52, 0.75}, 0, 10.5 * size};

      wide_pixel pixel;
      march(volume, ray, pixel);

      const auto cell = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
        const auto inside = [](std::int64_t i, std::int64_t n) { return std::min(std::max<std::int64_t>(i, 0), n - 1); };
        return static_cast<long double>(values[static_cast<std::size_t>(
            (inside(z, domain.z) * domain.y + inside(y, domain.y)) * domain.x + inside(x, domain.x))]);
      };
      long double red = 0, green = 0, through = 1;
      for (int k = 0; (k + 0.5) * step < ray.exit; ++k) {
        long double at[3], f[3], value = 0;
        std::int64_t low[3];
        for (int a = 0; a < 3; ++a) {
          at[a] = ray.origin[a] + (k + 0.5L) * step * ray.direction[a] - 0.5L;
          low[a] = static_cast<std::int64_t>(std::floor(at[a]));
          f[a] = at[a] - static_cast<long double>(low[a]);
        }
        for (int c = 0; c < 8; ++c) {
          const int dz = c >> 2, dy = (c >> 1) & 1, dx = c & 1;
          value += (dz ? f[0] : 1 - f[0]) * (dy ? f[1] : 1 - f[1]) * (dx ? f[2] : 1 - f[2]) *
                   cell(low[0] + dz, low[1] + dy, low[2] + dx);
        }
        const long double opacity = 0.2L * value;
        red += through * opacity * value;
        green += through * opacity * (1 - value);
        through *= 1 - opacity;
      }
      const auto rgba = kernel::rounded(pixel);
      // A ray ends when 1/1024 of the light remains.
      const double ended = through < 0x1p-9 ? 0x1p-10 : 0;
      EXPECT_NEAR(rgba[0], static_cast<double>(red), 3e-6 + ended) << step;
      EXPECT_NEAR(rgba[1], static_cast<double>(green), 3e-6 + ended) << step;
      EXPECT_NEAR(rgba[3], static_cast<double>(1 - through), 3e-6 + ended) << step;
    }
}

// Oracle: the powers of the transmittance of one sample. No ray may end before 1/1024 of the light remains, however small
// the opacity of a sample is. No ray continues much longer.
TEST(march, ends_where_a_thousandth_of_the_light_is_left) {
  const index3 domain{4, 4, 12000};
  const std::vector<float> values(static_cast<std::size_t>(domain.volume()), 1.0F);
  for (const float opacity : {0.001F, 0.005F, 0.03F, 0.1F, 0.2F, 0.29F, 0.5F}) {
    const auto volume = volume_of(values, domain, 1, {{1, 1, 1, opacity}, {1, 1, 1, opacity}});
    kernel::travel t{ray_along_x(2, 2, 12000), 0, 0, {}};
    std::int64_t samples = 0;
    volume.march({&t, 1}, samples);
    const double left = t.result.high[3];  // remaining light (see wide_pixel)
    EXPECT_LE(left, 0x1p-10) << opacity;
    EXPECT_NEAR(left, std::pow(1.0 - static_cast<double>(opacity), samples), 1e-5) << opacity;
    const double one_segment = std::pow(1.0 - static_cast<double>(opacity), 8);
    EXPECT_GE(left, 0x1p-11 * one_segment) << opacity;
  }
}

// Oracle: each ray separately. The results must be bitwise equal. Some rays miss the domain, some end in the domain, and
// some are opaque before they reach it.
TEST(march, of_many_rays_together_is_that_of_each_alone) {
  const index3 domain{40, 3, 48};
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> values(static_cast<std::size_t>(domain.volume()));
  for (float& v : values) v = uniform(random) < 0.1F ? std::numeric_limits<float>::quiet_NaN() : uniform(random);
  const kernel::march_volume volume(domain, {1, 0.8, 1.1}, {{}, domain}, {{}, domain}, 0.7, {{1, 0, 0}, {0, 0, 1}},
                                    {{values.data(), {0, 1, {{0, 1, 0.5F, 0}, {1, 0, 0.5F, 0.3F}}}, true, 1}});
  std::vector<kernel::travel> together(53);
  for (kernel::travel& t : together) {
    t.along = {{40 * uniform(random), 3 * uniform(random), 0}, {uniform(random) - 0.5, 0.02 * uniform(random), 0.8}, 0, 0};
    t.along.exit = uniform(random) < 0.1F ? -1 : 40 * uniform(random);
    t.before = uniform(random) < 0.2F ? kernel::opaque_depth : kernel::optical_depth{9000};
  }
  auto alone = together;
  std::int64_t samples = 0, one_by_one = 0;

  volume.march(together, samples);

  for (std::size_t i = 0; i < alone.size(); ++i) {
    volume.march({&alone[i], 1}, one_by_one);
    EXPECT_EQ(kernel::rounded(together[i].result), kernel::rounded(alone[i].result)) << i;
    EXPECT_EQ(together[i].depth, alone[i].depth) << i;
  }
  EXPECT_EQ(samples, one_by_one);
  EXPECT_GT(samples, 1000);
}

// Oracle: a march without skipping. One visible voxel is at each place in turn. The total opacity of this voxel does not
// depend on the origin of the macro cells.
TEST(march, skips_no_cell_that_can_be_seen) {
  const index3 domain{1, 1, 24};
  for (std::int64_t x = 6; x < 18; ++x) {
    std::vector<float> values(24, 0.0f);
    values[static_cast<std::size_t>(x)] = 1;
    const auto volume = volume_of(values, domain, 0.25, {{1, 1, 1, 0}, {1, 1, 1, 0.5f}});
    wide_pixel pixel;
    march(volume, ray_along_x(0.5, 0.5, 24), pixel);
    // Eight samples have the weights 1/8, 3/8, 5/8, 7/8, in ascending and then in descending order.
    const double expected = 1 - std::pow((1 - 0.5 / 8) * (1 - 1.5 / 8) * (1 - 2.5 / 8) * (1 - 3.5 / 8), 2);
    EXPECT_NEAR(kernel::rounded(pixel)[3], expected, 1e-6) << x;
  }
}

// Oracle: a value computed by hand. Half of the weights belong to NaN. This half reduces the opacity by half and does not
// change the value.
TEST(march, leaves_nan_out_of_the_interpolation) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{nan, 3, nan, nan};
  const auto volume = volume_of(values, {1, 1, 4}, 1.0, {{0, 0, 0, 0.5f}, {1, 1, 1, 0.5f}}, 3);
  wide_pixel pixel;
  march(volume, {{0.5, 0.5, 0.5}, {0, 0, 1}, 0, 1.0}, pixel);  // one sample, half-way between NaN and 3
  EXPECT_EQ(kernel::rounded(pixel), (std::array<float, 4>{0.25f, 0.25f, 0.25f, 0.25f}));
}

}  // namespace ray_march_test
