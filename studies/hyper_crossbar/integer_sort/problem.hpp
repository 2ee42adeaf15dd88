#pragma once
/// @file
/// The integer sort of the NAS Parallel Benchmarks (IS). This header declares the classes, the keys and the distribution of
/// keys over ranks.
///
/// The benchmark ranks N keys ten times. Each key is the sum of four uniform random numbers. Before each ranking, two keys
/// are changed.
/// @cite [Bailey1994], section 2.3.2
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace osteon::studies::integer_sort {

inline constexpr int iterations = 10;
inline constexpr int tests = 5;  ///< number of test keys with known ranks in each iteration

/// A class (size) of the problem.
struct problem_class {
  char letter;
  int log2_keys, log2_values;
  std::array<std::int64_t, tests> test_index, test_rank;

  std::int64_t keys() const { return std::int64_t{1} << log2_keys; }
  std::int64_t values() const { return std::int64_t{1} << log2_values; }
  /// Number of keys below the test key in an iteration, 1 to 10.
  std::int64_t expected_rank(int test, int iteration) const;
};

/// @param letter S, W, A, B, C or D
/// @throws usage_error for another letter
const problem_class& problem_of(const std::string& letter);

/// Rank r has the keys [begin(r), begin(r + 1)). The blocks are equal, except that the last blocks may be shorter or empty.
class blocks {
 public:
  blocks(std::int64_t keys, int ranks)
      : keys_(keys), size_((keys + ranks - 1) / ranks), reciprocal_((std::uint64_t{1} << 63) / size() + 1) {}
  std::int64_t begin(int rank) const { return std::min(rank * size_, keys_); }
  std::int64_t count(int rank) const { return begin(rank + 1) - begin(rank); }
  /// The rank whose block contains a position below 2^31. The quotient position / size is computed by a multiplication that
  /// is exact for such positions.
  int owner(std::uint32_t position) const {
    __extension__ using wide = unsigned __int128;
    return static_cast<int>(static_cast<wide>(position) * reciprocal_ >> 63);
  }

 private:
  std::uint64_t size() const { return static_cast<std::uint64_t>(size_); }
  std::int64_t keys_, size_;
  std::uint64_t reciprocal_;
};

/// Generate keys [first, first + keys.size()) of the sequence.
void make_keys(const problem_class& problem, std::int64_t first, std::span<std::int32_t> keys);

/// Change the two keys of an iteration, if their indices are in [first, first + keys.size()).
void change_keys(const problem_class& problem, int iteration, std::int64_t first, std::span<std::int32_t> keys);

}  // namespace osteon::studies::integer_sort
