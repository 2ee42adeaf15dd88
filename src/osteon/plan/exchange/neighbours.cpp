#include <osteon/plan/exchange/neighbours.hpp>

#include <algorithm>
#include <tuple>

namespace osteon::plan {

round neighbour_part::counted(int rank, std::size_t element_bytes) const {
  const auto list = [&](std::vector<neighbour_message> messages) {
    std::erase_if(messages, [&](const auto& m) { return m.peer == rank || m.elements() == 0; });
    std::sort(messages.begin(), messages.end(),
              [](const auto& a, const auto& b) { return std::tie(a.peer, a.channel) < std::tie(b.peer, b.channel); });
    std::vector<message> result;
    for (const auto& m : messages)
      result.push_back({m.peer, {0, m.elements() * static_cast<std::int64_t>(element_bytes)}, on_arrival});
    return result;
  };
  return {list(sends), list(receives)};
}

}  // namespace osteon::plan
