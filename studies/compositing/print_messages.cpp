#include <fmt/format.h>

#include <app/process/json_output.hpp>
#include <studies/compositing/commands.hpp>
#include <studies/compositing/frames/swap_2d.hpp>
#include <studies/compositing/model/message_counts.hpp>

namespace osteon::studies {

int print_messages_of_methods(const std::string& target, const std::string& plot, int most_ranks) {
  const auto counted = count_messages(
      {"direct-send", "sequential", "tree", "binary-swap", "2-3-swap", "radix-k:8", "multi-step:64"}, most_ranks);
  nlohmann::ordered_json answer = {{"schema", "osteon.net.paper.messages/1"}, {"methods", nlohmann::ordered_json::array()}};
  for (const auto& m : counted) {
    auto counts = nlohmann::ordered_json::array();
    for (const auto& c : m.counts) counts.push_back({{"ranks", c.ranks}, {"most", c.most}, {"all", c.all}});
    answer["methods"].push_back({{"method", m.method}, {"counts", std::move(counts)}});
  }
  const auto cuts = compare_cuts(512, 512, most_ranks);
  answer["cuts"] = nlohmann::ordered_json::array();
  for (const auto& c : cuts)
    answer["cuts"].push_back({{"ranks", c.ranks},
                              {"stripes", c.stripes},
                              {"rectangles", c.rectangles},
                              {"owned_stripes", c.owned_stripes},
                              {"owned_rectangles", c.owned_rectangles}});
  if (!plot.empty()) job::write_file(plot, draw_messages(counted));
  app::write_json(target, answer);
  if (target == "-") return 0;
  fmt::print("Messages of the rank that sends most (of all ranks together), without collection\n\n{:<14}", "ranks");
  for (const auto& c : counted.front().counts) fmt::print(" {:>14}", c.ranks);
  fmt::print("\n");
  for (const auto& m : counted) {
    fmt::print("{:<14}", m.method);
    for (const auto& c : m.counts) fmt::print(" {:>14}", fmt::format("{} ({})", c.most, c.all));
    fmt::print("\n");
  }
  fmt::print(
      "\nBinary swap of 512 x 512 pixels that are empty outside of a disk, by stripes and by rectangles: pixels of the "
      "disk\n"
      "sent by the rank that sends most, and owned by the rank that owns most\n\n{:>7} {:>14} {:>14} {:>14} "
      "{:>14}\n",
      "ranks", "sent, stripes", "rectangles", "owned, stripes", "rectangles");
  for (const auto& c : cuts)
    fmt::print("{:>7} {:>14} {:>14} {:>14} {:>14}\n", c.ranks, c.stripes, c.rectangles, c.owned_stripes, c.owned_rectangles);
  return 0;
}

}  // namespace osteon::studies
