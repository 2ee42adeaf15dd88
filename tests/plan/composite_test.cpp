// All compositing methods are executed on symbols.
//
// The usual run tests one order and one root for each number of ranks. It tests numbers of ranks up to 100, and some larger
// numbers. For methods with n^2 messages, it tests 1 to 19 ranks and a few larger numbers. For every third number, there are
// fewer pixels than ranks. The long run tests all numbers up to 257 for the other methods. With OSTEON_ALL_RANK_COUNTS=1,
// the tests run all numbers, orders and roots for all methods.
#include <gtest/gtest.h>

#include <cstdlib>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/plan/verify.hpp>
#include <plan/spoilt.hpp>

#include "support/long_tests.hpp"

namespace composite_test {

using namespace osteon;
using plan::composite_method;

constexpr int most_ranks = 257;

bool all_rank_counts() { return std::getenv("OSTEON_ALL_RANK_COUNTS") != nullptr; }

// The distance from n to the next number of ranks that is tested.
int step_from(int n, bool many_messages) {
  if (all_rank_counts() || n < 20) return 1;
  if (many_messages) return n < 64 ? 11 : 48;
  return test::with_long_tests() || n < 100 ? 1 : 13;
}

std::vector<int> rank_counts(bool many_messages) {
  std::vector<int> result;
  for (int n = 1; n <= most_ranks; n += step_from(n, many_messages)) result.push_back(n);
  return result;
}

struct method_case {
  const char* text;
  bool many_messages;
  // The maximum number of elements that a rank may need in addition to the object, for n ranks and e elements.
  std::int64_t (*staged)(std::int64_t n, std::int64_t e);
};

std::int64_t image(std::int64_t n, std::int64_t e) { return e + n; }  // n - 1 stripes, each rounded up
std::int64_t stripe(std::int64_t n, std::int64_t e) { return (e + n - 1) / n; }
std::int64_t two_stripes(std::int64_t n, std::int64_t e) { return 2 * stripe(n, e); }
std::int64_t half(std::int64_t, std::int64_t e) { return (e + 1) / 2; }
std::int64_t two_thirds(std::int64_t n, std::int64_t e) { return n == 2 ? (e + 1) / 2 : (2 * e + 2) / 3 + 1; }
std::int64_t all_images(std::int64_t n, std::int64_t e) { return (n - 1) * e; }

const std::vector<method_case> cases{
    {"sequential", false, image},
    {"sequential:3", false, [](std::int64_t, std::int64_t e) { return 3 * e; }},
    {"sequential:all", false, all_images},
    {"sequential:chain", false, [](std::int64_t, std::int64_t e) { return 2 * e; }},
    {"direct-send", true, image},
    {"direct-send:scheduled", true, stripe},
    {"direct-send:scheduled:5", true, [](std::int64_t n, std::int64_t e) { return 5 * stripe(n, e); }},
    {"direct-send:overlap", true, image},
    {"slic", true, stripe},
    {"pipeline", true, two_stripes},
    {"tree", false, image},
    {"binary-swap", false, half},
    {"2-3-swap", false, two_thirds},
    {"2-3-4-swap", false, image},
    {"radix-k", false, image},
    {"radix-k:8,4", false, image},
    {"radix-k:3,5,2", false, image},
    {"multi-step:4", false, image},
    {"multi-step:16:direct-send:tree", false, image},
    {"multi-step:10:tree:binary-swap", false, image},
    {"multi-step:7:binary-swap:spans:tree", false, image},
    {"multi-step:5:radix-k:3:spans:radix-k:4", false, image},
    {"multi-step:32:multi-step:4:pipeline:direct-send:scheduled:2:spans:2-3-swap", false, image},
    {"hybrid:4", false, image},
    {"binary-swap+fan-in:3", false, half},
    {"radix-k:4+leaders:8", false, image},
    {"pipeline+none", true, two_stripes},
    {"direct-send+fan-in:1", true, image},
};

class composite : public testing::TestWithParam<method_case> {};

// Oracle: symbolic execution (verify), which is tested on damaged plans. The memory is compared with the bound in the
// documentation of the method.
TEST_P(composite, is_sound_for_any_ranks_order_and_size) {
  const auto& method = composite_method::parse(GetParam().text);
  for (const int n : rank_counts(GetParam().many_messages))
    for (const std::int64_t elements : {std::int64_t{5003}, std::int64_t{n / 2 + 1}}) {
      if (elements < n && n > 20 && n % 3 != 0 && !all_rank_counts()) continue;
      const int seeds = all_rank_counts() && !GetParam().many_messages ? 3 : 1;
      for (int seed = 0; seed < seeds; ++seed) {
        const auto order = plan::shuffled(n, static_cast<unsigned>(n + 1000 * seed));
        const bool no_root = (n + seed) % 5 == 4 || method.collect.method == plan::collect_method::none;
        const int root = no_root ? -1 : (n / 3 + 7 * seed) % n;
        const auto p = method.make(n, elements, order, root);
        const auto problems = plan::verify(p, {order, root, GetParam().staged(n, elements)});
        ASSERT_TRUE(problems.empty()) << n << " ranks, " << elements << " elements, root " << root << "\n"
                                      << plan::words(problems);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(every_method, composite, testing::ValuesIn(cases), [](const auto& one) {
  std::string name = one.param.text;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

}  // namespace composite_test
