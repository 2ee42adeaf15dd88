#include <fmt/format.h>

#include <app/json_output.hpp>
#include <studies/compositing/commands.hpp>
#include <studies/compositing/message_counts.hpp>

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
  if (!plot.empty()) job::write_file(plot, draw_messages(counted));
  app::write_json(target, answer);
  if (target == "-") return 0;
  fmt::print("Messages that the rank sends that sends most (all ranks together), without collecting\n\n{:<14}", "ranks");
  for (const auto& c : counted.front().counts) fmt::print(" {:>14}", c.ranks);
  fmt::print("\n");
  for (const auto& m : counted) {
    fmt::print("{:<14}", m.method);
    for (const auto& c : m.counts) fmt::print(" {:>14}", fmt::format("{} ({})", c.most, c.all));
    fmt::print("\n");
  }
  return 0;
}

}  // namespace osteon::studies
