#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <studies/hyper_crossbar/integer_sort/npb_random.hpp>
#include <studies/hyper_crossbar/integer_sort/problem.hpp>

namespace osteon::studies::integer_sort {

namespace {

// The values are from the specification of the benchmark and from its reference implementation.
constexpr std::array<problem_class, 6> problems{{
    {'S', 16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}},
    {'W', 20, 16, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}},
    {'A', 23, 19, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}},
    {'B', 25, 21, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99}},
    {'C', 27, 23, {44172927, 72999161, 74326391, 129606274, 21736814}, {61147, 882988, 266290, 133997595, 133525895}},
    {'D',
     31,
     27,
     {1317351170, 995930646, 1157283250, 1503301535, 1453734525},
     {1, 36538729, 1978098519, 2145192618, 2147425337}},
}};

}  // namespace

std::int64_t problem_class::expected_rank(int test, int iteration) const {
  const auto t = static_cast<std::size_t>(test);
  // In each iteration, two keys change. One changed key is below the small test keys, and the other changed key is above the
  // large test keys.
  const int grows = letter == 'B' ? (test == 1 || test == 2 || test == 4) : test < (letter == 'W' || letter == 'D' ? 2 : 3);
  int steps = iteration;
  if (letter == 'A') steps = iteration - 1;
  if (letter == 'W' && grows) steps = iteration - 2;
  return test_rank[t] + (grows ? steps : -steps);
}

const problem_class& problem_of(const std::string& letter) {
  for (const problem_class& p : problems)
    if (letter == std::string(1, p.letter)) return p;
  throw usage_error(fmt::format("class '{}' of the integer sort: use S, W, A, B, C or D", letter));
}

void make_keys(const problem_class& problem, std::int64_t first, std::span<std::int32_t> keys) {
  npb_random random;
  random.skip(4 * static_cast<std::uint64_t>(first));
  for (std::int32_t& key : keys) key = npb_is_key(random, problem.values());
}

void change_keys(const problem_class& problem, int iteration, std::int64_t first, std::span<std::int32_t> keys) {
  const auto set = [&](std::int64_t index, std::int64_t key) {
    if (index >= first && index < first + std::ssize(keys))
      keys[static_cast<std::size_t>(index - first)] = static_cast<std::int32_t>(key);
  };
  set(iteration, iteration);
  set(iteration + iterations, problem.values() - iteration);
}

}  // namespace osteon::studies::integer_sort
