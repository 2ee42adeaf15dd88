#include <gtest/gtest.h>

#include <osteon/base/disjoint_sets.hpp>
#include <osteon/base/splitmix.hpp>
#include <random>

namespace disjoint_sets_test {

using namespace osteon;

// Oracle: labels. Each union rewrites all labels of one set.
TEST(disjoint_sets, are_those_of_labels_written_anew) {
  std::mt19937 generator(3);
  constexpr std::int32_t count = 200;
  disjoint_sets sets(count / 2);
  sets.grow(count / 2);
  std::vector<std::int32_t> label(count);
  std::iota(label.begin(), label.end(), 0);
  for (int n = 0; n < 150; ++n) {
    const auto i = static_cast<std::int32_t>(generator() % count), j = static_cast<std::int32_t>(generator() % count);
    sets.unite(i, j);
    const auto [low, high] = std::minmax({label[at(i)], label[at(j)]});
    std::replace(label.begin(), label.end(), int{high}, int{low});
  }
  for (std::int32_t i = 0; i < count; ++i) EXPECT_EQ(sets.find(i), label[at(i)]);

  std::vector<std::int32_t> roots;
  const std::vector<std::int32_t> number = sets.number([&](std::int32_t root) { roots.push_back(root); });
  EXPECT_TRUE(std::is_sorted(roots.begin(), roots.end()));
  for (std::int32_t i = 0; i < count; ++i) EXPECT_EQ(roots[at(number[at(i)])], label[at(i)]);
}

// Oracle: the first numbers of the published generator from the seed 1234567.
TEST(splitmix64, gives_the_published_numbers) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t want :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U, 16408922859458223821U}) {
    EXPECT_EQ(splitmix64(state), want);
    state += splitmix_increment;
  }
}

}  // namespace disjoint_sets_test
