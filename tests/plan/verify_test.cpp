// The verifier must be able to fail: sound plans of every method, spoilt in one place.
#include <gtest/gtest.h>

#include <array>
#include <osteon/plan/composite_method.hpp>
#include <osteon/plan/symbolic_object.hpp>
#include <plan/spoilt.hpp>

namespace verify_test {

using namespace osteon;
using plan::action;
using plan::step;

constexpr int ranks = 11, root = 4;
constexpr std::int64_t elements = 1000;

// Where a step stands.
struct place {
  std::size_t rank, round, step;
};

class spoilt_plan {
 public:
  explicit spoilt_plan(const std::string& method)
      : order_(plan::shuffled(ranks, 6)), sound_(plan::composite_method::parse(method).make(ranks, elements, order_, root)) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t r = 0; r < sound_.ranks[rank].rounds.size(); ++r)
        for (std::size_t s = 0; s < sound_.ranks[rank].rounds[r].steps.size(); ++s) places.push_back({rank, r, s});
  }

  std::vector<place> places;

  static std::vector<step>& steps(plan::written_out& p, const place& at) { return p.ranks[at.rank].rounds[at.round].steps; }
  action what(const place& at) { return steps(sound_, at)[at.step].what; }

  // Faults after `spoil(plan, steps, step)`.
  template <class Spoil>
  std::string after(const place& at, Spoil spoil) {
    plan::written_out copy = sound_;
    auto& all = steps(copy, at);
    spoil(copy, all, all[at.step]);
    return plan::words(plan::verify_composite(copy.as_plan(), {order_, root, -1}));
  }

 private:
  std::vector<int> order_;
  plan::written_out sound_;
};

bool has(const std::string& found, std::initializer_list<const char*> any_of) {
  return std::any_of(any_of.begin(), any_of.end(), [&](const char* text) { return found.find(text) != std::string::npos; });
}

// The same message once more, at both of its ends.
void send_twice(plan::written_out& p, const place& at, std::vector<step>& receiver, const step received) {
  auto& sender = p.ranks[static_cast<std::size_t>(received.peer)].rounds[at.round].steps;
  sender.push_back({action::send, static_cast<int>(at.rank), received.elements});
  receiver.push_back(received);
}

class every_spoilt_plan : public testing::TestWithParam<const char*> {};

// Oracle: the fault that was put in, by its words, for every single step of the plan.
TEST_P(every_spoilt_plan, is_caught) {
  spoilt_plan plan(GetParam());
  ASSERT_FALSE(plan.places.empty());
  for (const place& at : plan.places) {
    const bool sends = plan.what(at) == action::send, blends = !sends && plan.what(at) != action::receive;
    SCOPED_TRACE(testing::Message() << "rank " << at.rank << ", round " << at.round << ", step " << at.step);

    const auto dropped =
        plan.after(at, [&](auto&, auto& all, step&) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(at.step)); });
    EXPECT_TRUE(has(
        dropped, {sends ? "does not send them in this round" : "does not receive them in this round", "expects elements"}))
        << dropped;

    const auto doubled = plan.after(at, [&](auto&, auto& all, step& s) { all.push_back(step(s)); });
    EXPECT_TRUE(has(doubled, {sends ? "does not receive them in this round" : "does not send them in this round"}))
        << doubled;

    const auto narrowed = plan.after(at, [&](auto&, auto&, step& s) { s.elements.end -= 1; });
    EXPECT_TRUE(has(narrowed, {"expects elements", "must be a non-empty part"})) << narrowed;

    const auto elsewhere = plan.after(at, [&](auto&, auto&, step& s) { s.peer = (s.peer + 1) % ranks; });
    EXPECT_TRUE(has(elsewhere, {"in this round", "the peer must be another one", "expects elements"})) << elsewhere;

    if (sends) continue;
    if (!blends) {
      const auto blended = plan.after(at, [&](auto&, auto&, step& s) { s.what = action::blend_back; });
      EXPECT_TRUE(has(blended, {"the two must touch in that order"})) << blended;
      continue;
    }
    const auto turned = plan.after(at, [&](auto&, auto&, step& s) {
      s.what = s.what == action::blend_front ? action::blend_back : action::blend_front;
    });
    EXPECT_TRUE(has(turned, {"the two must touch in that order"})) << turned;

    const auto overwritten = plan.after(at, [&](auto&, auto&, step& s) { s.what = action::receive; });
    EXPECT_TRUE(has(overwritten, {"the two must touch in that order", "instead of [0, 11)"})) << overwritten;

    const auto twice = plan.after(at, [&](auto& p, auto& all, step& s) { send_twice(p, at, all, step(s)); });
    EXPECT_TRUE(has(twice, {"the two must touch in that order"})) << twice;
  }
}

INSTANTIATE_TEST_SUITE_P(methods, every_spoilt_plan,
                         testing::Values("sequential", "sequential:chain", "direct-send", "direct-send:scheduled", "slic",
                                         "pipeline", "tree", "binary-swap", "2-3-swap", "2-3-4-swap", "radix-k:3,2",
                                         "multi-step:4", "multi-step:4:direct-send:spans:binary-swap", "hybrid:3",
                                         "binary-swap+fan-in:2", "radix-k:4+leaders:3"),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

// Oracle: an array with the content of each element.
TEST(symbolic_object, is_an_array_in_few_words) {
  constexpr int size = 30;
  std::mt19937 random(3);
  plan::symbolic_object object({{0, size}, 0, 1});
  std::array<int, size> by_element{};
  for (int trial = 0; trial < 5000; ++trial) {
    const auto begin = static_cast<std::int64_t>(random() % size),
               end = begin + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(size - begin));
    const int value = static_cast<int>(random() % 3);
    object.write({{begin, end}, value, value + 1});
    std::fill(by_element.begin() + begin, by_element.begin() + end, value);
    std::vector<plan::content> all;
    object.read({0, size}, all);
    std::int64_t covered = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      ASSERT_EQ(all[c].elements.begin, covered);
      covered = all[c].elements.end;
      for (std::int64_t e = all[c].elements.begin; e < covered; ++e)
        ASSERT_EQ(by_element[static_cast<std::size_t>(e)], all[c].front);
      ASSERT_TRUE(c == 0 || all[c].front != all[c - 1].front) << "neighbours of the same content are one";
    }
    ASSERT_EQ(covered, size);
  }
}

// Oracle: hand-made plans of two ranks with gaps; what is left out must be transparent.
TEST(verify, asks_for_what_has_been_drawn_only) {
  const std::vector<int> order{1, 0};
  const plan::plan two{"two", 2, 10, [](int rank) {
                         plan::rank_plan mine;
                         mine.rounds.resize(1);
                         mine.rounds[0].steps = {{rank == 0 ? action::blend_front : action::send, 1 - rank, {2, 6}}};
                         if (rank == 0) mine.result = {{0, 10}};
                         return mine;
                       }};
  const auto faults = [&](std::vector<plan::span> drawn_by_1) {
    return plan::words(plan::verify_composite(two, {order, 0, -1, {{{0, 10}}, std::move(drawn_by_1)}}));
  };
  EXPECT_EQ(faults({{2, 6}}), "");
  EXPECT_EQ(faults({{3, 4}}), "");
  EXPECT_NE(faults({{3, 7}}).find("elements [6, 7) have blended visibility [1, 2) instead of [0, 2)"), std::string::npos);
  EXPECT_NE(faults({{0, 10}}).find("elements [0, 2)"), std::string::npos);
}

}  // namespace verify_test
