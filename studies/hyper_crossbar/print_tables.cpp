#include <fmt/format.h>

#include <algorithm>
#include <app/process/json_output.hpp>
#include <cmath>
#include <studies/hyper_crossbar/commands.hpp>
#include <studies/hyper_crossbar/paper_tables.hpp>
#include <studies/hyper_crossbar/time_plot.hpp>

namespace osteon::studies {

namespace {

using json = nlohmann::ordered_json;

// JSON has no NaN, so that NaN becomes null.
json number_or_null(double value) { return std::isnan(value) ? json(nullptr) : json(value); }

std::string number_or_dash(double value) { return std::isnan(value) ? "-" : fmt::format("{:.5g}", value); }

void print_figure_2(const std::vector<paper_speed_up>& points) {
  fmt::print("\nFigure 2. Speed-up, total on 64 PUs over total\n{:<4} {:>6} {:>10} {:>12} {:>8}\n", "", "PUs", "paper",
             "as printed", "ideal");
  for (const paper_speed_up& p : points)
    fmt::print("{:<4} {:>6} {:>10.2f} {:>12.2f} {:>8.0f}\n", p.program, p.pus, p.paper, p.as_printed, p.ideal);
}

void print_table_a(const std::vector<paper_cell>& cells) {
  fmt::print("\nTable a. Other machines of 64 PUs, class A, s\n{:<26} {:>8} {:>8}\n", "", "IS", "FT");
  for (const other_machine& m : table_a_of_paper()) fmt::print("{:<26} {:>8g} {:>8g}\n", m.name, m.is, m.ft);
  const auto total = [&](int table) {
    return std::find_if(cells.begin(), cells.end(),
                        [&](const paper_cell& c) { return c.table == table && c.pus == 64 && c.quantity == "total, s"; })
        ->as_printed;
  };
  fmt::print("{:<26} {:>8.2f} {:>8.2f}\n", "hyper-crossbar, as printed", total(4), total(6));
}

std::string draw_figure_2(const std::vector<paper_speed_up>& points) {
  std::vector<time_panel> panels;
  for (const char* program : {"IS", "FT"}) {
    time_panel panel{fmt::format("{} class A, speed-up", program), {{"paper", {}, {}}, {"recomputed", {}, {}}}, true};
    for (const paper_speed_up& p : points)
      if (p.program == std::string_view(program))
        for (const bool ours : {false, true}) {
          panel.curves[ours].pus.push_back(p.pus);
          panel.curves[ours].seconds.push_back(ours ? p.as_printed : p.paper);
        }
    panels.push_back(std::move(panel));
  }
  return draw_times(panels);
}

}  // namespace

int print_tables_of_paper(const std::string& target, const std::string& plot) {
  static const char* const titles[] = {
      "Table 2. Skew rate of the all-to-all exchange of IS; corrected: (2) from the order after (1)",
      "Table 3. All-to-all exchange of IS, 10 runs; corrected: with the bytes of each machine's own messages",
      "Table 4. IS; trans has a term for the tables of counts that is fitted to this column, not derived",
      "Table 5. One transposition of FT", "Table 6. FT"};
  const auto cells = tables_of_paper(skew_of_is());
  const auto speed_ups = figure_2_of_paper(cells);
  json answer = {{"schema", "osteon.net.paper.hypercrossbar/1"},
                 {"cells", json::array()},
                 {"speed_ups", json::array()},
                 {"other_machines", json::array()}};
  for (const paper_speed_up& p : speed_ups)
    answer["speed_ups"].push_back(
        {{"program", p.program}, {"pus", p.pus}, {"paper", p.paper}, {"as_printed", p.as_printed}, {"ideal", p.ideal}});
  for (const other_machine& m : table_a_of_paper())
    answer["other_machines"].push_back({{"name", m.name}, {"is_s", m.is}, {"ft_s", m.ft}});
  const bool prints_text = target != "-";
  int table = 0;
  double worst = 0;
  for (const auto& c : cells) {
    answer["cells"].push_back({{"table", c.table},
                               {"quantity", c.quantity},
                               {"pus", c.pus},
                               {"paper", c.paper},
                               {"as_printed", number_or_null(c.as_printed)},
                               {"relative_error", number_or_null(c.error())},
                               {"fitted", c.fitted},
                               {"rounded", c.rounded},
                               {"corrected", number_or_null(c.corrected)}});
    if (!c.rounded && !std::isnan(c.as_printed)) worst = std::max(worst, std::abs(c.error()));
    if (!prints_text) continue;
    if (c.table != table) {
      fmt::print("{}{}\n{:<38} {:>6} {:>10} {:>12} {:>8} {:>12}\n", table == 0 ? "" : "\n", titles[c.table - 2], "", "PUs",
                 "paper", "as printed", "error", "corrected");
      table = c.table;
    }
    fmt::print("{:<38} {:>6} {:>10.6g} {:>12} {:>8} {:>12}\n", c.quantity, c.pus, c.paper, number_or_dash(c.as_printed),
               std::isnan(c.as_printed) ? "-" : fmt::format("{:.2f}%", 100 * c.error()), number_or_dash(c.corrected));
  }
  if (prints_text) {
    print_figure_2(speed_ups);
    print_table_a(cells);
    fmt::print(
        "\nas printed: assumptions of the published numbers; error: relative to the published number. Bytes per\n"
        "transfer, totals of Tables 4 and 6 and shares are printed there with few digits; all other cells are within\n"
        "{:.2f} %.\n",
        100 * worst);
  }
  if (!plot.empty()) job::write_file(plot, draw_figure_2(speed_ups));
  app::write_json(target, answer);
  return 0;
}

}  // namespace osteon::studies
