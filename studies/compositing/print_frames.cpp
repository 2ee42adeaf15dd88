#include <fmt/format.h>

#include <app/process/json_output.hpp>
#include <studies/compositing/commands.hpp>
#include <studies/compositing/model/compositing_fit.hpp>

namespace osteon::studies {

int print_frames_of_paper(const std::string& target) {
  const auto machines = {std::pair{net::blue_gene_l(), measured_on_blue_gene_l()},
                         std::pair{net::ha8000(), measured_on_ha8000()}};
  nlohmann::ordered_json answer = {{"schema", "osteon.net.paper.compositing/1"},
                                   {"machines", nlohmann::ordered_json::array()}};
  const bool print = target != "-";
  if (print)
    fmt::print(
        "Frames per second, 512 x 512 RGBA8, all pixels active\n\n{:<28}{:>6}{:>7}{:>10}{:>9}{:>10}{:>7}{:>9}{:>16}\n",
        "machine", "ranks", "group", "measured", "printed", "meas./pr.", "ext.", "ext./m.", "from the others");
  for (const auto& [machine, frames] : machines) {
    const auto fit = fit_compositing(machine, frames, bytes_of_paper);
    const auto extended = fit.apply(machine);
    const auto from_others = predict_each_from_the_others(machine, frames, bytes_of_paper);
    nlohmann::ordered_json of_machine = {{"name", machine.name},
                                         {"fit",
                                          {{"slowdown", fit.slowdown},
                                           {"arrival_overhead_s", fit.arrival_overhead},
                                           {"match_s", fit.match_time},
                                           {"worst_relative_error", fit.worst}}},
                                         {"frames", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto& f = frames[i];
      const auto fps = [&](const net::compositing_machine& m) {
        return net::multi_step_time(m, f.ranks, f.group, bytes_of_paper).frames_per_second();
      };
      nlohmann::ordered_json entry = {{"ranks", f.ranks},
                                      {"group", f.group},
                                      {"measured", f.frames_per_second},
                                      {"printed", fps(machine)},
                                      {"extended", fps(extended)}};
      std::string alone = "-";
      if (i < from_others.size()) {
        entry["from_the_others"] = from_others[i];
        alone = fmt::format("{:.1f}", from_others[i]);
      }
      if (print)
        fmt::print("{:<28}{:>6}{:>7}{:>10}{:>9.1f}{:>10.2f}{:>7.1f}{:>9.2f}{:>16}\n", machine.name, f.ranks, f.group,
                   f.frames_per_second, fps(machine), f.frames_per_second / fps(machine), fps(extended),
                   fps(extended) / f.frames_per_second, alone);
      of_machine["frames"].push_back(entry);
    }
    if (print)
      fmt::print(
          "  fitted to these rows: rates {:.2f} times slower than printed, {:.1f} us per message that meets others, "
          "{:.1f} ns per message queued before it\n\n",
          fit.slowdown, fit.arrival_overhead * 1e6, fit.match_time * 1e9);
    answer["machines"].push_back(of_machine);
  }
  if (print)
    fmt::print(
        "group = ranks: binary swap; otherwise binary swap in groups, then a binary tree of the groups' images.\n"
        "from the others: prediction for the row of a fit without it (if enough rows remain).\n");
  app::write_json(target, answer);
  return 0;
}

}  // namespace osteon::studies
