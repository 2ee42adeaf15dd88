#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/net/costs/compositing_model.hpp>

namespace compositing_model_test {

using namespace osteon;
using net::compositing_machine;

constexpr double p = 512.0 * 512 * 4;  // number of bytes of the image of [Ono]

double printed(const compositing_machine& m, int ranks, int group) {
  return net::multi_step_time(m, ranks, group, p).frames_per_second();
}

// A machine on which every term of the model is non-zero.
compositing_machine with_everything() {
  compositing_machine m = net::blue_gene_l();
  m.latency = 3e-6;
  m.blend_overhead = 2e-6;
  m.collect_rate = 5e8;
  m.collect_latency = 7e-6;
  m.reconstruct = 1e-10;
  m.send_overhead = 4e-6;
  m.arrival_overhead = 11e-6;
  m.match_time = 13e-9;
  return m;
}

// Oracle: equation 4 of [Ono], evaluated by hand from the figures of [Ono] (per-message reading), in frames per second.
TEST(printed_equations, give_the_frame_rates_of_the_printed_figures) {
  const std::map<int, double> bgl{{2, 95.26}, {4, 70.18}, {8, 62.01}, {16, 58.58}, {512, 55.54}, {4096, 55.40}};
  for (const auto& [n, fps] : bgl) EXPECT_NEAR(printed(net::blue_gene_l(), n, n), fps, 0.005) << n;
  const std::map<int, double> ha{{2, 229.51}, {4, 175.53}, {8, 156.96}, {16, 148.98}, {512, 141.30}, {4096, 140.61}};
  for (const auto& [n, fps] : ha) EXPECT_NEAR(printed(net::ha8000(), n, n), fps, 0.005) << n;
}

// Oracle: equation 5, evaluated by hand with a binary tree in its second step.
TEST(printed_equations, give_the_frame_rates_of_multi_step_compositing) {
  EXPECT_NEAR(printed(net::blue_gene_l(), 1024, 512), 30.31, 0.005);
  EXPECT_NEAR(printed(net::blue_gene_l(), 2048, 512), 20.84, 0.005);
  EXPECT_NEAR(printed(net::blue_gene_l(), 2048, 1024), 30.29, 0.005);
  EXPECT_NEAR(printed(net::ha8000(), 4096, 512), 43.33, 0.005);
  EXPECT_NEAR(printed(net::ha8000(), 4096, 1024), 56.31, 0.005);
}

// Oracle: equation 5, evaluated by hand with a swap of the images of the groups, t = BS(512) + BS(2).
TEST(printed_equations, add_up_both_steps_of_swap_and_swap) {
  const auto m = net::blue_gene_l();
  const auto t = net::multi_step_time(m, 1024, 512, p, net::outer_method::binary_swap);
  EXPECT_DOUBLE_EQ(t.total(), 1 / printed(m, 512, 512) + 1 / printed(m, 2, 2));
}

// Oracle: the two lines of equation 4 are one geometric sum. Literally, 6 us x 1 MiB x (1 - 1/n + 1) is a number of seconds.
TEST(printed_equations, to_the_letter_take_seconds) {
  const auto m = net::blue_gene_l();
  const double t = net::binary_swap_time(m, 1024, p, net::latency_reading::per_byte).total();
  EXPECT_NEAR(t, 6e-6 * p * (2 - 1.0 / 1024) + p * ((1 - 1.0 / 1024) * (8 / 2.8e9 + 8 / 0.7e9) + 8 / 2.8e9), 1e-9);
  EXPECT_GT(t, 12);
  auto without_latency = m;
  without_latency.latency = without_latency.collect_latency = 0;
  EXPECT_NEAR(net::binary_swap_time(without_latency, 1024, p, net::latency_reading::per_byte).total(),
              net::binary_swap_time(without_latency, 1024, p).total(), 1e-15);
}

// Oracle: the text of [Ono], "11.5 frames per second, about 17 % of theory" on 1024 ranks. The theory without the collect is
// 66.5 frames per second.
TEST(printed_equations, agree_with_17_percent_of_theory) {
  EXPECT_NEAR(11.5 * net::binary_swap_time(net::blue_gene_l(), 1024, p).compose, 0.173, 0.001);
}

// Oracle: the sum of every term, computed by hand for four ranks. There are two stages, and three messages at the root.
TEST(extended_model, has_each_term_once) {
  const auto m = with_everything();
  const auto t = net::binary_swap_time(m, 4, p);
  EXPECT_NEAR(t.compose, 2 * (4e-6 + 3e-6 + 2e-6) + 0.75 * p * (8 / 2.8e9 + 8 / 0.7e9), 1e-15);
  EXPECT_NEAR(t.collect, 4e-6 + 7e-6 + p / 5e8 + p * 1e-10 + 2 * 11e-6 + 3 * 13e-9, 1e-15);
  EXPECT_NEAR(net::collect_time(m, 4, p, net::collect_method::tree), 2 * 11e-6 + p / 5e8 + p * 1e-10, 1e-15);
  // There are sixteen ranks. Each of four leaders gathers three other images, and then the root gathers the images of three
  // leaders.
  EXPECT_NEAR(net::collect_time(m, 16, p, net::collect_method::leaders),
              2 * 11e-6 + 1.25 * p / 5e8 + p * 1e-10 + 2 * (2 * 11e-6 + 3 * 13e-9), 1e-15);
}

TEST(model, rejects_methods_without_equations) {
  const auto m = net::blue_gene_l();
  EXPECT_THROW(net::binary_swap_time(m, 3, p), usage_error);
  EXPECT_THROW(net::binary_swap_time(m, 0, p), usage_error);
  EXPECT_THROW(net::multi_step_time(m, 4, 3, p), usage_error);
  EXPECT_THROW(net::multi_step_time(m, 4, 8, p), usage_error);
  EXPECT_EQ(net::binary_swap_time(m, 1, p).total(), 0);
}

// Oracle: every message of the exchange routed link by link.
TEST(sharing, is_the_load_of_the_busiest_link_of_a_torus) {
  for (const int ranks_per_host : {1, 2, 4})
    for (const std::array<int, 3> torus : {std::array{4, 2, 8}, std::array{1, 1, 16}, std::array{4, 4, 4}}) {
      auto m = net::blue_gene_l();
      m.torus = torus;
      m.ranks_per_host = ranks_per_host;
      const int hosts = torus[0] * torus[1] * torus[2];
      for (int distance = 1; distance < hosts * ranks_per_host; distance *= 2) {
        std::map<std::array<int, 3>, int> load;  // load of the link out of a host along an axis in a direction
        for (int rank = 0; rank < hosts * ranks_per_host; ++rank) {
          int at = rank / ranks_per_host;
          const int to = (rank ^ distance) / ranks_per_host;
          for (int axis = 2, stride = 1; axis >= 0; stride *= torus[static_cast<std::size_t>(axis--)]) {
            const int size = torus[static_cast<std::size_t>(axis)];
            const int ahead = (to / stride % size - at / stride % size + size) % size;
            const int direction = 2 * ahead <= size ? 1 : -1;
            while (at / stride % size != to / stride % size) {
              ++load[{at, axis, direction}];
              const int next = (at / stride % size + direction + size) % size;
              at += (next - at / stride % size) * stride;
            }
          }
        }
        int most = 1;
        for (const auto& [link, messages] : load) most = std::max(most, messages);
        EXPECT_EQ(net::sharing(m, distance), most) << "distance " << distance;
      }
    }
}

// Oracle: values computed by hand. 16 ranks with 5 Gb/s each use the link of a host with 5 GB/s. Their rate is halved as
// soon as the messages leave the host.
TEST(sharing, of_a_host_s_link) {
  auto m = net::ha8000();
  m.ranks_per_host = 16;
  EXPECT_EQ(net::sharing(m, 16), 1);
  m.host_rate = 5e9;
  EXPECT_EQ(net::sharing(m, 8), 1);
  EXPECT_EQ(net::sharing(m, 16), 2);
  const double all_shared =
      net::binary_swap_time(m, 4096, p).total() - net::binary_swap_time(net::ha8000(), 4096, p).total();
  EXPECT_NEAR(all_shared, p * (1.0 / 16 - 1.0 / 4096) / m.rate, 1e-12);
}

// Oracle: reading of the written text, and the text of each fault.
TEST(machine_text, is_read_as_it_was_written_and_refused_otherwise) {
  auto m = with_everything();
  m.torus = {8, 8, 16};
  m.ranks_per_host = 2;
  const std::string text = net::describe_machine(m);
  EXPECT_EQ(net::describe_machine(net::parse_machine(text, "m.json")), text);

  const auto faults = [](const std::string& wrong) {
    try {
      net::parse_machine(wrong, "m.json");
    } catch (const data_error& e) {
      return std::string(e.what());
    }
    return std::string("no fault");
  };
  EXPECT_NE(faults("{").find("invalid JSON"), std::string::npos);
  EXPECT_NE(faults("[1]").find("must be a JSON object"), std::string::npos);
  const auto many = faults(R"({"name": "", "bytes_per_second": -1, "latency_s": "x", "torus_zyx": [1, 2, 3], "speed": 1})");
  for (const char* expected : {"schema must be", "name must be", "bytes_per_second is -1", "latency_s is \"x\"",
                               "blend_bytes_per_second is missing", "contains 3", "speed is an unknown key"})
    EXPECT_NE(many.find(expected), std::string::npos) << expected << " in " << many;
}

}  // namespace compositing_model_test
