#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/composite/compositor.hpp>
#include <osteon/compositing/among_threads.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <random>
#include <support/partial_images.hpp>
#include <thread>

namespace compositor_test {

using namespace osteon;
using comm::transport;
using kernel::colour_format;

std::vector<int> shuffled(int n, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

comm::pixel_rectangle box_of(const comm::composite_options& o, int rank, unsigned frame) {
  if (rank % 4 == 3) return {};  // this rank has no data
  const auto cut = [&](std::uint64_t k, int size) {
    return static_cast<int>(test::hashed(frame, static_cast<std::uint64_t>(rank), k) * (size + 1));
  };
  const int a = cut(1, o.width), b = cut(2, o.width), c = cut(3, o.height), d = cut(4, o.height);
  return {std::min(a, b), std::min(c, d), std::max(a, b), std::max(c, d)};
}

comm::plan_maker method_named(const std::string& text) {
  return [method = plan::composite_method::parse(text)](int ranks, std::int64_t elements, std::span<const int> order,
                                                        int root) { return method.make(ranks, elements, order, root); };
}

// Largest distance of a channel from the exact value, in [0, 1].
double tolerance(const comm::composite_options& o, const comm::compositor& c, double value, int ranks) {
  if (o.format.depth) return 0;
  if (o.format.colour == colour_format::rgba32f) return 1e-6 * ranks;
  if (o.format.colour == colour_format::rgba16f) return 0x1p-11 * std::max(value, 0x1p-14) + 1e-6 * ranks;
  return (c.error_bound() + 1e-3 * ranks * (o.format.colour == colour_format::rgba16)) / test::whole(o.format.colour) + 1e-6;
}

// The ranks of a host are adjacent. The order of the hosts, and of the ranks in each host, is random.
std::vector<int> shuffled_in_hosts(int n, int ranks_per_host, unsigned seed) {
  const int hosts = (n + ranks_per_host - 1) / ranks_per_host;
  std::vector<int> order;
  for (const int h : shuffled(hosts, seed))
    for (const int l : shuffled(ranks_per_host, seed + 1))
      if (h * ranks_per_host + l < n) order.push_back(h * ranks_per_host + l);
  return order;
}

// Composites some frames. The parts of this rank are compared with the definition.
void expect_exact(comm::composite_options o, bool boxes) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  auto compositor = comm::compositor::make(MPI_COMM_WORLD, o);
  for (unsigned frame = 0; frame < 3; ++frame) {
    // The second frame has the order of the first frame. If there are hosts, the order of the third frame mixes the hosts.
    const auto order =
        o.ranks_per_host > 0 && frame < 2 ? shuffled_in_hosts(ranks, o.ranks_per_host, 5) : shuffled(ranks, frame / 2);
    std::vector<test::partial_image> images;
    const auto image_of = [&](int r) {
      return test::partial_image{o.format, o.width,
                                 o.height, r,
                                 frame,    boxes ? box_of(o, r, frame) : comm::pixel_rectangle{0, 0, o.width, o.height}};
    };
    for (const int r : order) images.push_back(image_of(r));
    image_of(rank).render(compositor.buffer(), boxes);

    const auto report = compositor.run(order, image_of(rank).active);

    const std::int64_t pixels = std::int64_t{o.width} * o.height;
    std::int64_t covered = 0;
    for (const plan::span part : compositor.parts()) {
      covered += part.size();
      for (std::int64_t i = part.begin; i < part.end; ++i) {
        const auto expected = test::exact(images, i);
        const auto got =
            kernel::value_of(o.format, compositor.picture().data() + static_cast<std::size_t>(i) * o.format.bytes());
        for (int c = 0; c < 4; ++c)
          ASSERT_NEAR(got.channel[c] / test::whole(o.format.colour), expected.channel[c],
                      tolerance(o, compositor, expected.channel[c], ranks))
              << compositor.description() << ", " << kernel::name_of(o.format) << ", frame " << frame << ", pixel " << i
              << ", channel " << c;
        if (o.format.depth) {
          ASSERT_EQ(got.depth, expected.depth) << "pixel " << i;
        }
      }
    }
    if (o.root >= 0) {
      EXPECT_EQ(covered, rank == o.root ? pixels : 0);
    }
    MPI_Allreduce(MPI_IN_PLACE, &covered, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(covered, pixels);
    EXPECT_GE(report.blend_seconds + report.exchange_seconds, 0);
  }
}

void expect_exact_in_all_formats(comm::composite_options o, bool boxes) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  for (const bool depth : {false, true})
    for (const colour_format colour :
         {colour_format::rgba8, colour_format::rgba16, colour_format::rgba16f, colour_format::rgba32f}) {
      o.format = {colour, depth};
      for (const int root : {-1, ranks / 2}) {
        o.root = root;
        expect_exact(o, boxes);
      }
    }
}

comm::composite_options picture_of(int width, int height, transport by) {
  comm::composite_options o;
  o.width = width;
  o.height = height;
  o.by = by;
  return o;
}

// Oracle of all following tests: the definition of `over`, or of the nearest layer, in double precision.
TEST(compositor, in_shared_memory_is_exact) { expect_exact_in_all_formats(picture_of(37, 23, transport::shared), false); }
TEST(compositor, in_shared_memory_heeds_boxes) { expect_exact_in_all_formats(picture_of(37, 23, transport::shared), true); }

TEST(compositor, by_binary_swap_is_within_its_bound) {
  auto o = picture_of(37, 23, transport::messages);
  o.method = method_named("binary-swap");
  expect_exact_in_all_formats(o, false);
}
TEST(compositor, by_sparse_binary_swap_is_within_its_bound) {
  auto o = picture_of(37, 23, transport::messages);
  o.method = method_named("binary-swap");
  o.sparse = true;
  expect_exact_in_all_formats(o, true);
}
TEST(compositor, by_direct_send_is_exact) {
  auto o = picture_of(37, 23, transport::messages);
  o.method = method_named("direct-send");
  expect_exact_in_all_formats(o, false);
}
TEST(compositor, by_sparse_direct_send_is_exact) {
  auto o = picture_of(37, 23, transport::messages);
  o.method = method_named("direct-send");
  o.sparse = true;
  expect_exact_in_all_formats(o, true);
}
// The test runs all methods based on plans with messages, for dense and for sparse images.
TEST(compositor, runs_every_method) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  for (const char* text : {"sequential", "sequential:all", "sequential:chain", "tree", "pipeline", "radix-k:3,2", "2-3-swap",
                           "2-3-4-swap", "direct-send:scheduled", "multi-step:2", "multi-step:2:direct-send:spans:tree",
                           "hybrid:2", "radix-k+leaders:2", "binary-swap+fan-in:2"})
    for (const bool sparse : {false, true}) {
      auto o = picture_of(37, 23, transport::messages);
      o.method = method_named(text);
      o.sparse = sparse;
      o.root = ranks / 2;
      SCOPED_TRACE(text);
      expect_exact(o, sparse);
    }
}
TEST(compositor, hybrid_is_within_its_bound) {
  for (const int ranks_per_host : {1, 2, 3}) {
    auto o = picture_of(37, 23, transport::hybrid);
    o.ranks_per_host = ranks_per_host;
    expect_exact_in_all_formats(o, ranks_per_host == 3);
  }
}
TEST(compositor, sparse_hybrid_is_within_its_bound) {
  auto o = picture_of(37, 23, transport::hybrid);
  o.ranks_per_host = 2;
  o.sparse = true;
  expect_exact_in_all_formats(o, true);
}
// Oracle: the size of an empty message is known. If a tenth of the rows is drawn, no rank sends more than its own part of
// these rows.
TEST(compositor, sparse_hybrid_leaves_out_what_nothing_was_drawn_in) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  auto o = picture_of(200, 100, transport::hybrid);
  o.ranks_per_host = 2;
  o.sparse = true;
  o.wide_between = false;
  o.method = method_named("direct-send");
  auto compositor = comm::compositor::make(MPI_COMM_WORLD, o);
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  for (const int rows : {0, 10}) {
    const auto pixels = compositor.buffer();
    std::fill(pixels.begin(), pixels.end(), std::byte{0xff});
    const auto report = compositor.run(order, {0, 40, o.width, 40 + rows});
    EXPECT_LE(report.bytes_sent, 2 * std::int64_t{rows} * o.width * 4 + 100 * ranks);
    if (comm::rank(MPI_COMM_WORLD) != 0) continue;
    for (std::size_t row = 0; row < 100; ++row)
      ASSERT_EQ(compositor.picture()[row * 800],
                row >= 40 && row < 40 + static_cast<std::size_t>(rows) ? std::byte{0xff} : std::byte{0})
          << row;
  }
}
// Oracle: execution of the same plan by threads. The results must be bitwise equal.
TEST(compositor, by_messages_has_the_bits_that_threads_have) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  const auto order = shuffled(ranks, 4);
  for (const char* text : {"direct-send", "binary-swap", "radix-k:3", "pipeline"})
    for (const colour_format colour : {colour_format::rgba8, colour_format::rgba32f}) {
      auto o = picture_of(411, 173, transport::messages);
      o.format = {colour, false};
      o.method = method_named(text);
      o.cores = ranks;  // a rank joins received parts while it waits
      const auto image_of = [&](int r) {
        return test::partial_image{o.format, o.width, o.height, r, 0, {0, 0, o.width, o.height}};
      };
      auto compositor = comm::compositor::make(MPI_COMM_WORLD, o);
      image_of(rank).render(compositor.buffer(), false);
      compositor.run(order);
      if (rank != 0) continue;
      compositing::among_threads here(o.method(ranks, std::int64_t{o.width} * o.height, order, 0), o.format);
      std::vector<std::thread> threads;
      for (int t = 0; t < ranks; ++t)
        threads.emplace_back([&, t] {
          image_of(t).render(here.image(t), false);
          here.run(t);
        });
      for (auto& t : threads) t.join();
      const auto expected = here.image(0);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), compositor.picture().begin()))
          << text << ", " << kernel::name_of(o.format);
    }
}
// Messages consist of several chunks, and stripes end anywhere.
TEST(compositor, cuts_long_messages) {
  for (const auto& method : {method_named("binary-swap"), method_named("direct-send")}) {
    auto o = picture_of(401, 257, transport::messages);
    o.method = method;
    expect_exact(o, false);
  }
}
TEST(compositor, takes_fewer_pixels_than_ranks) {
  for (const transport by : {transport::shared, transport::messages, transport::hybrid})
    expect_exact(picture_of(2, 1, by), false);
}

// Oracle: the documented bound. Layers that are blended in one step are rounded once. A swap adds 1/257 for each rounding of
// a partial result, and there is less than one such rounding per rank.
TEST(compositor, bounds_its_error) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  const auto bound_of = [&](comm::composite_options o) {
    auto compositor = comm::compositor::make(MPI_COMM_WORLD, o);
    test::partial_image{o.format, o.width, o.height, 0, 0, {0, 0, o.width, o.height}}.render(compositor.buffer(), false);
    compositor.run(shuffled(ranks, 1));
    double bound = compositor.error_bound();
    MPI_Allreduce(MPI_IN_PLACE, &bound, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return bound;
  };
  const double once = ranks > 1 ? 0.5 : 0;
  EXPECT_EQ(bound_of(picture_of(50, 40, transport::shared)), once);
  EXPECT_EQ(bound_of(picture_of(50, 40, transport::hybrid)), once);
  auto o = picture_of(50, 40, transport::messages);
  EXPECT_EQ(bound_of(o), once);
  o.method = method_named("binary-swap");
  EXPECT_GE(bound_of(o), once);
  EXPECT_LE(bound_of(o), once + (ranks - 1) / 257.0);
  o.wide_between = false;
  EXPECT_LE(bound_of(o), once + std::max(0, ranks - 2));
  o.method = method_named("direct-send");
  EXPECT_EQ(bound_of(o), once);
}

// Oracle: all ranks throw the same error, which states the pixel. The compositor is usable afterwards.
TEST(compositor, refuses_what_is_not_premultiplied) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  for (const transport by : {transport::shared, transport::messages, transport::hybrid}) {
    const auto o = picture_of(30, 20, by);
    auto compositor = comm::compositor::make(MPI_COMM_WORLD, o);
    const auto order = shuffled(ranks, 0);
    const auto image = [&] {
      const auto pixels = compositor.buffer();
      std::fill(pixels.begin(), pixels.end(), std::byte{0});
      return pixels;
    };
    const auto pixels = image();
    if (rank == ranks - 1) pixels[4 * (7 * 30 + 9)] = std::byte{40};
    try {
      compositor.run(order);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const data_error& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("(row 7, column 9) of rank " + std::to_string(ranks - 1)), std::string::npos) << text;
    }
    image();
    EXPECT_NO_THROW(compositor.run(order));
  }
}

TEST(compositor, refuses_what_cannot_be) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  EXPECT_THROW(comm::compositor::make(MPI_COMM_WORLD, picture_of(0, 10, transport::automatic)), usage_error);
  auto o = picture_of(10, 10, transport::automatic);
  o.root = ranks;
  EXPECT_THROW(comm::compositor::make(MPI_COMM_WORLD, o), usage_error);
  for (const transport by : {transport::shared, transport::messages, transport::hybrid}) {
    auto compositor = comm::compositor::make(MPI_COMM_WORLD, picture_of(10, 10, by));
    EXPECT_THROW(compositor.run(std::vector<int>(static_cast<std::size_t>(ranks) + 1, 0)), usage_error);
  }
}

}  // namespace compositor_test
