#include <gtest/gtest.h>

#include <osteon/base/error.hpp>
#include <osteon/net/costs/choose.hpp>
#include <osteon/net/networks/network_request.hpp>

namespace choose_exchange_test {

using namespace osteon;

double seconds_of(const std::vector<net::exchange_choice>& all, const std::string& schedule) {
  for (const auto& c : all)
    if (c.schedule == schedule) return c.seconds;
  ADD_FAILURE() << schedule << " is not among them";
  return 0;
}

// Oracle: values computed by hand. The network has 64 PUs, a start-up of 5 us, and 200 MB/s. Parcels of 8 bytes cost 63
// start-ups in a shift and 6 start-ups in the exchange of Bruck. For parcels of 1 MB, each round of Bruck sends half of all
// bytes.
TEST(choose_exchange, prefers_few_messages_if_short_and_few_bytes_if_long) {
  const auto where = net::network_by_text("hxb:4x4x4");
  const net::simulate_options barriers{.barrier = true};
  const auto small = net::choose_exchange(where, plan::equal_parcels(8), 64, barriers);
  EXPECT_EQ(small.front().schedule, "bruck");
  EXPECT_NEAR(seconds_of(small, "shift:4x4x4"), 63 * (5e-6 + 8 / 200e6), 1e-9);
  const auto large = net::choose_exchange(where, plan::equal_parcels(1 << 20), 64, barriers);
  EXPECT_EQ(large.front().schedule, "shift:4x4x4");
  EXPECT_NEAR(large.front().seconds, 63 * (5e-6 + (1 << 20) / 200e6), 1e-9);
  EXPECT_GE(seconds_of(large, "bruck"), 6 * 32 * (1 << 20) / 200e6);
}

// Oracle: the definition of the skew rate in [Itakura]. One parcel per round is three times as large as the others. This
// parcel determines the duration of the rounds.
TEST(choose_exchange, counts_the_largest_parcel_of_each_round) {
  const auto where = net::network_by_text("hxb:2x2x4");
  const plan::parcel_sizes sizes = [](int from, int) { return std::int64_t{from == 0 ? 300'000 : 100'000}; };
  const auto all = net::choose_exchange(where, sizes, 16, {.barrier = true});
  for (const auto& c : all)
    if (c.schedule == "ring") {
      EXPECT_NEAR(c.cost.skew, 3.0 / (18.0 / 16), 1e-12);
      EXPECT_NEAR(c.seconds, 15 * (5e-6 + 300'000 / 200e6), 1e-9);
    }
}

// Oracle: every schedule has conflicts on a tapered tree. A schedule that first exchanges inside leaves sends fewer messages
// across the top, with an equal number of bytes.
TEST(choose_exchange, knows_groups_of_a_fat_tree) {
  const auto where = net::network_by_text("fattree:4x4,over=4");
  const auto all = net::choose_exchange(where, plan::equal_parcels(64), 16);
  EXPECT_LT(seconds_of(all, "hierarchical:4"), seconds_of(all, "ring"));
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].seconds, all[i].seconds);
  EXPECT_THROW(net::choose_exchange(where, plan::equal_parcels(64), 17), usage_error);
}

}  // namespace choose_exchange_test
