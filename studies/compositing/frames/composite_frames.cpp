#include <studies/compositing/frames/composite_frames.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <studies/measure/over_ranks.hpp>

namespace osteon::studies {

std::vector<frame_samples> measure_frames(std::span<const composite_way> ways, const frame_member& member, double seconds) {
  constexpr int frames = 10;  // number of frames of a method before the next method
  std::vector<frame_samples> all(ways.size());
  do {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      frame_samples& s = all[w];
      double cpu = 0;
      for (int f = 0; f < frames; ++f) {
        ways[w].prepare();
        member.wait_for_all();
        const double before = member.cpu_seconds();
        const stopwatch watch;
        const compositing::frame_report report = ways[w].frame();
        member.wait_for_all();
        s.wall.push_back(watch.seconds());
        cpu += member.cpu_seconds() - before;
        s.blend.push_back(report.blend_seconds);
        s.exchange.push_back(report.exchange_seconds);
        s.collect.push_back(report.collect_seconds);
        if (ways[w].has_display) s.display.push_back(ways[w].display_seconds());
        s.bytes = static_cast<double>(report.bytes_sent);
      }
      s.cpu.push_back(cpu / frames);
    }
  } while (!member.have_all_run(seconds));
  return all;
}

composite_cost cost_of(const std::string& name, const frame_samples& joined, std::vector<double> bytes) {
  composite_cost c;
  c.name = name;
  c.best_fps = 1 / *std::min_element(joined.wall.begin(), joined.wall.end());
  c.median_fps = 1 / median(joined.wall);
  c.cpu_ms = 1e3 * *std::min_element(joined.cpu.begin(), joined.cpu.end());
  c.blend_ms = 1e3 * median(joined.blend);
  c.exchange_ms = 1e3 * median(joined.exchange);
  c.collect_ms = 1e3 * median(joined.collect);
  if (!joined.display.empty()) c.display_ms = 1e3 * median(joined.display);
  c.bytes_max = *std::max_element(bytes.begin(), bytes.end());
  c.bytes_sum = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  c.bytes = std::move(bytes);
  return c;
}

void find_error(composite_cost& cost, const composite_case& scene, int members, const composite_way& way) {
  if (way.in_parts) return;
  cost.error = worst_error(scene, members, way.picture());
  if (cost.error > way.error_bound)
    throw data_error(fmt::format("the picture of '{}' differs by {:.3f} from the exact picture; the bound is {:.3f}",
                                 cost.name, cost.error, way.error_bound));
}

}  // namespace osteon::studies
