#include <osteon/physics/elasticity/solver/exact_rows.hpp>

namespace osteon::physics {

namespace {

// Splitmix64 of the column. The numbers are therefore equal in all runs and on all ranks.
residue random_residue(std::size_t column) {
  std::uint64_t x = (static_cast<std::uint64_t>(column) + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return (x ^ (x >> 31)) % (prime - 1) + 1;
}

// row - factor * pivot, without the leading entries.
sparse_row reduced(const sparse_row& row, const sparse_row& pivot) {
  const residue factor = negative_of(row.front().value);
  sparse_row result;
  result.reserve(row.size() + pivot.size());
  auto a = row.begin() + 1;
  auto b = pivot.begin() + 1;
  while (a != row.end() || b != pivot.end()) {
    if (b == pivot.end() || (a != row.end() && a->column < b->column)) {
      result.push_back(*a++);
    } else if (a == row.end() || b->column < a->column) {
      result.push_back({b->column, product_of(factor, b->value)});
      ++b;
    } else {
      const residue sum = sum_of(a->value, product_of(factor, b->value));
      if (sum != 0) result.push_back({a->column, sum});
      ++a, ++b;
    }
  }
  return result;
}

}  // namespace

bool exact_rows::add(sparse_row row) {
  while (!row.empty()) {
    sparse_row& pivot = pivots_[at(row.front().column)];
    if (pivot.empty()) {
      const residue scale = inverse_of(row.front().value);
      for (row_entry& e : row) e.value = product_of(scale, e.value);
      pivot.assign(row.begin(), row.end());
      return true;
    }
    row = reduced(row, pivot);
  }
  return false;
}

std::vector<residue> exact_rows::null_vector() const {
  std::vector<residue> values(pivots_.size());
  for (std::size_t c = values.size(); c-- > 0;) {
    if (pivots_[c].empty()) {
      values[c] = random_residue(c);
      continue;
    }
    residue sum = 0;
    for (const row_entry& e : pivots_[c])
      if (at(e.column) != c) sum = sum_of(sum, product_of(e.value, values[at(e.column)]));
    values[c] = negative_of(sum);
  }
  return values;
}

}  // namespace osteon::physics
