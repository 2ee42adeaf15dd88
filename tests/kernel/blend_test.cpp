#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <osteon/kernel/blend/half.hpp>
#include <random>
#include <vector>

namespace blend_test {

using namespace osteon;
using kernel::colour_format;
using kernel::pixel_format;

constexpr colour_format all_colours[] = {colour_format::rgba8, colour_format::rgba16, colour_format::rgba16f,
                                         colour_format::rgba32f};

double whole(colour_format c) { return c == colour_format::rgba8 ? 255 : c == colour_format::rgba16 ? 65535 : 1; }

typedef float float1 __attribute__((vector_size(4)));
typedef std::uint32_t word1 __attribute__((vector_size(4)));

// Writes channels in [0, 1] and a depth as a pixel.
void put(pixel_format format, std::byte* to, const double (&channel)[4], float depth) {
  for (int c = 0; c < 4; ++c) {
    const double scaled = std::floor(channel[c] * whole(format.colour) + 0.5);
    std::byte* const at = to + static_cast<std::size_t>(c) * kernel::bytes_of(format.colour) / 4;
    if (format.colour == colour_format::rgba8) {
      *at = static_cast<std::byte>(scaled);
    } else if (format.colour == colour_format::rgba16) {
      const auto v = static_cast<std::uint16_t>(scaled);
      std::memcpy(at, &v, sizeof v);
    } else if (format.colour == colour_format::rgba16f) {
      const auto v = static_cast<std::uint16_t>(kernel::to_half<float1, word1>(float1{static_cast<float>(channel[c])})[0]);
      std::memcpy(at, &v, sizeof v);
    } else {
      const auto v = static_cast<float>(channel[c]);
      std::memcpy(at, &v, sizeof v);
    }
  }
  if (format.depth) std::memcpy(to + kernel::bytes_of(format.colour), &depth, sizeof depth);
}

// Premultiplied noise. Some pixels are empty, and some are opaque.
std::vector<std::byte> noise(pixel_format format, std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<std::byte> pixels(static_cast<std::size_t>(count) * format.bytes());
  for (std::int64_t i = 0; i < count; ++i) {
    const double kind = any(random), opacity = kind < 0.1    ? 0
                                               : kind < 0.15 ? 1
                                               : kind < 0.5  ? 0.1 * any(random)
                                                             : any(random);
    const double channel[4] = {opacity * any(random), opacity * any(random), opacity * any(random), opacity};
    put(format, pixels.data() + static_cast<std::size_t>(i) * format.bytes(), channel, static_cast<float>(any(random)));
  }
  return pixels;
}

struct exact_pixel {
  long double channel[4];
};

// The definition, layer by layer, in 64 bits of mantissa.
exact_pixel exact(std::span<const kernel::layer> layers, std::int64_t i) {
  exact_pixel sum{};
  for (std::size_t l = layers.size(); l-- > 0;) {
    const auto v =
        kernel::value_of(layers[l].format, layers[l].pixels + static_cast<std::size_t>(i) * layers[l].format.bytes());
    const long double scale = whole(layers[l].format.colour);
    for (int c = 0; c < 4; ++c) sum.channel[c] = v.channel[c] / scale + (1 - v.channel[3] / scale) * sum.channel[c];
  }
  return sum;
}

// Oracle: exact rational rounding, for every opacity and every value behind. Colours do not affect their neighbours.
TEST(blend, rounds_every_pair_of_bytes_exactly) {
  for (unsigned opacity = 0; opacity < 256; ++opacity) {
    std::vector<std::uint32_t> front(256, opacity << 24), back, out(256);
    for (unsigned value = 0; value < 256; ++value) back.push_back(value * 0x01010101u);

    const kernel::layer layers[] = {{{}, reinterpret_cast<const std::byte*>(front.data())},
                                    {{}, reinterpret_cast<const std::byte*>(back.data())}};
    kernel::blend({}, reinterpret_cast<std::byte*>(out.data()), layers, 256);

    for (unsigned value = 0; value < 256; ++value) {
      const unsigned through = (2 * (255 - opacity) * value + 255) / 510;  // round to nearest; a division by 255 has no ties
      ASSERT_EQ(out[value], through * 0x01010101u + (opacity << 24)) << opacity << ' ' << value;
    }
  }
}

// Oracle: the definition in long double. A value that is rounded once has an error of at most half a unit, and 1e-5 of a
// unit for each layer.
TEST(blend, of_any_number_of_layers_rounds_once) {
  constexpr std::int64_t count = 1237;
  for (const colour_format colour : all_colours)
    for (const int n : {1, 2, 3, 5, 8, 9, 16, 17, 33, 64}) {
      const pixel_format format{colour, false};
      std::vector<std::vector<std::byte>> images;
      std::vector<kernel::layer> layers;
      for (int l = 0; l < n; ++l) images.push_back(noise(format, count, static_cast<unsigned>(100 * n + l)));
      for (const auto& image : images) layers.push_back({format, image.data()});
      std::vector<std::byte> out(images[0].size());

      kernel::blend(format, out.data(), layers, count);

      double worst = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto expected = exact(layers, i);
        const auto got = kernel::value_of(format, out.data() + static_cast<std::size_t>(i) * format.bytes());
        for (int c = 0; c < 4; ++c) {
          const double difference = std::abs(static_cast<double>(got.channel[c] - whole(colour) * expected.channel[c]));
          const double unit = colour == colour_format::rgba16f
                                  ? 0x1p-11 * std::max(0x1p-14, std::abs(static_cast<double>(expected.channel[c]))) * 2
                              : colour == colour_format::rgba32f ? 0x1p-23 * n
                                                                 : 1;
          worst = std::max(worst, difference / unit);
        }
      }
      EXPECT_LE(worst, colour == colour_format::rgba16 ? 0.5 + 3e-3 * n : 0.5 + 1e-4 * n)
          << kernel::name_of(format) << ", " << n << " layers";
    }
}

// Oracle: one call on all pixels. The results must be bitwise equal.
TEST(blend, does_not_depend_on_how_pixels_are_cut) {
  constexpr std::int64_t count = 1100;
  for (const bool depth : {false, true})
    for (const colour_format colour : all_colours)
      for (const int n : {2, 3, 11}) {
        const pixel_format format{colour, depth};
        std::vector<std::vector<std::byte>> images;
        std::vector<kernel::layer> layers;
        for (int l = 0; l < n; ++l) images.push_back(noise(format, count, static_cast<unsigned>(l)));
        for (const auto& image : images) layers.push_back({format, image.data()});
        std::vector<std::byte> at_once(images[0].size()), in_parts(at_once);
        kernel::blend(format, at_once.data(), layers, count);

        for (std::int64_t begin = 0, step = 1; begin < count; begin += step, step = step * 2 + 1) {
          auto rest = layers;
          for (auto& l : rest) l.pixels += static_cast<std::size_t>(begin) * format.bytes();
          kernel::blend(format, in_parts.data() + static_cast<std::size_t>(begin) * format.bytes(), rest,
                        std::min(step, count - begin));
        }

        EXPECT_EQ(at_once, in_parts) << kernel::name_of(format) << ", " << n << " layers";
      }
}

// Oracle: the definition. The test uses all pairs of formats of a family.
TEST(blend, of_two_layers_takes_any_formats_of_a_family) {
  constexpr std::int64_t count = 301;
  for (const auto& [narrow, wide] :
       {std::pair{colour_format::rgba8, colour_format::rgba16}, std::pair{colour_format::rgba16f, colour_format::rgba32f}})
    for (const colour_format front : {narrow, wide})
      for (const colour_format back : {narrow, wide})
        for (const colour_format into : {narrow, wide}) {
          const auto a = noise({front, false}, count, 1), b = noise({back, false}, count, 2);
          const kernel::layer layers[] = {{{front, false}, a.data()}, {{back, false}, b.data()}};
          std::vector<std::byte> out(count * kernel::bytes_of(into));

          kernel::blend({into, false}, out.data(), layers, count);

          const double unit = into == colour_format::rgba16f ? 0x1p-11 : into == colour_format::rgba32f ? 0x1p-22 : 1.02;
          for (std::int64_t i = 0; i < count; ++i)
            for (int c = 0; c < 4; ++c)
              ASSERT_NEAR(kernel::value_of({into, false}, out.data() + static_cast<std::size_t>(i) * kernel::bytes_of(into))
                              .channel[c],
                          whole(into) * static_cast<double>(exact(layers, i).channel[c]), 0.5 * unit);
        }
}

// Oracle: the definition. Half of the layers are wide, and the result is wide. The error is at most half a unit of 1 /
// 65535, and the error of the accumulator.
TEST(blend, mixes_narrow_and_wide_layers) {
  constexpr std::int64_t count = 300;
  for (const colour_format colour : {colour_format::rgba8, colour_format::rgba16f}) {
    const pixel_format narrow{colour, false}, wide = kernel::wider(narrow);
    ASSERT_NE(narrow, wide);
    const auto a = noise(narrow, count, 1), b = noise(wide, count, 2), c = noise(narrow, count, 3);
    const kernel::layer layers[] = {{narrow, a.data()}, {wide, b.data()}, {narrow, c.data()}};
    std::vector<std::byte> out(count * wide.bytes());

    kernel::blend(wide, out.data(), layers, count);

    for (std::int64_t i = 0; i < count; ++i) {
      const auto expected = exact(layers, i);
      const auto got = kernel::value_of(wide, out.data() + static_cast<std::size_t>(i) * wide.bytes());
      const double unit = colour == colour_format::rgba8 ? 1 : 0x1p-22;
      for (int k = 0; k < 4; ++k)
        ASSERT_NEAR(got.channel[k], whole(wide.colour) * static_cast<double>(expected.channel[k]), 0.52 * unit);
    }
  }
}

// Oracle: a search for the least depth. Among equal depths, the front layer is selected. Oracle: all layers at once. The
// results must be bitwise equal, wherever the layers at the back are joined before the layers in front are added.
TEST(blend, joins_layers_at_the_back_without_a_trace) {
  constexpr std::int64_t count = 1003;
  for (const bool depth : {false, true})
    for (const colour_format narrow : all_colours)
      for (const bool wide_last : {false, true}) {
        const pixel_format format{narrow, depth};
        std::vector<std::vector<std::byte>> images;
        std::vector<kernel::layer> layers;
        for (unsigned l = 0; l < 10; ++l) {
          const pixel_format f = wide_last && l == 3 ? kernel::wider(format) : format;
          images.push_back(noise(f, count, l));
          layers.push_back({f, images.back().data()});
        }
        std::vector<std::byte> sum(count * kernel::unrounded(format).bytes());
        std::vector<std::byte> expected(count * format.bytes()), got(expected);
        for (std::size_t n = 3; n <= layers.size(); ++n)
          for (std::size_t front = 1; front + 2 <= n; ++front) {
            const std::span<const kernel::layer> all(layers.data(), n);
            kernel::blend(format, expected.data(), all, count);
            // In the first of two steps, the last two layers are joined. In the second step, the preceding layers are added.
            const kernel::layer joined{kernel::unrounded(format), sum.data()};
            kernel::blend(joined.format, sum.data(), all.subspan(n - 2), count);
            std::vector<kernel::layer> rest(all.begin() + static_cast<std::ptrdiff_t>(front), all.end() - 2);
            rest.push_back(joined);
            kernel::blend(joined.format, sum.data(), rest, count);
            rest.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(front));
            rest.push_back(joined);
            kernel::blend(format, got.data(), rest, count);
            ASSERT_EQ(got, expected) << kernel::name_of(format) << ", " << n << " layers, " << front << " in front";
          }
      }
}

TEST(blend, with_depth_takes_the_nearest) {
  constexpr std::int64_t count = 1111;
  for (const colour_format colour : all_colours) {
    const pixel_format format{colour, true};
    auto a = noise(format, count, 1), b = noise(format, count, 2), c = noise(format, count, 3);
    // A pixel with two equal depths, one in front and one behind.
    std::memcpy(b.data() + 7 * format.bytes() + kernel::bytes_of(colour),
                a.data() + 7 * format.bytes() + kernel::bytes_of(colour), 4);
    const kernel::layer layers[] = {{format, a.data()}, {format, b.data()}, {format, c.data()}};
    std::vector<std::byte> out(a.size());

    kernel::blend(format, out.data(), layers, count);

    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const std::byte* expected = a.data() + i * format.bytes();
      for (const auto* other : {&b, &c}) {
        const std::byte* candidate = other->data() + i * format.bytes();
        if (kernel::value_of(format, candidate).depth < kernel::value_of(format, expected).depth) expected = candidate;
      }
      ASSERT_EQ(std::memcmp(out.data() + i * format.bytes(), expected, format.bytes()), 0) << i;
    }
  }
}

// Oracle: every half is a float and is restored. A value between two halves is rounded to the nearest half, and a tie to
// even.
TEST(half, is_rounded_to_nearest_even) {
  const auto to_float = [](std::uint32_t h) { return kernel::from_half<float1>(word1{h})[0]; };
  const auto to_half = [](float f) { return kernel::to_half<float1, word1>(float1{f})[0]; };
  for (std::uint32_t h = 0; h < 0x7c00; ++h) {
    ASSERT_EQ(to_half(to_float(h)), h);
    ASSERT_EQ(to_half(-to_float(h)), h | 0x8000);
    if (h == 0x7bff) break;
    const float middle = (to_float(h) + to_float(h + 1)) / 2;  // exact
    ASSERT_EQ(to_half(middle), h + (h & 1)) << h;
    ASSERT_EQ(to_half(std::nextafter(middle, 0.0f)), h) << h;
    ASSERT_EQ(to_half(std::nextafter(middle, 1e9f)), h + 1) << h;
  }
  EXPECT_EQ(to_float(1), 0x1p-24f);
  EXPECT_EQ(to_float(0x3c00), 1.0f);
  EXPECT_EQ(to_float(0x7c00), INFINITY);
  EXPECT_EQ(to_half(65520.0f), 0x7c00u);
  EXPECT_EQ(to_half(INFINITY), 0x7c00u);
  EXPECT_TRUE(std::isnan(to_float(to_half(NAN))));
}

// Oracle: the single damaged pixel.
TEST(blend, finds_the_pixel_that_is_not_premultiplied) {
  constexpr std::int64_t count = 3000;
  for (const bool depth : {false, true})
    for (const colour_format colour : all_colours) {
      const pixel_format format{colour, depth};
      for (const std::int64_t spoilt : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1500}, count - 1})
        for (int channel = 0; channel < 3; ++channel) {
          auto pixels = noise(format, count, 5);
          double bad[4] = {0.1, 0.1, 0.1, 0.4};
          bad[channel] = 0.6;
          if (spoilt >= 0) put(format, pixels.data() + static_cast<std::size_t>(spoilt) * format.bytes(), bad, 0);
          EXPECT_EQ(kernel::first_bad_pixel(format, pixels.data(), count), spoilt) << kernel::name_of(format);
        }
    }
  const float not_a_number[4] = {0, NAN, 0, 1};
  EXPECT_EQ(kernel::first_bad_pixel({colour_format::rgba32f, false}, reinterpret_cast<const std::byte*>(not_a_number), 1),
            0);
}

TEST(blend, refuses_layers_of_two_families) {
  std::byte pixel[20]{};
  const kernel::layer mixed[] = {{{}, pixel}, {{colour_format::rgba32f, false}, pixel}};
  EXPECT_THROW(kernel::blend({}, pixel, mixed, 1), usage_error);
  EXPECT_THROW(kernel::blend({}, pixel, {}, 1), usage_error);
}

}  // namespace blend_test
