#pragma once
/// @file
/// Assembly of the compressed rows of a coarse level.
#include <algorithm>
#include <numeric>
#include <osteon/kernel/sparse_rows.hpp>
#include <vector>

namespace osteon::solve {

/// Rows from entries (row, column, conductance()) that `emit` produces twice: to count, then to fill.
/// @param loose what each row adds to its diagonal beyond the conductances
template <class Emit>
void assemble_rows(kernel::sparse_rows& k, const std::vector<float>& loose, Emit emit) {
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  const std::size_t rows = loose.size();
  std::vector<std::int32_t> begin(rows + 1, 0);
  emit([&](std::int32_t row, std::int32_t, auto&&) { ++begin[at(row) + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  struct entry {
    std::int32_t column;
    float conductance;
  };
  std::vector<entry> entries(at(begin.back()));
  std::vector<std::int32_t> fill(begin.begin(), begin.end() - 1);
  emit([&](std::int32_t row, std::int32_t column, auto&& g) { entries[at(fill[at(row)]++)] = {column, g()}; });

  k.begin.assign(1, 0);
  k.begin.reserve(rows + 1);
  k.diagonal.resize(rows);
  std::int32_t used = 0;  // equal columns are merged in place
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int32_t row_begin = used;
    auto diagonal = static_cast<double>(loose[row]);
    for (std::int32_t e = begin[row]; e < begin[row + 1]; ++e) {
      const entry now = entries[at(e)];
      diagonal += static_cast<double>(now.conductance);
      std::int32_t same = row_begin;
      while (same < used && entries[at(same)].column != now.column) ++same;
      if (same < used)
        entries[at(same)].conductance += now.conductance;
      else
        entries[at(used++)] = now;
    }
    std::sort(entries.begin() + row_begin, entries.begin() + used,
              [](const entry& a, const entry& b) { return a.column < b.column; });
    k.begin.push_back(used);
    k.diagonal[row] = static_cast<float>(diagonal);
  }
  k.column.resize(at(used));
  k.conductance.resize(at(used));
  for (std::size_t e = 0; e < at(used); ++e) {
    k.column[e] = entries[e].column;
    k.conductance[e] = entries[e].conductance;
  }
}

}  // namespace osteon::solve
