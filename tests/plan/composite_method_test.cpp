// Tests of the characteristics of each compositing method: number of messages, rounds, memory, laziness, and name.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/plan/composite/overlap.hpp>
#include <osteon/plan/verify.hpp>
#include <plan/spoilt.hpp>
#include <set>

namespace composite_method_test {

using namespace osteon;
using plan::composite_method;

plan::plan_summary counts(const std::string& method, int n, std::int64_t elements = 5040) {
  return plan::summarise(composite_method::parse(method).make(n, elements, plan::shuffled(n, 5), 0));
}

std::string refusal(const std::string& method) {
  try {
    composite_method::parse(method);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

using boxes = std::vector<std::vector<plan::span>>;

boxes random_boxes(int n, int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  boxes result;
  for (int r = 0; r < n; ++r) {
    const int left = static_cast<int>(random() % static_cast<unsigned>(width)),
              top = static_cast<int>(random() % static_cast<unsigned>(height));
    result.push_back(plan::spans_of_box(left, top, std::min(width, left + static_cast<int>(random() % 20)),
                                        std::min(height, top + static_cast<int>(random() % 15)), width));
  }
  return result;
}

// Number of layers of each element.
std::vector<int> depth_of(const boxes& active, std::int64_t elements) {
  std::vector<int> depth(static_cast<std::size_t>(elements), 0);
  for (const auto& spans : active)
    for (const plan::span s : spans)
      for (std::int64_t e = s.begin; e < s.end; ++e) ++depth[static_cast<std::size_t>(e)];
  return depth;
}

// Oracle: the counts of the survey in [Ono] (n log2 n for the tree in [Ono] is n - 1 for a reduction). The counts for
// radix-k are from Peterka et al., and the counts for 2-3 swap from Yu, Wang and Ma.
TEST(compositing_methods, exchange_as_many_messages_as_their_papers_say) {
  for (const int n : {2, 4, 8, 64, 128}) {
    const int log2n = static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
    EXPECT_EQ(counts("direct-send+none", n).messages, n * (n - 1));
    EXPECT_EQ(counts("pipeline+none", n).messages, n * (n - 1));
    EXPECT_EQ(counts("binary-swap+none", n).messages, n * log2n);
    EXPECT_EQ(counts("2-3-swap+none", n).messages, n * log2n);
    EXPECT_EQ(counts("tree", n).messages, n - 1);
    EXPECT_EQ(counts("sequential", n).messages, n - 1);
  }
  EXPECT_EQ(counts("radix-k:8,4+none", 32).messages, 32 * (7 + 3));
  EXPECT_EQ(counts("radix-k:8,4+none", 32).rounds, 2);
  EXPECT_EQ(counts("2-3-swap+none", 127).rounds, 6);
  EXPECT_EQ(counts("binary-swap+none", 127).rounds, 7);
  EXPECT_EQ(counts("multi-step:8", 32).rounds, 3 + 1 + 2);
  EXPECT_EQ(counts("2-3-4-swap+none", 11).rounds, 2 + 2);
}

// Oracle: the definition of the schedule, with 3/2 n slots.
TEST(direct_send, scheduled_sends_and_receives_at_most_one_message_a_round) {
  for (const int n : {2, 3, 8, 15, 40}) {
    const auto p = composite_method::parse("direct-send:scheduled").make(n, 5040, plan::shuffled(n, 2), -1);
    for (int rank = 0; rank < n; ++rank)
      for (const auto& round : p.part(rank).rounds) {
        EXPECT_LE(round.sends.size(), 1u);
        EXPECT_LE(round.receives.size(), 1u);
      }
    EXPECT_EQ(plan::summarise(p).rounds, n - 1 + (n - 1) / 2);
  }
}

// Oracle: the definition of the pipeline.
TEST(pipeline, exchanges_one_stripe_a_round_with_each_neighbour) {
  constexpr int n = 9;
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto p = composite_method::parse("pipeline").make(n, 900, order, -1);
  for (int rank = 0; rank < n; ++rank) {
    const auto mine = p.part(rank);
    EXPECT_EQ(mine.rounds.size(), 8u);
    for (const auto& round : mine.rounds) {
      std::set<std::pair<bool, int>> ends;
      for (const bool sends : {true, false})
        for (const auto& m : sends ? round.sends : round.receives) {
          EXPECT_EQ(std::abs(m.peer - rank), 1);
          EXPECT_TRUE(ends.insert({sends, m.peer}).second);
        }
    }
  }
}

// Oracle: the limit itself, and floor(log) rounds of a tree with this arity.
TEST(collect, by_fan_in_caps_the_messages_into_a_rank) {
  for (const int cap : {1, 3, 7}) {
    const auto c = counts("binary-swap+fan-in:" + std::to_string(cap), 64);
    EXPECT_LE(c.most_messages_in, cap);
    EXPECT_EQ(c.rounds, 6 + (cap == 1 ? 6 : cap == 3 ? 3 : 2));
    EXPECT_EQ(c.messages, 64 * 6 + 63) << "a subtree's parts follow each other, so they are one message";
    EXPECT_EQ(c.pieces, c.messages);
  }
}

// Oracle: the number of layers of each pixel. All layers except one must be sent.
TEST(slic, sends_each_drawn_pixel_once_unless_it_stays) {
  for (const int n : {1, 2, 5, 24, 60}) {
    constexpr int width = 40, height = 30;
    auto method = composite_method::parse("slic");
    method.active = random_boxes(n, width, height, static_cast<unsigned>(n));
    const auto order = plan::shuffled(n, 9);

    const auto p = method.make(n, width * height, order, -1);

    std::int64_t expected = 0;
    for (const int depth : depth_of(method.active, width * height)) expected += std::max(0, depth - 1);
    const auto counted = plan::summarise(p);
    EXPECT_EQ(counted.sent_elements, expected);
    EXPECT_LE(counted.most_messages_in, 1);
    const auto problems = plan::verify(p, {order, -1, -1, method.active});
    EXPECT_TRUE(problems.empty()) << n << " ranks\n" << plan::words(problems);
  }
}

// Oracle: symbolic execution, in which transparent elements may be omitted.
TEST(overlap, is_sound_for_boxes_of_any_kind) {
  for (const char* text : {"slic", "direct-send:overlap", "slic+fan-in:2", "direct-send:overlap+leaders:4"})
    for (int n = 1; n <= 48; n += n < 9 ? 1 : 13) {
      auto method = composite_method::parse(text);
      method.active = random_boxes(n, 31, 23, static_cast<unsigned>(7 * n));
      const auto order = plan::shuffled(n, 4);
      const auto problems = plan::verify(method.make(n, 31 * 23, order, n - 1), {order, n - 1, -1, method.active});
      EXPECT_TRUE(problems.empty()) << text << ", " << n << " ranks\n" << plan::words(problems);
    }
}

// Oracle: a plan for full images is also a plan for images with gaps.
TEST(overlap, is_no_condition_for_the_other_methods) {
  const auto active = random_boxes(13, 40, 30, 3);
  const auto order = plan::shuffled(13, 4);
  for (const auto& known : plan::known_methods()) {
    auto method = composite_method::parse(known.name);
    method.active = active;
    const auto problems = plan::verify(method.make(13, 1200, order, 5), {order, 5, -1, active});
    EXPECT_TRUE(problems.empty()) << known.name << "\n" << plan::words(problems);
  }
}

TEST(overlap, refuses_spans_that_make_no_sense) {
  auto method = composite_method::parse("slic");
  const std::vector<int> order{0, 1};
  for (const boxes& wrong : {boxes{{{0, 5}, {4, 6}}, {}}, boxes{{{5, 11}}, {}}, boxes{{{5, 5}}, {}}, boxes{{{0, 5}}}}) {
    method.active = wrong;
    EXPECT_THROW(method.make(2, 10, order, 0), usage_error);
  }
}

// Oracle: symbolic execution. Alternating hosts have no adjacent members, so that no parts can be joined inside a host.
TEST(hybrid, takes_hosts_whose_ranks_are_not_adjacent) {
  constexpr int n = 24;
  std::mt19937 random(11);
  for (int trial = 0; trial < 20; ++trial) {
    auto method = composite_method::parse("hybrid");
    for (int rank = 0; rank < n; ++rank) method.host_of.push_back(trial == 0 ? rank % 2 : static_cast<int>(random() % 3));
    const auto order = trial == 0 ? std::vector<int>{} : plan::shuffled(n, static_cast<unsigned>(trial));
    std::vector<int> identity(n);
    std::iota(identity.begin(), identity.end(), 0);
    const auto& used = order.empty() ? identity : order;
    const auto p = method.make(n, 5000, used, 3);
    const auto problems = plan::verify(p, {used, 3, -1});
    ASSERT_TRUE(problems.empty()) << plan::words(problems);
  }
}

// Oracle: hosts of consecutive ranks exchange only whole stripes between hosts. There are R (R - 1) messages in each host.
// For each of R stripes, there are the messages of a swap between as many ranks as there are hosts.
TEST(hybrid, sends_inside_hosts_first) {
  std::vector<int> order(16);
  std::iota(order.begin(), order.end(), 0);
  const auto c = plan::summarise(composite_method::parse("hybrid:4+none").make(16, 5040, order, 0));
  EXPECT_EQ(c.messages, 4 * 12 + 4 * (4 * 2));
  EXPECT_EQ(c.rounds, 1 + 2);
}

// Oracle: a rank among a million ranks builds only its own steps, without delay.
TEST(compositing_methods, build_one_rank_of_a_million_alone) {
  constexpr int n = 1'000'003;
  std::vector<int> order(n);
  std::iota(order.rbegin(), order.rend(), 0);
  for (const char* text : {"radix-k:8", "2-3-swap", "2-3-4-swap", "tree", "multi-step:512",
                           "multi-step:64:binary-swap:spans:tree", "hybrid:16", "binary-swap+fan-in:8", "radix-k:8+none"}) {
    const auto p = composite_method::parse(text).make(n, std::int64_t{1} << 40, order, 0);
    std::size_t messages = 0;
    for (const auto& round : p.part(654'321).rounds) messages += round.sends.size() + round.receives.size();
    EXPECT_GT(messages, 0u) << text;
    EXPECT_LE(messages, 400u) << text;
  }
}

// Oracle: the documentation of the methods.
TEST(composite_method, knows_its_names) {
  for (const auto& known : plan::known_methods()) {
    EXPECT_EQ(composite_method::parse(known.name).text, known.name);
    EXPECT_FALSE(known.meaning.empty());
  }
  EXPECT_EQ(composite_method::parse("radix-k:8,4+fan-in:16").collect.limit, 16);
  EXPECT_EQ(composite_method::parse("hybrid:4+leaders").ranks_per_host, 4);
}

TEST(composite_method, reports_the_invalid_part) {
  EXPECT_NE(refusal("binry-swap").find("did you mean 'binary-swap'?"), std::string::npos);
  EXPECT_NE(refusal("binry-swap").find("known are sequential, direct-send"), std::string::npos);
  EXPECT_NE(refusal("").find("known are"), std::string::npos);
  EXPECT_NE(refusal("tree:4").find("unknown parameter '4'"), std::string::npos);
  EXPECT_NE(refusal("radix-k:8,1").find("'1' must be an integer >= 2"), std::string::npos);
  EXPECT_NE(refusal("radix-k:8,,2").find("'' must be an integer"), std::string::npos);
  EXPECT_NE(refusal("multi-step").find("requires the size of its groups"), std::string::npos);
  EXPECT_NE(refusal("multi-step:0").find("integer >= 1"), std::string::npos);
  EXPECT_NE(refusal("multi-step:4:tree:three").find("did you mean 'tree'?"), std::string::npos);
  EXPECT_NE(refusal("multi-step:99999999999").find("must be an integer"), std::string::npos);
  EXPECT_NE(refusal("tree+gathr").find("did you mean 'gather'?"), std::string::npos);
  EXPECT_NE(refusal("tree+gather:3").find("unknown collection 'gather:3'"), std::string::npos);
  EXPECT_NE(refusal("tree+none+none").find("more than one collection method"), std::string::npos);
}

TEST(composite_method, rejects_impossible_plans) {
  const std::vector<int> order{0, 1, 2};
  const auto make = [&](const char* text, int ranks, int root) {
    composite_method::parse(text).make(ranks, 10, order, root);
  };
  EXPECT_THROW(make("tree", 2, 0), usage_error);
  EXPECT_THROW(make("tree", 3, 3), usage_error);
  EXPECT_THROW(make("hybrid", 3, 0), usage_error) << "nobody knows the hosts";
  EXPECT_THROW(make("binary-swap+leaders", 3, 0), usage_error);
  EXPECT_NO_THROW(make("hybrid:2", 3, 0));
}

}  // namespace composite_method_test
