#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/physics/flow/solver/transport/transport_factor.hpp>

namespace osteon::physics {

transport_factor::transport_factor(const transport_cells& cells) {
  const std::int32_t owned = cells.grid.owned;
  std::vector<std::array<std::int32_t, 6>> neighbours(at(owned));
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) { neighbours[at(i)] = near; });
  inverse_.reserve(at(owned));
  for (std::int32_t i = 0; i < owned; ++i) {
    std::array<std::pair<std::int32_t, double>, 6> row;  // off-diagonal entries, ascending
    std::size_t used = 0;
    double diagonal = cells.loose[at(i)], low = 0, high = 0;
    for (std::size_t d = 0; d < 6; ++d) {
      const std::int32_t j = neighbours[at(i)][d];
      if (j < 0) continue;
      const double out = cells.leaves(i, j, d), w = static_cast<double>(cells.weight_of(i, j, d));
      const double a = cells.conductance(i, j, d / 2) + (out < 0 ? -out * (1 - w) : -out * w);
      diagonal += a;
      if (j == i || j >= owned) continue;  // itself, in a box of one voxel; or another rank's
      std::size_t place = used++;
      for (; place > 0 && row[place - 1].first > j; --place) row[place] = row[place - 1];
      row[place] = {j, -a};
      (j < i ? low : high) += std::abs(a);
    }
    std::size_t n = 0;
    for (; n < used && row[n].first < i; ++n) {
      const auto& [j, a] = row[n];
      column_.push_back(j);
      value_.push_back(static_cast<float>(a));
      for (std::int32_t e = middle_[at(j)]; e < begin_[at(j + 1)]; ++e)
        if (column_[at(e)] == i) diagonal -= a * static_cast<double>(value_[at(e)]) * static_cast<double>(inverse_[at(j)]);
    }
    middle_.push_back(static_cast<std::int32_t>(column_.size()));
    for (; n < used; ++n) {
      column_.push_back(row[n].first);
      value_.push_back(static_cast<float>(row[n].second));
    }
    begin_.push_back(static_cast<std::int32_t>(column_.size()));
    const double pivot = std::max({diagonal, low, high});
    inverse_.push_back(pivot > 0 ? static_cast<float>(1 / pivot) : 0.0F);
  }
}

void transport_factor::solve(const float* r, float* x) const {
  const auto owned = static_cast<std::int32_t>(inverse_.size());
  for (std::int32_t i = 0; i < owned; ++i) {
    float sum = r[i];
    for (std::int32_t e = begin_[at(i)]; e < middle_[at(i)]; ++e) sum -= value_[at(e)] * x[column_[at(e)]];
    x[i] = sum * inverse_[at(i)];
  }
  for (std::int32_t i = owned; i-- > 0;) {
    float sum = 0;
    for (std::int32_t e = middle_[at(i)]; e < begin_[at(i + 1)]; ++e) sum += value_[at(e)] * x[column_[at(e)]];
    x[i] -= sum * inverse_[at(i)];
  }
}

}  // namespace osteon::physics
