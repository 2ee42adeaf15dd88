#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <studies/compositing/model/compositing_fit.hpp>

namespace compositing_fit_test {

using namespace osteon;
using namespace osteon::studies;
using net::compositing_machine;

constexpr double p = bytes_of_paper;

double printed(const compositing_machine& m, int ranks, int group) {
  return net::multi_step_time(m, ranks, group, p).frames_per_second();
}

struct machine_and_frames {
  compositing_machine machine;
  std::vector<measured_frame> frames;
};
std::vector<machine_and_frames> paper() {
  return {{net::blue_gene_l(), measured_on_blue_gene_l()}, {net::ha8000(), measured_on_ha8000()}};
}

// Oracle: the results of the experiment. With the printed equations, multi-step compositing is never the fastest method. In
// the measurements, multi-step compositing is the fastest method in every case.
TEST(printed_equations, cannot_explain_why_multi_step_wins) {
  for (const auto& [machine, frames] : paper())
    for (const auto& multi : frames)
      for (const auto& flat : frames) {
        if (flat.group != flat.ranks || multi.group == multi.ranks || flat.ranks != multi.ranks) continue;
        EXPECT_LT(printed(machine, multi.ranks, multi.group), printed(machine, flat.ranks, flat.ranks));
        EXPECT_GT(multi.frames_per_second, flat.frames_per_second);
      }
}

// Oracle: the eight measured frame rates of both machines. The tolerance is the error of the worst frame in the fit.
TEST(extended_model, orders_the_measured_frames) {
  struct pair {
    double model, measured;
  };
  std::vector<pair> all;
  const std::vector<double> band{0.07, 0.20};
  for (std::size_t i = 0; i < paper().size(); ++i) {
    const auto [machine, frames] = paper()[i];
    const auto fit = fit_compositing(machine, frames, p);
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

// Oracle: the constants of the model. The fit uses frames that the model has computed.
TEST(fit, finds_the_constants_of_made_up_frames) {
  const auto truth = compositing_fit{1.25, 30e-6, 12e-9, 0};
  auto frames = measured_on_blue_gene_l();
  for (auto& f : frames) f.frames_per_second = printed(truth.apply(net::blue_gene_l()), f.ranks, f.group);
  const auto found = fit_compositing(net::blue_gene_l(), frames, p);
  EXPECT_NEAR(found.slowdown, truth.slowdown, 1e-9);
  EXPECT_NEAR(found.arrival_overhead, truth.arrival_overhead, 1e-14);
  EXPECT_NEAR(found.match_time, truth.match_time, 1e-17);
  EXPECT_LT(found.worst, 1e-9);
  const auto predicted = predict_each_from_the_others(net::blue_gene_l(), frames, p);
  ASSERT_EQ(predicted.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_NEAR(predicted[i], frames[i].frames_per_second, 1e-6);
}

// Oracle: the definition of a minimum. No admissible step from the result reduces the sum of squares.
TEST(fit, is_a_minimum_that_is_not_negative) {
  for (const auto& row : paper()) {
    const auto& machine = row.machine;
    const auto& frames = row.frames;
    const auto fit = fit_compositing(machine, frames, p);
    const auto error = [&](const compositing_fit& f) {
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

// Oracle: with too few frames, there is no prediction.
TEST(fit, says_nothing_where_nothing_is_left_to_predict) {
  EXPECT_TRUE(predict_each_from_the_others(net::ha8000(), measured_on_ha8000(), p).empty());
  EXPECT_THROW(fit_compositing(net::ha8000(), {}, p), usage_error);
  const std::vector<measured_frame> stopped{{1024, 1024, 0}};
  EXPECT_THROW(fit_compositing(net::ha8000(), stopped, p), usage_error);
}

// Oracle: the frame rate decreases because of the number of messages at one root. With a gather without these messages, the
// frame rate does not decrease.
TEST(extended_model, keeps_its_frame_rate_when_the_gather_is_a_tree) {
  const auto machine = net::blue_gene_l();
  const auto fitted = fit_compositing(machine, measured_on_blue_gene_l(), p).apply(machine);
  const auto rate = [&](int n, net::collect_method how) {
    return net::binary_swap_time(fitted, n, p, net::latency_reading::per_message, how).frames_per_second();
  };
  EXPECT_LT(rate(4096, net::collect_method::linear), 0.1 * rate(16, net::collect_method::linear));
  EXPECT_GT(rate(4096, net::collect_method::tree), 0.9 * rate(16, net::collect_method::tree));
  EXPECT_GT(rate(4096, net::collect_method::leaders), 0.7 * rate(16, net::collect_method::tree));
}

// Oracle: the fit to the frames of [Ono]. The program contains the constants of this fit as numbers.
TEST(fit, is_what_the_measured_machines_of_the_product_are) {
  for (const auto& [machine, frames, measured] :
       {std::tuple{net::blue_gene_l(), measured_on_blue_gene_l(), net::measured_blue_gene_l()},
        std::tuple{net::ha8000(), measured_on_ha8000(), net::measured_ha8000()}}) {
    const compositing_machine fitted = fit_compositing(machine, frames, p).apply(machine);
    EXPECT_NEAR(measured.rate / fitted.rate, 1, 1e-9);
    EXPECT_NEAR(measured.latency / fitted.latency, 1, 1e-9);
    EXPECT_NEAR(measured.arrival_overhead, fitted.arrival_overhead, 1e-14);
    EXPECT_NEAR(measured.match_time, fitted.match_time, 1e-17);
  }
}

}  // namespace compositing_fit_test
