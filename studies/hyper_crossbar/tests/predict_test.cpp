// Tests of the predictions for IS and FT on hypothetical networks.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <studies/hyper_crossbar/adaptive.hpp>
#include <studies/hyper_crossbar/crossbar_broadcast.hpp>
#include <studies/hyper_crossbar/integer_sort/problem.hpp>
#include <studies/hyper_crossbar/predict.hpp>

namespace osteon::studies::predict_test {

// Oracle: skew (1) in Table 2 of [Itakura]. The rounding error of the table is at most 0.6 %.
TEST(predict, skew_of_the_integer_sort_is_the_papers) {
  for (const auto& [shape, paper] : {std::pair{std::vector{4, 4, 4}, 1.06}, {{4, 4, 8}, 1.14}, {{4, 8, 8}, 1.31}}) {
    const int pus = shape[0] * shape[1] * shape[2];
    const auto counts = is_exchange_counts("A", pus);
    const auto exchange = plan::shift_exchange(shape, [&](int from, int to) {
      return counts[static_cast<std::size_t>(from) * static_cast<std::size_t>(pus) + static_cast<std::size_t>(to)];
    });
    double slowest = 0;
    for (std::int64_t round = 0; round < exchange.rounds; ++round) {
      std::int64_t most = 0;
      for (int rank = 0; rank < pus; ++rank) most = std::max(most, exchange.of(rank, round).sends.at(0).size());
      slowest += static_cast<double>(most);
    }
    const double mean = static_cast<double>(std::int64_t{1} << 23) / pus / pus;
    EXPECT_NEAR(slowest / (pus - 1) / mean, paper, 0.01 * paper);
  }
}

// Oracle: Table 3 with the actual lengths of the messages (docs/theory/network.md), for ten rankings.
TEST(predict, the_exchange_of_keys_takes_the_corrected_time_of_table_3) {
  for (const auto& [pus, corrected] : {std::pair{64, 0.0852}, {256, 0.0383}}) {
    const auto where = net::network_by_text(network_of_family("hxb", pus));
    const auto counts = is_exchange_counts("A", pus);
    const auto keys = plan::shift_exchange(where.shape, [&, n = pus](int from, int to) {
      return 12 * counts[static_cast<std::size_t>(from) * static_cast<std::size_t>(n) + static_cast<std::size_t>(to)];
    });
    const double all = exchange_seconds(where, keys, keys.rounds);
    EXPECT_NEAR(10 * all, corrected, 0.01 * corrected) << pus;
    EXPECT_NEAR(exchange_seconds(where, keys, 32), all, 0.02 * all) << pus;
    const prediction is = predict_is(where, "A", 1);
    EXPECT_GT(is.trans, 10 * all);  // the time includes the tables of counts
    EXPECT_LT(is.trans, 10 * all + 10 * 8 * 30e-6 * 6);
    EXPECT_EQ(is.exec, 1.0 / pus);
  }
}

// Oracle: Tables 5 and 6. The order of destinations is the order for routes along x first.
TEST(predict, transpositions_take_the_time_of_tables_5_and_6) {
  for (const auto& [text, pus, one, all] : {std::tuple{"hxb:4x4x4", 64, .010526, .2210},
                                            {"hxb:4x8x8", 256, .002701, .0567},
                                            {"hxb:8x8x16", 1024, .000815, .0171}}) {
    const auto where = net::network_by_text(text);
    const int side = pus == 64 ? 8 : pus == 256 ? 16 : 32;
    const auto what = plan::transposition(pus, plan::transposition_order::x_first,
                                          plan::equal_parcels(std::int64_t{256} * 256 * 128 * 16 / pus / side));
    EXPECT_NEAR(exchange_seconds(where, what, what.rounds), one, 0.001 * one) << text;
    EXPECT_NEAR(21 * exchange_seconds(where, what, what.rounds), all, 0.006 * all) << text;
  }
}

// Oracle: values computed by hand. On a hyper-crossbar, groups in rows and columns do not share links. There are 7 rounds
// with 256 KiB in each direction.
TEST(predict, ft_on_a_hyper_crossbar_is_start_up_and_bytes) {
  const auto ft = predict_ft(net::network_by_text("hxb:4x4x4"), ft_class_named("A"), 0.25);
  EXPECT_EQ(ft.rounds, 7 * 14);
  EXPECT_NEAR(ft.trans, 7 * 14 * (5e-6 + 262144 / 200e6), 1e-9);
  EXPECT_EQ(ft.total(), ft.trans + 0.25);
}

// Oracle: computed by hand. On 1024 PUs, a transform by the fixed scheme takes 10 (5 us + 128 KiB / (200 MB/s)) = 6.6 ms.
TEST(predict, the_fixed_scheme_swaps_whole_shares) {
  const auto ft = predict_ft_fixed(net::network_by_text("hxb:8x8x16"), ft_class_named("A"), 0.25);
  EXPECT_EQ(ft.rounds, 7 * 10);
  EXPECT_EQ(ft.message_bytes, 131072);
  EXPECT_NEAR(ft.trans, 7 * 10 * (5e-6 + 131072 / 200e6), 1e-9);
  EXPECT_THROW(predict_ft_fixed(net::network_by_text("hxb:3x4x4"), ft_class_named("A"), 0.25), usage_error);
}

// Oracle: computed by hand. A broadcast by messages takes log2 P = 6 rounds, and a broadcast by crossbars takes one round.
// There are ten rankings with tables of 4 and 2 KB.
TEST(predict, crossbars_broadcast_in_one_step) {
  const auto where = net::network_by_text("hxb:4x4x4");
  const auto tree = predict_is(where, "A", 1), one = predict_is(where, "A", 1, table_broadcast::crossbars);
  EXPECT_NEAR(tree.trans - one.trans, 10 * 5 * (2 * 5e-6 + (4096 + 2048) / 200e6), 1e-9);
  EXPECT_EQ(tree.rounds - one.rounds, 10 * 2 * 5);
  EXPECT_THROW(predict_is(net::network_by_text("torus:4x4x4,route=valiant"), "A", 1, table_broadcast::crossbars),
               usage_error);
}

// Oracle: counted by hand on 2 x 3 PUs. A broadcast from PU 0 uses the injection of PU 0, and one input and two outputs of
// the crossbar along x. From each of two exchange switches, the broadcast uses 1 + 2 ports of a crossbar along y with 3 PUs.
// The broadcast uses 5 ejections, because the ejection of PU 0 is unused.
TEST(crossbar_broadcast, opens_each_link_once) {
  const auto where = net::network_by_text("hxb:2x3");
  const auto open = open_links(where, 0);
  EXPECT_TRUE(open.tree);
  EXPECT_EQ(open.links.size(), 1u + (1 + 1) + 2 * (1 + 2) + 5);
  EXPECT_EQ(links_to_wait_for(open, open_links(where, 4)).size(), 2u);
  // Oracle: broadcasts from the two PUs of one crossbar share no link. Each broadcast is sent only to the other PU.
  const auto pair = net::network_by_text("hxb:2");
  EXPECT_TRUE(links_to_wait_for(open_links(pair, 0), open_links(pair, 1)).empty());
  EXPECT_FALSE(open_links(net::network_by_text("torus:4x4,route=valiant"), 0).tree);
}

// Oracle: the counts of docs/theory/network.md, and the repaired order. Adaptive routing cannot improve the repaired order.
TEST(adaptive, frees_what_another_order_frees) {
  const auto printed = plan::transposition(64, plan::transposition_order::printed, plan::equal_parcels(4096));
  const auto found = compare_routings("hxb:4x4x4", printed);
  EXPECT_EQ(found.orders, 6);
  EXPECT_EQ(found.fixed.largest, 4);
  EXPECT_EQ(found.fixed.free_rounds, 0);
  EXPECT_LE(found.adaptive.largest, 2);
  EXPECT_LT(found.adaptive.seconds, found.fixed.seconds);
  const auto repaired = plan::transposition(64, plan::transposition_order::x_first, plan::equal_parcels(4096));
  const auto same = compare_routings("hxb:4x4x4", repaired);
  EXPECT_EQ(same.adaptive.largest, 1);
  EXPECT_DOUBLE_EQ(same.adaptive.seconds, same.fixed.seconds);
  EXPECT_NEAR(same.fixed.seconds, exchange_seconds(net::network_by_text("hxb:4x4x4"), repaired, repaired.rounds), 1e-12);
  EXPECT_THROW(compare_routings("fattree:16x4", repaired), usage_error);
}

// Oracle: the computation of an equal part, with four other processes on the core. With the other processes, the wall-clock
// time is five times as long.
TEST(predict, a_busy_core_does_not_make_a_share_dearer) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++c)
    if (CPU_ISSET(c, &before)) CPU_SET(c, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const ft_class& problem = ft_class_named("A");
  const double alone = measure_ft_share(problem, 64);
  std::vector<pid_t> others;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (volatile bool on = true; on;) {
      }
      _exit(0);
    }
    ASSERT_GT(child, 0);
    others.push_back(child);
  }
  const double busy = measure_ft_share(problem, 64);
  for (const pid_t child : others) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_LT(busy, 2 * alone);
  EXPECT_GT(busy, alone / 2);
}

// Oracle: values computed by hand.
TEST(predict, families_have_the_sizes_of_the_paper) {
  EXPECT_EQ(network_of_family("hxb", 64), "hxb:4x4x4");
  EXPECT_EQ(network_of_family("hxb", 128), "hxb:4x4x8");
  EXPECT_EQ(network_of_family("torus,rate=1GB/s", 1024), "torus:8x8x16,rate=1GB/s");
  EXPECT_EQ(network_of_family("fattree", 2048), "fattree:16x16x8");
  EXPECT_EQ(network_of_family("hxb:8x8x16", 64), "hxb:8x8x16");
  for (const char* family : {"hxb", "torus", "mesh", "fattree", "dragonfly"})
    for (const int pus : {64, 1024, 4096})
      EXPECT_EQ(net::parse_network(network_of_family(family, pus)).pus(), pus) << family;
  EXPECT_THROW(network_of_family("hxb", 100), usage_error);
  EXPECT_THROW(network_of_family("hyperx", 64), usage_error);
}

// Oracle: the 64 parts together are the whole problem. For twice the number of PUs, the part has half the size. The
// tolerance is large, because times on a busy machine are inaccurate.
TEST(predict, a_share_of_ft_is_measured) {
  const double share = measure_ft_share(ft_class_named("S"), 64);
  EXPECT_GT(share, 1e-6);
  EXPECT_LT(share, 0.1);
}

}  // namespace osteon::studies::predict_test
