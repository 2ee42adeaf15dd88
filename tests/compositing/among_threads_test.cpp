#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/compositing/among_threads.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <random>
#include <support/partial_images.hpp>
#include <thread>

namespace among_threads_test {

using namespace osteon;
using compositing::among_threads;
using kernel::colour_format;
using plan::arrival;

constexpr const char* methods[] = {"sequential",
                                   "sequential:2",
                                   "sequential:all",
                                   "sequential:chain",
                                   "tree",
                                   "direct-send",
                                   "direct-send:overlap",
                                   "slic",
                                   "direct-send:scheduled:2",
                                   "pipeline",
                                   "binary-swap",
                                   "2-3-swap",
                                   "2-3-4-swap",
                                   "radix-k:3,2",
                                   "multi-step:2",
                                   "hybrid:2",
                                   "radix-k+leaders:2",
                                   "multi-step:3:direct-send:spans:tree",
                                   "binary-swap+none",
                                   "binary-swap+fan-in:2"};
constexpr colour_format colours[] = {colour_format::rgba8, colour_format::rgba16, colour_format::rgba16f,
                                     colour_format::rgba32f};

std::vector<int> shuffled(int n, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

test::partial_image image_of(kernel::pixel_format format, std::int64_t elements, int thread, unsigned frame) {
  const auto width = static_cast<int>(elements);
  return {format, width, 1, thread, frame, {0, 0, width, 1}};
}

// One pixel of a rank during a literal execution of a plan. All messages of a round are processed at once, pixel by pixel.
struct value {
  std::array<std::byte, 20> bytes{};
  kernel::pixel_format format;
  int layers = 1;
};
using object = std::vector<value>;

value joined(const std::vector<value>& layers, kernel::pixel_format format, bool wide_between, int ranks) {
  value sum;
  sum.layers = 0;
  std::vector<kernel::layer> all;
  for (const value& v : layers) {
    sum.layers += v.layers;
    all.push_back({v.format, v.bytes.data()});
  }
  sum.format = wide_between && sum.layers < ranks ? kernel::wider(format) : format;
  kernel::blend(sum.format, sum.bytes.data(), all, 1);
  return sum;
}

std::vector<object> follow(const plan::plan& what, std::vector<object> objects, kernel::pixel_format format,
                           bool wide_between) {
  for (std::int64_t number = 0; number < what.rounds; ++number) {
    const std::vector<object> before = objects;
    for (std::size_t rank = 0; rank < objects.size(); ++rank) {
      std::vector<std::vector<value>> layers(objects[rank].size());
      std::vector<bool> blends(objects[rank].size(), false);
      for (const plan::message& m : what.of(static_cast<int>(rank), number).receives)
        for (std::int64_t e = m.elements.begin; e < m.elements.end; ++e) {
          const auto i = static_cast<std::size_t>(e);
          const value& came = before[static_cast<std::size_t>(m.peer)][i];
          auto& l = layers[i];
          if (l.empty()) l = {before[rank][i]};
          if (m.on_arrival == arrival::place)
            l = {came};
          else
            l.insert(m.on_arrival == arrival::blend_front ? l.begin() : l.end(), came), blends[i] = true;
        }
      for (std::size_t i = 0; i < layers.size(); ++i)
        if (!layers[i].empty())
          objects[rank][i] = blends[i] ? joined(layers[i], format, wide_between, what.ranks) : layers[i].front();
    }
  }
  for (std::size_t rank = 0; rank < objects.size(); ++rank)
    for (const plan::span s : what.result(static_cast<int>(rank)))
      for (auto i = static_cast<std::size_t>(s.begin); i < static_cast<std::size_t>(s.end); ++i)
        if (value& v = objects[rank][i]; v.format != format) {
          const value wide = v;
          const kernel::layer one[] = {{wide.format, wide.bytes.data()}};
          kernel::blend(format, v.bytes.data(), one, 1);
        }
  return objects;
}

void run_all(among_threads& compositor) {
  std::vector<std::thread> threads;
  for (int t = 0; t < compositor.threads(); ++t) threads.emplace_back([&, t] { compositor.run(t); });
  for (auto& t : threads) t.join();
}

void expect_followed(const plan::plan& what, kernel::pixel_format format, bool wide_between = true, unsigned frames = 2) {
  among_threads compositor(what, format, wide_between);
  const std::size_t bytes = format.bytes();
  for (unsigned frame = 0; frame < frames; ++frame) {
    std::vector<object> objects(static_cast<std::size_t>(what.ranks));
    for (int t = 0; t < what.ranks; ++t) {
      const auto to = compositor.image(t);
      image_of(format, what.elements, t, frame).render(to, false);
      for (std::size_t i = 0; i < static_cast<std::size_t>(what.elements); ++i) {
        value& v = objects[static_cast<std::size_t>(t)].emplace_back();
        v.format = format;
        std::memcpy(v.bytes.data(), to.data() + i * bytes, bytes);
      }
    }
    run_all(compositor);
    const auto expected = follow(what, objects, format, wide_between);
    std::int64_t covered = 0;
    for (int t = 0; t < what.ranks; ++t)
      for (const plan::span part : compositor.parts(t)) {
        covered += part.size();
        for (auto i = static_cast<std::size_t>(part.begin); i < static_cast<std::size_t>(part.end); ++i)
          ASSERT_EQ(std::memcmp(compositor.image(t).data() + i * bytes,
                                expected[static_cast<std::size_t>(t)][i].bytes.data(), bytes),
                    0)
              << what.name << ", " << what.ranks << " threads, " << kernel::name_of(format) << ", frame " << frame
              << ", thread " << t << ", pixel " << i;
      }
    EXPECT_EQ(covered, what.elements) << what.name;
  }
}

// Oracle: the plan executed literally, pixel by pixel. The results must be bitwise equal. The test uses every method,
// several numbers of threads, all formats, permuted orders of visibility, and parts of unequal size.
TEST(among_threads, composites_bitwise_as_planned) {
  for (int n = 1; n <= 9; ++n)
    for (const char* text : methods) {
      const auto what = plan::composite_method::parse(text).make(n, 101, shuffled(n, static_cast<unsigned>(n)), n / 2);
      for (const bool depth : {false, true})
        for (const colour_format colour : colours) expect_followed(what, {colour, depth}, true, depth ? 1 : 2);
    }
}

TEST(among_threads, composites_fewer_pixels_than_threads_and_narrow_between) {
  for (const char* text : methods) {
    expect_followed(plan::composite_method::parse(text).make(7, 3, shuffled(7, 1), 0), {});
    expect_followed(plan::composite_method::parse(text).make(6, 50, shuffled(6, 2), -1), {}, false);
  }
}

// Oracle: the definition of `over` in double precision. The error is at most half a unit for layers that are blended in one
// step.
TEST(among_threads, is_exact_for_many_pixels) {
  constexpr int n = 5, elements = 200'003;
  const auto order = shuffled(n, 3);
  const auto what = plan::composite_method::parse("direct-send").make(n, elements, order, 1);
  among_threads compositor(what, {});
  std::vector<test::partial_image> images;
  for (const int t : order) {
    images.push_back(image_of({}, elements, t, 0));
    images.back().render(compositor.image(t), false);
  }
  run_all(compositor);
  EXPECT_EQ(compositor.error_bound(), 0.5);
  for (std::int64_t i = 0; i < elements; i += 7) {
    const auto expected = test::exact(images, i);
    for (std::size_t c = 0; c < 4; ++c)
      ASSERT_NEAR(static_cast<double>(compositor.image(1)[4 * static_cast<std::size_t>(i) + c]), 255 * expected.channel[c],
                  0.5001)
          << i;
  }
}

plan::plan by_hand(std::int64_t elements, std::vector<plan::rank_plan> parts) {
  return plan::plan_of("by hand", elements, std::move(parts));
}

// Oracle: the definition of `over` in double precision. Two ranks exchange the same pixels. Each rank overwrites pixels that
// the other rank still reads.
TEST(among_threads, exchanges_the_same_pixels_both_ways) {
  const plan::span half{0, 40}, all{0, 90};
  const auto what = by_hand(90, {{{{{{1, all, arrival::blend_front}}, {{1, half, arrival::blend_back}}}}, {half}},
                                 {{{{{0, half, arrival::blend_back}}, {{0, all, arrival::blend_front}}}}, {{40, 90}}}});
  for (const colour_format colour : colours) expect_followed(what, {colour, false});
  const among_threads compositor(what, {});
  EXPECT_EQ(compositor.working_memory(1), 4 * 40);
}

// Oracle: a pair of threads finishes before the other pair has begun.
TEST(among_threads, waits_only_for_needed_messages) {
  const plan::span all{0, 10};
  std::vector<plan::rank_plan> parts;
  for (int r = 0; r < 4; ++r)
    parts.push_back(r % 2 == 0 ? plan::rank_plan{{{{}, {{r + 1, all, arrival::blend_back}}}}, {all}}
                               : plan::rank_plan{{{{{r - 1, all, arrival::blend_back}}, {}}}, {}});
  among_threads compositor(by_hand(10, parts), {});
  for (const int first : {0, 2}) {
    std::thread a([&] { compositor.run(first); }), b([&] { compositor.run(first + 1); });
    a.join();
    b.join();
  }
}

// Oracle: the additional memory is the memory of half-blended pixels, for any number of messages.
TEST(among_threads, needs_little_beside_the_images) {
  const auto beside = [](const char* text, int n) {
    const among_threads compositor(plan::composite_method::parse(text).make(n, 9000, shuffled(n, 1), 0), {});
    std::int64_t most = 0;
    for (int t = 0; t < n; ++t) most = std::max(most, compositor.working_memory(t));
    return most;
  };
  EXPECT_EQ(beside("direct-send", 9), 0);
  EXPECT_EQ(beside("sequential:all", 9), 0);
  EXPECT_LE(beside("binary-swap", 8), 8 * 9000 / 2);
}

// Oracle: a usage_error is thrown, and no thread waits forever.
TEST(among_threads, refuses_plans_that_would_wait) {
  const plan::span all{0, 10};
  const plan::rank_plan sends{{{{{1, all}}, {}}}, {}}, receives{{{{}, {{0, all}}}}, {all}}, idle{};
  EXPECT_THROW(among_threads(by_hand(10, {sends, idle}), {}), usage_error);
  EXPECT_THROW(among_threads(by_hand(10, {idle, receives}), {}), usage_error);
  EXPECT_NO_THROW(among_threads(by_hand(10, {sends, receives}), {}));
}

}  // namespace among_threads_test
