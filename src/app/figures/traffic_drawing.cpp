#include <fmt/format.h>

#include <app/figures/drawings.hpp>
#include <app/figures/plan_map.hpp>

namespace osteon::app {

namespace {

constexpr double map_side = 192, map_gap = 28, map_left = 24, map_caption = 34, part_caption = 30;
constexpr int maps_in_a_row = 4;

void draw_one(svg_picture& out, point corner, const comm::plan_traffic& plan) {
  out.text({corner.x, corner.y + 12}, plan.plan, {11});
  out.text({corner.x, corner.y + 26},
           fmt::format("{} messages, {:.1f} KiB", plan.messages, static_cast<double>(plan.bytes) / 1024), {10, "#777"});
  draw_plan_map(out, {corner.x, corner.y + map_caption}, map_side, plan.what);
}

}  // namespace

std::string draw_traffic(const job::job_plans& plans) {
  svg_picture out;
  out.text({map_left, 24},
           fmt::format("{}: messages of {} ranks, decomposed into {} (rows send, columns receive)", plans.job, plans.ranks,
                       plans.bricks ? "bricks" : "planes"),
           {14});
  double y = 40;
  for (const job::job_part& part : plans.parts) {
    if (part.plans.empty()) continue;
    out.text({map_left, y + 20}, fmt::format("{}, {}", part.name, part.how_often), {13});
    y += part_caption;
    for (std::size_t i = 0; i < part.plans.size(); ++i) {
      const auto column = i % maps_in_a_row;
      if (i > 0 && column == 0) y += map_caption + map_side + map_gap;
      draw_one(out, {map_left + static_cast<double>(column) * (map_side + map_gap), y}, part.plans[i]);
    }
    y += map_caption + map_side + map_gap;
  }
  return out.file(map_left + maps_in_a_row * (map_side + map_gap), y, true);
}

}  // namespace osteon::app
