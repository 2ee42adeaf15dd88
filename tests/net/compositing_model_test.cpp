#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/net/compositing_fit.hpp>

namespace compositing_model_test {

using namespace osteon;
using net::compositing_machine;

constexpr double p = net::bytes_of_paper;

double printed(const compositing_machine& m, int ranks, int group) {
  return net::multi_step_time(m, ranks, group, p).frames_per_second();
}

struct machine_and_frames {
  compositing_machine machine;
  std::vector<net::measured_frame> frames;
};
std::vector<machine_and_frames> paper() {
  return {{net::blue_gene_l(), net::measured_on_blue_gene_l()}, {net::ha8000(), net::measured_on_ha8000()}};
}

// A machine on which every term of the model is present.
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

// Oracle: equation 4 evaluated by hand from [Ono]'s figures (per-message reading), in frames per second.
TEST(printed_equations, give_the_frame_rates_of_the_printed_figures) {
  const std::map<int, double> bgl{{2, 95.26}, {4, 70.18}, {8, 62.01}, {16, 58.58}, {512, 55.54}, {4096, 55.40}};
  for (const auto& [n, fps] : bgl) EXPECT_NEAR(printed(net::blue_gene_l(), n, n), fps, 0.005) << n;
  const std::map<int, double> ha{{2, 229.51}, {4, 175.53}, {8, 156.96}, {16, 148.98}, {512, 141.30}, {4096, 140.61}};
  for (const auto& [n, fps] : ha) EXPECT_NEAR(printed(net::ha8000(), n, n), fps, 0.005) << n;
}

// Oracle: equation 5 by hand with a binary tree in its second step.
TEST(printed_equations, give_the_frame_rates_of_multi_step_compositing) {
  EXPECT_NEAR(printed(net::blue_gene_l(), 1024, 512), 30.31, 0.005);
  EXPECT_NEAR(printed(net::blue_gene_l(), 2048, 512), 20.84, 0.005);
  EXPECT_NEAR(printed(net::blue_gene_l(), 2048, 1024), 30.29, 0.005);
  EXPECT_NEAR(printed(net::ha8000(), 4096, 512), 43.33, 0.005);
  EXPECT_NEAR(printed(net::ha8000(), 4096, 1024), 56.31, 0.005);
}

// Oracle: the same with a swap of the groups' images, t = BS(512) + BS(2), by hand.
TEST(printed_equations, add_up_both_steps_of_swap_and_swap) {
  const auto m = net::blue_gene_l();
  const auto t = net::multi_step_time(m, 1024, 512, p, net::outer_method::binary_swap);
  EXPECT_DOUBLE_EQ(t.total(), 1 / printed(m, 512, 512) + 1 / printed(m, 2, 2));
}

// Oracle: the two lines of equation 4 are one geometric sum; to the letter 6 us x 1 MiB x (1 - 1/n + 1) is seconds.
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

// Oracle: the text's "11.5 frames per second, about 17 % of theory" on 1024 ranks: 66.5 without the collect.
TEST(printed_equations, agree_with_17_percent_of_theory) {
  EXPECT_NEAR(11.5 * net::binary_swap_time(net::blue_gene_l(), 1024, p).compose, 0.173, 0.001);
}

// Oracle: the frame rates that [Ono] prints: measured, multi-step compositing wins in every case; by equations 3 to 5 never.
TEST(printed_equations, cannot_explain_why_multi_step_wins) {
  for (const auto& [machine, frames] : paper())
    for (const auto& multi : frames)
      for (const auto& flat : frames) {
        if (flat.group != flat.ranks || multi.group == multi.ranks || flat.ranks != multi.ranks) continue;
        EXPECT_LT(printed(machine, multi.ranks, multi.group), printed(machine, flat.ranks, flat.ranks));
        EXPECT_GT(multi.frames_per_second, flat.frames_per_second);
      }
}

// Oracle: the eight measured frame rates, in order over both machines; the band is that of the fit's own worst frame.
TEST(extended_model, orders_the_measured_frames) {
  struct pair {
    double model, measured;
  };
  std::vector<pair> all;
  const std::vector<double> band{0.07, 0.20};
  for (std::size_t i = 0; i < paper().size(); ++i) {
    const auto [machine, frames] = paper()[i];
    const auto fit = net::fit_compositing(machine, frames, p);
    EXPECT_LT(fit.worst, band[i]);
    for (const auto& f : frames) {
      const double fps = printed(fit.apply(machine), f.ranks, f.group);
      EXPECT_NEAR(f.frames_per_second / fps, 1, fit.worst + 1e-9);
      all.push_back({fps, f.frames_per_second});
    }
  }
  ASSERT_EQ(all.size(), 8u);
  for (const pair& a : all)
    for (const pair& b : all)
      if (a.measured > b.measured) {
        EXPECT_GT(a.model, b.model) << a.measured << " against " << b.measured;
      }
}

// Oracle: frames made by the model itself give back the constants that made them.
TEST(fit, finds_the_constants_of_made_up_frames) {
  const auto truth = net::compositing_fit{1.25, 30e-6, 12e-9, 0};
  auto frames = net::measured_on_blue_gene_l();
  for (auto& f : frames) f.frames_per_second = printed(truth.apply(net::blue_gene_l()), f.ranks, f.group);
  const auto found = net::fit_compositing(net::blue_gene_l(), frames, p);
  EXPECT_NEAR(found.slowdown, truth.slowdown, 1e-9);
  EXPECT_NEAR(found.arrival_overhead, truth.arrival_overhead, 1e-14);
  EXPECT_NEAR(found.match_time, truth.match_time, 1e-17);
  EXPECT_LT(found.worst, 1e-9);
  const auto predicted = net::predict_each_from_the_others(net::blue_gene_l(), frames, p);
  ASSERT_EQ(predicted.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_NEAR(predicted[i], frames[i].frames_per_second, 1e-6);
}

// Oracle: the definition of a minimum: no admissible step away from the answer lowers the sum of squares.
TEST(fit, is_a_minimum_that_is_not_negative) {
  for (const auto& row : paper()) {
    const auto& machine = row.machine;
    const auto& frames = row.frames;
    const auto fit = net::fit_compositing(machine, frames, p);
    const auto error = [&](const net::compositing_fit& f) {
      double sum = 0;
      for (const auto& frame : frames)
        sum += std::pow(frame.frames_per_second / printed(f.apply(machine), frame.ranks, frame.group) - 1, 2);
      return sum;
    };
    EXPECT_GE(fit.slowdown, 0);
    EXPECT_GE(fit.arrival_overhead, 0);
    EXPECT_GE(fit.match_time, 0);
    for (const double step : {-1e-3, 1e-3}) {
      auto other = fit;
      other.slowdown += step;
      EXPECT_GT(error(other), error(fit));
      other = fit;
      other.arrival_overhead += step * 50e-6;
      if (other.arrival_overhead >= 0) {
        EXPECT_GT(error(other), error(fit));
      }
      other = fit;
      other.match_time += step * 10e-9;
      if (other.match_time >= 0) {
        EXPECT_GT(error(other), error(fit));
      }
    }
  }
}

// Oracle: too few frames leave nothing to predict.
TEST(fit, says_nothing_where_nothing_is_left_to_predict) {
  EXPECT_TRUE(net::predict_each_from_the_others(net::ha8000(), net::measured_on_ha8000(), p).empty());
  EXPECT_THROW(net::fit_compositing(net::ha8000(), {}, p), usage_error);
  const std::vector<net::measured_frame> stopped{{1024, 1024, 0}};
  EXPECT_THROW(net::fit_compositing(net::ha8000(), stopped, p), usage_error);
}

// Oracle: hand sums of every term, for four ranks: two stages, three messages at the root.
TEST(extended_model, has_each_term_once) {
  const auto m = with_everything();
  const auto t = net::binary_swap_time(m, 4, p);
  EXPECT_NEAR(t.compose, 2 * (4e-6 + 3e-6 + 2e-6) + 0.75 * p * (8 / 2.8e9 + 8 / 0.7e9), 1e-15);
  EXPECT_NEAR(t.collect, 4e-6 + 7e-6 + p / 5e8 + p * 1e-10 + 2 * 11e-6 + 3 * 13e-9, 1e-15);
  EXPECT_NEAR(net::collect_time(m, 4, p, net::collect_method::tree), 2 * 11e-6 + p / 5e8 + p * 1e-10, 1e-15);
  // Sixteen ranks: four leaders, each of which gathers three others, then the root gathers three leaders.
  EXPECT_NEAR(net::collect_time(m, 16, p, net::collect_method::leaders),
              2 * 11e-6 + 1.25 * p / 5e8 + p * 1e-10 + 2 * (2 * 11e-6 + 3 * 13e-9), 1e-15);
}

// Oracle: the reason why the frame rate falls is the number of messages at one root, so a gather without it keeps the rate.
TEST(extended_model, keeps_its_frame_rate_when_the_gather_is_a_tree) {
  const auto machine = net::blue_gene_l();
  const auto fitted = net::fit_compositing(machine, net::measured_on_blue_gene_l(), p).apply(machine);
  const auto rate = [&](int n, net::collect_method how) {
    return net::binary_swap_time(fitted, n, p, net::latency_reading::per_message, how).frames_per_second();
  };
  EXPECT_LT(rate(4096, net::collect_method::linear), 0.1 * rate(16, net::collect_method::linear));
  EXPECT_GT(rate(4096, net::collect_method::tree), 0.9 * rate(16, net::collect_method::tree));
  EXPECT_GT(rate(4096, net::collect_method::leaders), 0.7 * rate(16, net::collect_method::tree));
}

TEST(model, refuses_what_the_equations_do_not_cover) {
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
        std::map<std::array<int, 3>, int> load;  // of the link out of a host along an axis in a direction
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

// Oracle: hand values: 16 ranks of 5 Gb/s on a host of 5 GB/s halve their rate as soon as they leave it.
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

// Oracle: a round trip, and the words of each fault.
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
  EXPECT_NE(faults("{").find("not valid JSON"), std::string::npos);
  EXPECT_NE(faults("[1]").find("must be an object"), std::string::npos);
  const auto many = faults(R"({"name": "", "bytes_per_second": -1, "latency_s": "x", "torus_zyx": [1, 2, 3], "speed": 1})");
  for (const char* expected : {"schema must be", "name must be", "bytes_per_second is -1", "latency_s is \"x\"",
                               "blend_bytes_per_second is missing", "has 3 hosts", "speed is no key"})
    EXPECT_NE(many.find(expected), std::string::npos) << expected << " in " << many;
}

}  // namespace compositing_model_test
