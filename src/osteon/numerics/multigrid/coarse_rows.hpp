#pragma once
/// @file
/// Assembly of the compressed rows of a coarse level.
#include <algorithm>
#include <numeric>
#include <osteon/base/for_each.hpp>
#include <osteon/kernel/sparse_rows.hpp>
#include <vector>

namespace osteon::numerics {

/// Builds rows from entries (row, column, conductance()). `emit` produces the entries twice: the first pass counts the
/// entries, and the second pass fills the rows.
/// @param loose addition to the diagonal of each row beyond the conductances
/// @param parts number of parts of the entries; each row belongs to one part @param emit (put, part), called by several
/// threads
template <class Emit>
void assemble_rows(kernel::sparse_rows& k, const std::vector<float>& loose, std::int64_t parts, Emit emit) {
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  const std::size_t rows = loose.size();
  std::vector<std::int32_t> begin(rows + 1, 0);
  const auto emit_all = [&](auto&& put) {
    for_each_block(parts, 1, [&](std::int64_t part, std::int64_t) { emit(put, part); });
  };
  emit_all([&](std::int32_t row, std::int32_t, auto&&) { ++begin[at(row) + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  struct entry {
    std::int32_t column;
    float conductance;
  };
  std::vector<entry> entries(at(begin.back()));
  std::vector<std::int32_t> fill(begin.begin(), begin.end() - 1);
  emit_all([&](std::int32_t row, std::int32_t column, auto&& g) { entries[at(fill[at(row)]++)] = {column, g()}; });

  k.diagonal.resize(rows);
  k.begin.assign(rows + 1, 0);
  for_each(static_cast<std::int64_t>(rows), [&](std::int64_t n) {
    const auto row = static_cast<std::size_t>(n);
    std::int32_t used = begin[row];  // merge equal columns in place
    auto diagonal = static_cast<double>(loose[row]);
    for (std::int32_t e = begin[row]; e < begin[row + 1]; ++e) {
      const entry now = entries[at(e)];
      diagonal += static_cast<double>(now.conductance);
      std::int32_t same = begin[row];
      while (same < used && entries[at(same)].column != now.column) ++same;
      if (same < used)
        entries[at(same)].conductance += now.conductance;
      else
        entries[at(used++)] = now;
    }
    std::sort(entries.begin() + begin[row], entries.begin() + used,
              [](const entry& a, const entry& b) { return a.column < b.column; });
    k.begin[row + 1] = used - begin[row];
    k.diagonal[row] = static_cast<float>(diagonal);
  });
  std::partial_sum(k.begin.begin(), k.begin.end(), k.begin.begin());
  k.column.resize(at(k.begin.back()));
  k.conductance.resize(k.column.size());
  for_each(static_cast<std::int64_t>(rows), [&](std::int64_t n) {
    const auto row = static_cast<std::size_t>(n);
    for (std::int32_t e = k.begin[row]; e < k.begin[row + 1]; ++e) {
      const entry& from = entries[at(begin[row] + e - k.begin[row])];
      k.column[at(e)] = from.column;
      k.conductance[at(e)] = from.conductance;
    }
  });
}

/// Build rows from entries in one part, produced by emit(put).
template <class Emit>
void assemble_rows(kernel::sparse_rows& k, const std::vector<float>& loose, Emit emit) {
  assemble_rows(k, loose, 1, [&](auto&& put, std::int64_t) { emit(put); });
}

}  // namespace osteon::numerics
