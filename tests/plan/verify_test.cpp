// The verifier must be able to fail. Correct plans of every method are therefore damaged in one place.
#include <gtest/gtest.h>

#include <array>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/plan/symbolic_object.hpp>
#include <plan/spoilt.hpp>

namespace verify_test {

using namespace osteon;
using plan::arrival;
using plan::message;

constexpr int ranks = 11, root = 4;
constexpr std::int64_t elements = 1000;

// Position of a message.
struct place {
  std::size_t rank, round;
  bool sends;
  std::size_t number;
};

class spoilt_plan {
 public:
  explicit spoilt_plan(const std::string& method)
      : order_(plan::shuffled(ranks, 6)), sound_(plan::composite_method::parse(method).make(ranks, elements, order_, root)) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t r = 0; r < sound_.ranks[rank].rounds.size(); ++r)
        for (const bool sends : {true, false})
          for (std::size_t m = 0; m < list(sound_, {rank, r, sends, 0}).size(); ++m) places.push_back({rank, r, sends, m});
  }

  std::vector<place> places;

  static std::vector<message>& list(plan::written_out& p, const place& at) {
    auto& round = p.ranks[at.rank].rounds[at.round];
    return at.sends ? round.sends : round.receives;
  }
  arrival how(const place& at) { return list(sound_, at)[at.number].on_arrival; }

  // Faults after the call of `spoil(plan, messages, message)`.
  template <class Spoil>
  std::string after(const place& at, Spoil spoil) {
    plan::written_out copy = sound_;
    auto& all = list(copy, at);
    spoil(copy, all, all[at.number]);
    return plan::words(plan::verify(copy.as_plan(), {order_, root, -1}));
  }
  // Faults if both ends of a message state a different use of the message.
  std::string after_other_arrival(const place& at, arrival how) {
    return after(at, [&](auto& p, auto&, message& m) {
      p.other_end(at.rank, at.round, at.sends, m)->on_arrival = how;
      m.on_arrival = how;
    });
  }

 private:
  std::vector<int> order_;
  plan::written_out sound_;
};

bool has(const std::string& found, std::initializer_list<const char*> any_of) {
  return std::any_of(any_of.begin(), any_of.end(), [&](const char* text) { return found.find(text) != std::string::npos; });
}

// Repeats a message at both of its ends.
void send_twice(plan::written_out& p, const place& at, std::vector<message>& receiver, const message received) {
  p.ranks[static_cast<std::size_t>(received.peer)].rounds[at.round].sends.push_back(
      {static_cast<int>(at.rank), received.elements, received.on_arrival});
  receiver.push_back(received);
}

class every_spoilt_plan : public testing::TestWithParam<const char*> {};

// Oracle: the text of the planted fault, for every single message of the plan.
TEST_P(every_spoilt_plan, is_caught) {
  spoilt_plan plan(GetParam());
  ASSERT_FALSE(plan.places.empty());
  for (const place& at : plan.places) {
    const arrival how = plan.how(at);
    SCOPED_TRACE(testing::Message() << "rank " << at.rank << ", round " << at.round << ", message " << at.number
                                    << (at.sends ? " sent" : " received"));

    const auto dropped =
        plan.after(at, [&](auto&, auto& all, message&) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(at.number)); });
    EXPECT_TRUE(has(dropped, {at.sends ? "does not send them in this round" : "does not receive them in this round",
                              "expects elements"}))
        << dropped;

    const auto doubled = plan.after(at, [&](auto&, auto& all, message& m) { all.push_back(message(m)); });
    EXPECT_TRUE(has(doubled, {at.sends ? "does not receive them in this round" : "does not send them in this round"}))
        << doubled;

    const auto narrowed = plan.after(at, [&](auto&, auto&, message& m) { m.elements.end -= 1; });
    EXPECT_TRUE(has(narrowed, {"expects elements", "must be a non-empty part"})) << narrowed;

    const auto elsewhere = plan.after(at, [&](auto&, auto&, message& m) { m.peer = (m.peer + 1) % ranks; });
    EXPECT_TRUE(has(elsewhere, {"in this round", "the peer must be another of", "expects elements"})) << elsewhere;

    const auto otherwise = plan.after(at, [&](auto&, auto&, message& m) {
      m.on_arrival = how == arrival::blend_back ? arrival::blend_front : arrival::blend_back;
    });
    EXPECT_TRUE(has(otherwise, {"which sends them to be"})) << otherwise;

    if (at.sends) continue;
    if (how == arrival::place) {
      const auto blended = plan.after_other_arrival(at, arrival::blend_back);
      EXPECT_TRUE(has(blended, {"the intervals must be adjacent in that order"})) << blended;
      continue;
    }
    const auto turned =
        plan.after_other_arrival(at, how == arrival::blend_front ? arrival::blend_back : arrival::blend_front);
    EXPECT_TRUE(has(turned, {"the intervals must be adjacent in that order"})) << turned;

    const auto overwritten = plan.after_other_arrival(at, arrival::place);
    EXPECT_TRUE(has(overwritten, {"the intervals must be adjacent in that order", "instead of [0, 11)"})) << overwritten;

    const auto twice = plan.after(at, [&](auto& p, auto& all, message& m) { send_twice(p, at, all, message(m)); });
    EXPECT_TRUE(has(twice, {"the intervals must be adjacent in that order"})) << twice;
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

// Oracle: plans of two ranks with gaps, written by hand. Omitted elements must be transparent.
TEST(verify, requests_drawn_parts_only) {
  const std::vector<int> order{1, 0};
  const plan::plan two = plan::plan_of("two", 10,
                                       {{{{.receives = {{1, {2, 6}, arrival::blend_front}}}}, {{0, 10}}},
                                        {{{.sends = {{0, {2, 6}, arrival::blend_front}}}}, {}}});
  const auto faults = [&](std::vector<plan::span> drawn_by_1) {
    return plan::words(plan::verify(two, {order, 0, -1, {{{0, 10}}, std::move(drawn_by_1)}}));
  };
  EXPECT_EQ(faults({{2, 6}}), "");
  EXPECT_EQ(faults({{3, 4}}), "");
  EXPECT_NE(faults({{3, 7}}).find("elements [6, 7) have blended visibility [1, 2) instead of [0, 2)"), std::string::npos);
  EXPECT_NE(faults({{0, 10}}).find("elements [0, 2)"), std::string::npos);
}

}  // namespace verify_test
