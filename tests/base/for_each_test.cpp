#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/for_each.hpp>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace for_each_test {

using namespace osteon;

TEST(for_each, visits_every_index_once) {
  std::vector<int> visits(10007, 0);
  int* count = visits.data();
  for_each(10007, [=](std::int64_t i) { ++count[i]; });
  for (const int v : visits) ASSERT_EQ(v, 1);
}

TEST(for_each_block, covers_the_range_without_overlap) {
  std::vector<int> visits(1001, 0);
  for_each_block(1001, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  for (const int v : visits) ASSERT_EQ(v, 1);
}

// Invariant: the results are bitwise equal for every number of threads.
TEST(reduce_blocks, does_not_depend_on_the_number_of_threads) {
  const auto sum = [] {
    return reduce_blocks(100003, [](std::int64_t begin, std::int64_t end) {
      double s = 0;
      for (std::int64_t i = begin; i < end; ++i) s += std::sin(static_cast<double>(i));
      return s;
    });
  };
  omp_set_num_threads(1);
  const double one = sum();
  for (const int threads : {2, 3, 4}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(sum(), one);
  }
}

}  // namespace for_each_test
