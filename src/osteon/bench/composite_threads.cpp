#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <ctime>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/bench/composite.hpp>
#include <osteon/bench/over_ranks.hpp>
#include <osteon/compositing/among_threads.hpp>
#include <osteon/plan/composite_method.hpp>
#include <thread>

namespace osteon::bench {

namespace {

constexpr int frames_in_turn = 10;  // of one way, before it is the next one's turn

double own_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct threads_way {
  composite_cost cost;
  bool in_parts = false;
  std::unique_ptr<compositing::among_threads> compositor;
};

threads_way threads_way_of(const composite_case& what, int ranks, const std::string& name) {
  threads_way way;
  way.cost.name = name;
  std::string method = name;
  bool wide_between = true;
  for (bool more = true; more;) {
    more = false;
    if (take_suffix(method, "+parts")) way.in_parts = more = true;
    if (take_suffix(method, "+narrow")) wide_between = false, more = true;
  }
  const auto plan = plan::composite_method::parse(method).make(ranks, std::int64_t{what.width} * what.height,
                                                               visibility_order(what, ranks), way.in_parts ? -1 : 0);
  way.compositor = std::make_unique<compositing::among_threads>(plan, what.format, wide_between);
  return way;
}

// What a thread has measured of a way, by frame; the CPU time by turn.
struct samples_of_thread {
  std::vector<double> wall, cpu, blend, exchange, collect;
  double bytes = 0;
};
using samples_of_way = std::vector<samples_of_thread>;

// By frame or turn, of all threads.
template <class F>
std::vector<double> joined_over_threads(const samples_of_way& all, std::vector<double> samples_of_thread::* what, F join) {
  std::vector<double> result = all[0].*what;
  for (std::size_t t = 1; t < all.size(); ++t)
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = join(result[i], (all[t].*what)[i]);
  return result;
}

}  // namespace

std::vector<composite_cost> measure_among_threads(const composite_case& what, int ranks,
                                                  std::span<const std::string> methods) {
  std::vector<threads_way> ways;
  for (const std::string& m : methods) ways.push_back(threads_way_of(what, ranks, m));
  std::vector<samples_of_way> all(ways.size(), samples_of_way(static_cast<std::size_t>(ranks)));
  std::barrier together(ranks);
  const stopwatch clock;
  bool more = true;
  const auto work = [&](int thread) {
    std::vector<std::byte> image(ways[0].compositor->image(0).size());
    render(what, thread, image);
    while (more) {
      for (std::size_t w = 0; w < ways.size(); ++w) {
        samples_of_thread& s = all[w][static_cast<std::size_t>(thread)];
        double cpu = 0;
        for (int f = 0; f < frames_in_turn; ++f) {
          std::copy(image.begin(), image.end(), ways[w].compositor->image(thread).begin());
          together.arrive_and_wait();
          const double before = own_cpu_seconds();
          const stopwatch watch;
          const compositing::frame_report report = ways[w].compositor->run(thread);
          together.arrive_and_wait();
          s.wall.push_back(watch.seconds());
          cpu += own_cpu_seconds() - before;
          s.blend.push_back(report.blend_seconds);
          s.exchange.push_back(report.exchange_seconds);
          s.collect.push_back(report.collect_seconds);
          s.bytes = static_cast<double>(report.bytes_sent);
        }
        s.cpu.push_back(cpu / frames_in_turn);
      }
      together.arrive_and_wait();
      if (thread == 0) more = clock.seconds() < what.seconds;
      together.arrive_and_wait();
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < ranks; ++t) threads.emplace_back(work, t);
  for (auto& t : threads) t.join();
  std::vector<composite_cost> costs;
  const auto larger = [](double a, double b) { return std::max(a, b); };
  for (std::size_t w = 0; w < ways.size(); ++w) {
    composite_cost& c = ways[w].cost;
    const auto wall = joined_over_threads(all[w], &samples_of_thread::wall, larger);
    const auto cpu = joined_over_threads(all[w], &samples_of_thread::cpu, std::plus<>());
    c.best_fps = 1 / *std::min_element(wall.begin(), wall.end());
    c.median_fps = 1 / median(wall);
    c.cpu_ms = 1e3 * *std::min_element(cpu.begin(), cpu.end());
    for (const samples_of_thread& s : all[w]) c.bytes_max = std::max(c.bytes_max, s.bytes), c.bytes_sum += s.bytes;
    c.blend_ms = 1e3 * median(joined_over_threads(all[w], &samples_of_thread::blend, larger));
    c.exchange_ms = 1e3 * median(joined_over_threads(all[w], &samples_of_thread::exchange, larger));
    c.collect_ms = 1e3 * median(joined_over_threads(all[w], &samples_of_thread::collect, larger));
    if (!ways[w].in_parts) {
      c.error = worst_error(what, ranks, ways[w].compositor->image(0));
      if (const double allowed = allowed_error(what, ranks, ways[w].compositor->error_bound()); c.error > allowed)
        throw data_error(fmt::format("the picture of '{}' differs by {:.3f} from the exact one; it promises {:.3f}", c.name,
                                     c.error, allowed));
    }
    costs.push_back(c);
  }
  return costs;
}

}  // namespace osteon::bench
