#pragma once
/// @file
/// Checks of the visibility order of ranks. Users specify the visibility order.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osteon::plan {

/// Convert an order of ranks to the visibility index of each rank.
/// @param order rank at each visibility index, front to back
/// @throws usage_error unless `order` is a permutation of the ranks 0 to order.size() - 1
std::vector<int> indices_of_ranks(std::span<const int> order);

/// Check the parameters of a plan. @throws usage_error unless ranks >= 1, elements >= 0, and root is a rank or -1
void check_request(const std::string& name, int ranks, std::int64_t elements, std::span<const int> order, int root);

}  // namespace osteon::plan
