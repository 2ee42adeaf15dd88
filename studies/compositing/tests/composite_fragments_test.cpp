#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <random>
#include <studies/compositing/fragments/composite_fragments.hpp>

namespace composite_fragments_test {

using namespace osteon;
using namespace osteon::studies;

constexpr std::int64_t pixels = 1003;

// Each pixel has up to five consecutive intervals. Pixels 500 to 599 have no intervals.
std::vector<fragment> all_fragments() {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(0, 1);
  std::vector<fragment> result;
  for (std::int64_t p = 0; p < pixels; ++p) {
    if (p >= 500 && p < 600) continue;
    float z = 0;
    for (auto n = random() % 6; n > 0; --n) {
      fragment f{p, z + any(random), 0, {0, 0, 0, any(random)}};
      z = f.z_back = f.z_front + any(random);
      for (int c = 0; c < 3; ++c) f.rgba[c] = f.rgba[3] * any(random);
      result.push_back(f);
    }
  }
  return result;
}

// Fragments of a rank after a random distribution.
std::vector<fragment> share(std::vector<fragment> all, unsigned seed) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  std::shuffle(all.begin(), all.end(), std::mt19937(seed));
  std::vector<fragment> mine;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<int>(i * i % 17) % ranks == rank) mine.push_back(all[i]);
  return mine;
}

// Oracle: the blend `over` from back to front in double precision. For every distribution of fragments, the results are
// bitwise equal.
TEST(fragments, are_blended_in_the_order_of_depth_of_each_pixel) {
  const auto all = all_fragments();
  std::vector<double> expected(4 * pixels);
  for (auto f = all.rbegin(); f != all.rend(); ++f)
    for (int c = 3; c >= 0; --c) {
      double& sum = expected[static_cast<std::size_t>(4 * f->pixel + c)];
      sum = f->rgba[c] + (1.0 - f->rgba[3]) * sum;
    }

  const auto first = composite_fragments(MPI_COMM_WORLD, share(all, 1), pixels, 0);
  const auto second = composite_fragments(MPI_COMM_WORLD, share(all, 2), pixels, 0);

  EXPECT_EQ(first.overlaps, 0);
  EXPECT_EQ(first.rgba, second.rgba);
  if (comm::rank(MPI_COMM_WORLD) == 0) {
    ASSERT_EQ(first.rgba.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(first.rgba[i], expected[i], 1e-6) << i;
  } else {
    EXPECT_TRUE(first.rgba.empty());
  }
}

// Oracle: computed by hand. The second fragment begins inside the first fragment. The third fragment begins at the end of
// the second fragment.
TEST(fragments, that_overlap_are_counted) {
  std::vector<fragment> mine;
  if (comm::rank(MPI_COMM_WORLD) == 0)
    mine = {{4, 0, 2, {0, 0, 0, 0.5f}}, {4, 1, 3, {0.5f, 0, 0, 0.5f}}, {4, 3, 4, {0, 0, 0, 1}}};
  const auto picture = composite_fragments(MPI_COMM_WORLD, mine, 10, 0);
  EXPECT_EQ(picture.overlaps, 1);
  if (comm::rank(MPI_COMM_WORLD) == 0) {
    EXPECT_EQ(picture.rgba[16], 0.25f);
    EXPECT_EQ(picture.rgba[19], 1.0f);
  }
}

// Oracle: every rank throws an error, although only the input of the last rank is invalid.
TEST(fragments, that_cannot_be_are_refused) {
  const bool culprit = comm::rank(MPI_COMM_WORLD) + 1 == comm::size(MPI_COMM_WORLD);
  const auto refused = [&](const fragment& bad) {
    std::vector<fragment> mine;
    if (culprit) mine.push_back(bad);
    EXPECT_THROW(composite_fragments(MPI_COMM_WORLD, mine, 10, 0), data_error);
  };
  refused({10, 0, 1, {0, 0, 0, 1}});
  refused({-1, 0, 1, {0, 0, 0, 1}});
  refused({3, 2, 1, {0, 0, 0, 1}});
  refused({3, NAN, 1, {0, 0, 0, 1}});
  refused({3, 0, 1, {0.6f, 0, 0, 0.5f}});
  EXPECT_THROW(composite_fragments(MPI_COMM_WORLD, {}, -1, 0), usage_error);
  // If a rank has more pixels than fit into an int, an error is thrown before allocation.
  EXPECT_THROW(composite_fragments(MPI_COMM_WORLD, {}, std::int64_t{1} << 40, 0), usage_error);
  EXPECT_THROW(composite_fragments(MPI_COMM_WORLD, {}, 10, comm::size(MPI_COMM_WORLD)), usage_error);
}

}  // namespace composite_fragments_test
