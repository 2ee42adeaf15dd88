#include <fmt/format.h>

#include <algorithm>
#include <app/json_output.hpp>
#include <cmath>
#include <studies/hyper_crossbar/commands.hpp>
#include <studies/hyper_crossbar/paper_tables.hpp>

namespace osteon::studies {

int print_tables_of_paper(const std::string& target) {
  static const char* const titles[] = {
      "Table 2. Skew rate of the all-to-all exchange of IS; corrected: (2) from the order after (1)",
      "Table 3. All-to-all exchange of IS, 10 runs; corrected: with the bytes of each machine's own messages",
      "Table 4. Transfers of IS; a term for the tables of counts is fitted to this very column, not derived",
      "Table 5. One transposition of FT", "Table 6. Transfers of FT"};
  const auto cells = tables_of_paper(skew_of_is());
  nlohmann::ordered_json answer = {{"schema", "osteon.net.paper.hypercrossbar/1"},
                                   {"cells", nlohmann::ordered_json::array()}};
  const bool words = target != "-";
  int table = 0;
  double worst = 0;
  for (const auto& c : cells) {
    const bool corrected = !std::isnan(c.corrected);
    nlohmann::ordered_json cell = {{"table", c.table},   {"quantity", c.quantity},     {"pus", c.pus},
                                   {"paper", c.paper},   {"as_printed", c.as_printed}, {"relative_error", c.error()},
                                   {"fitted", c.fitted}, {"corrected", nullptr}};
    if (corrected) cell["corrected"] = c.corrected;
    answer["cells"].push_back(cell);
    if (c.quantity != "bytes per transfer") worst = std::max(worst, std::abs(c.error()));
    if (!words) continue;
    if (c.table != table) {
      fmt::print("{}{}\n{:<38} {:>6} {:>10} {:>12} {:>8} {:>12}\n", table == 0 ? "" : "\n", titles[c.table - 2], "", "PUs",
                 "paper", "as printed", "error", "corrected");
      table = c.table;
    }
    fmt::print("{:<38} {:>6} {:>10.6g} {:>12.5g} {:>7.2f}% {:>12}\n", c.quantity, c.pus, c.paper, c.as_printed,
               100 * c.error(), corrected ? fmt::format("{:.5g}", c.corrected) : "-");
  }
  if (words)
    fmt::print(
        "\nas printed: what the published numbers follow from; error: of that against the published one. Bytes per\n"
        "transfer are printed there with one or two digits; all other cells are within {:.2f} %.\n",
        100 * worst);
  app::write_json(target, answer);
  return 0;
}

}  // namespace osteon::studies
