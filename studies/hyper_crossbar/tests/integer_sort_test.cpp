#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <random>
#include <studies/hyper_crossbar/integer_sort/run.hpp>
#include <studies/hyper_crossbar/integer_sort/verify.hpp>

namespace integer_sort_test {

using namespace osteon;
using namespace osteon::studies;
using namespace osteon::studies::integer_sort;

// The number of keys is not a multiple of three ranks. For a digit of all bits, counts of 8 bits are used first. The counts
// of the sequence "equal" do not fit into 8 bits.
const problem_class small{'x', 10, 6, {0, 1, 2, 3, 1023}, {}};

std::vector<std::int32_t> sequence(const std::string& kind) {
  std::vector<std::int32_t> keys(static_cast<std::size_t>(small.keys()));
  std::mt19937 random(7);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = kind == "equal"        ? 5
              : kind == "two values" ? (i % 3 == 0 ? 63 : 0)
              : kind == "descending" ? static_cast<std::int32_t>(63 - i / 16)
                                     : static_cast<std::int32_t>(random() % 64);
  return keys;
}

void sorts_like_stable_sort(const std::vector<int>& widths, radix_sort::tables way) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  const blocks all(small.keys(), ranks);
  const auto first = static_cast<std::size_t>(all.begin(rank)), count = static_cast<std::size_t>(all.count(rank));
  radix_sort sort(MPI_COMM_WORLD, small, digits_of(small, widths), way);
  for (const std::string kind : {"equal", "two values", "descending", "random"}) {
    SCOPED_TRACE(kind);
    const auto keys = sequence(kind);
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    const std::array<std::int32_t, tests> test_keys{keys[0], keys[1], keys[2], keys[3], keys[1023]};

    const std::span<const std::int32_t> mine(keys.data() + first, count);
    auto below = sort.rank(mine, test_keys);
    const arrangement sorted = sort.arrange();

    ASSERT_EQ(sorted.origins.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(sorted.origins[i], order[first + i]);
      ASSERT_EQ(sorted.keys[i], keys[order[first + i]]);
    }
    EXPECT_EQ(fault_of(MPI_COMM_WORLD, mine, all.begin(rank), sorted), "");
    MPI_Allreduce(MPI_IN_PLACE, below.data(), tests, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (std::size_t t = 0; t < tests; ++t)
      EXPECT_EQ(below[t], std::count_if(keys.begin(), keys.end(), [&](auto k) { return k < test_keys[t]; }));
  }
}

// Oracle: std::stable_sort of the whole sequence.
TEST(radix_sort, arranges_keys_as_a_stable_sort_does) {
  for (const auto way : {radix_sort::tables::shared, radix_sort::tables::messages})
    for (const auto& widths : {std::vector{6}, {4, 2}, {1, 5}, {2, 2, 2}, {1, 1, 1, 1, 1, 1}}) {
      SCOPED_TRACE(testing::PrintToString(widths));
      sorts_like_stable_sort(widths, way);
    }
}

// Oracle: the ranks of the test keys in the specification of the benchmark, in all ten iterations.
TEST(integer_sort, verifies_as_the_benchmark_demands) {
  for (const auto& [letter, digits] :
       {std::pair<const char*, std::vector<int>>{"S", {}}, {"S", {6, 5}}, {"W", {}}, {"W", {8, 8}}, {"W", {5, 5, 6}}})
    for (const char* tables : {"shared", "messages"}) {
      const auto report = run(MPI_COMM_WORLD, {letter, digits, tables, std::string(tables) == "shared" ? "auto" : "ring"});
      EXPECT_EQ(report.found, tests * iterations) << letter << " " << report.digits << " " << tables;
      EXPECT_EQ(report.fault, "") << letter << " " << report.digits << " " << tables;
      EXPECT_EQ(report.tables, tables);
      EXPECT_EQ(report.exchanges.size(), digits.empty() ? 0 : digits.size() - 1);
    }
}

// Oracle: a deliberate fault in the sorted keys.
TEST(verification, finds_a_lost_key_and_a_wrong_order) {
  const int rank = comm::rank(MPI_COMM_WORLD);
  const huge_vector<std::int32_t> keys{rank * 10, rank * 10 + 1, rank * 10 + 1};
  const auto first = static_cast<std::uint32_t>(3 * rank);
  const arrangement right{keys, {first, first + 1, first + 2}};
  const auto fault = [&](arrangement sorted) { return fault_of(MPI_COMM_WORLD, keys, first, sorted); };
  EXPECT_EQ(fault(right), "");
  arrangement unstable = right, doubled = right, foreign = right;
  if (rank == 0) {
    std::swap(unstable.origins[1], unstable.origins[2]);
    doubled.keys[0] = 1;
    foreign.origins[2] = 99;
    foreign.keys[2] = 2;
  }
  EXPECT_NE(fault(unstable).find("out of order"), std::string::npos);
  EXPECT_NE(fault(doubled), "");
  EXPECT_NE(fault(foreign), "");
}

// Oracle: counted by hand. Counts of 8 bits overflow. The sum of the counts reveals the overflow.
TEST(count_digits, counts_bits_of_keys) {
  std::vector<std::int32_t> keys(70'001, 0x35);
  keys[17] = 0x21;
  keys[70'000] = 0x12f;
  std::vector<std::uint32_t> counts(16, 99);
  count_digits(keys, {4, 4}, counts);
  std::vector<std::uint32_t> expected(16);
  expected[3] = 69'999;
  expected[2] = 2;
  EXPECT_EQ(counts, expected);
  std::vector<std::uint8_t> bytes(16, 99);
  count_digits(keys, {4, 4}, bytes);
  EXPECT_EQ(bytes[3], 69'999 % 256);
  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), 0), 70'001 - 69'999 / 256 * 256);
}

// Oracle: division of integers.
TEST(blocks, know_the_owner_of_a_place) {
  for (const auto& [keys, ranks] : {std::pair{std::int64_t{1} << 31, 3}, {std::int64_t{1} << 31, 1}, {1024, 7}, {5, 4}}) {
    const blocks all(keys, ranks);
    const std::int64_t size = (keys + ranks - 1) / ranks;
    for (const std::int64_t near : {std::int64_t{0}, size, 2 * size, keys})
      for (std::int64_t place = std::max<std::int64_t>(near - 2, 0); place < std::min(near + 2, keys); ++place) {
        EXPECT_EQ(all.owner(static_cast<std::uint32_t>(place)), place / size);
        EXPECT_GE(place, all.begin(all.owner(static_cast<std::uint32_t>(place))));
      }
    std::int64_t sum = 0;
    for (int r = 0; r < ranks; ++r) sum += all.count(r);
    EXPECT_EQ(sum, keys);
  }
}

// Oracle: the whole sequence, generated by one call.
TEST(make_keys, gives_a_rank_its_part_of_one_sequence) {
  const problem_class& what = problem_of("S");
  std::vector<std::int32_t> all(1000), part(300);
  make_keys(what, 0, all);
  make_keys(what, 555, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 555));
}

// Oracle: the rules for the input. The error messages are equal on all ranks.
TEST(integer_sort, refuses_what_cannot_be) {
  const auto message = [](const run_options& options) {
    try {
      run(MPI_COMM_WORLD, options);
    } catch (const usage_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(message({"X", {}, "auto", "auto"}).find("use S, W, A, B, C or D"), std::string::npos);
  EXPECT_NE(message({"S", {6, 6}, "auto", "auto"}).find("make up 12 bits"), std::string::npos);
  EXPECT_NE(message({"S", {0, 11}, "auto", "auto"}).find("a digit of 0 bits"), std::string::npos);
  EXPECT_NE(message({"S", {}, "tables", "auto"}).find("auto, shared or messages"), std::string::npos);

  const problem_class& large = problem_of("D");
  EXPECT_THROW(check_memory(large, digits_of(large, {27}), 4, 4, std::int64_t{24} << 30), machine_error);
  EXPECT_NO_THROW(check_memory(large, digits_of(large, {27}), 4, 1, std::int64_t{256} << 30));
}

}  // namespace integer_sort_test
