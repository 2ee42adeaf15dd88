#pragma once
// Direct send, as the tests of executors need it: every rank blends a stripe of all images, the root collects.
#include <algorithm>
#include <osteon/plan/plan.hpp>
#include <span>
#include <vector>

namespace osteon::test {

inline plan::plan direct_send(int ranks, std::int64_t elements, std::span<const int> order, int root) {
  const std::vector<int> rank_at(order.begin(), order.end());
  const auto part = [=](std::int64_t index) { return plan::span{elements * index / ranks, elements * (index + 1) / ranks}; };
  return {"direct-send", ranks, elements, [=](int rank) {
            const auto own = std::find(rank_at.begin(), rank_at.end(), rank) - rank_at.begin();
            plan::rank_plan result;
            result.rounds.resize(root < 0 ? 1 : 2);
            auto& steps = result.rounds[0].steps;
            const auto add = [&](plan::action what, std::int64_t index, plan::span elements_of) {
              if (index != own && elements_of.size() > 0)
                steps.push_back({what, rank_at[static_cast<std::size_t>(index)], elements_of});
            };
            for (std::int64_t i = 0; i < ranks; ++i) add(plan::action::send, i, part(i));
            for (std::int64_t i = own - 1; i >= 0; --i) add(plan::action::blend_front, i, part(own));
            for (std::int64_t i = own + 1; i < ranks; ++i) add(plan::action::blend_back, i, part(own));
            if (root < 0) {
              result.result = {part(own)};
              return result;
            }
            auto& collect = result.rounds[1].steps;
            if (rank == root) {
              result.result = {{0, elements}};
              for (std::int64_t i = 0; i < ranks; ++i)
                if (i != own && part(i).size() > 0)
                  collect.push_back({plan::action::receive, rank_at[static_cast<std::size_t>(i)], part(i)});
            } else if (part(own).size() > 0) {
              collect.push_back({plan::action::send, root, part(own)});
            }
            return result;
          }};
}

}  // namespace osteon::test
