#include <osteon/plan/visibility_order.hpp>

#include <fmt/format.h>

#include <osteon/base/error.hpp>

namespace osteon::plan {

std::vector<int> indices_of_ranks(std::span<const int> order) {
  std::vector<int> result(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int rank = order[i];
    if (rank < 0 || static_cast<std::size_t>(rank) >= order.size() || result[static_cast<std::size_t>(rank)] >= 0)
      throw usage_error(
          fmt::format("visibility order of {} entries with rank {} at index {}: must contain each of the ranks 0 to {} once",
                      order.size(), rank, i, order.size() - 1));
    result[static_cast<std::size_t>(rank)] = static_cast<int>(i);
  }
  return result;
}

void check_request(const std::string& name, int ranks, std::int64_t elements, std::span<const int> order, int root) {
  if (ranks < 1 || elements < 0 || root < -1 || root >= ranks)
    throw usage_error(
        fmt::format("{} of {} elements among {} ranks with root {}: requires at least one rank, a non-negative number of "
                    "elements and a root from 0 to {} (or -1 for none)",
                    name, elements, ranks, root, ranks - 1));
  if (order.size() != static_cast<std::size_t>(ranks))
    throw usage_error(
        fmt::format("visibility order of {} entries for {} ranks: must contain each rank once", order.size(), ranks));
}

}  // namespace osteon::plan
