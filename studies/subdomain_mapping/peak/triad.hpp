#pragma once
/// @file
/// The memory's limit, measured beside what is held against it.
#include <studies/subdomain_mapping/block/ghosted_block.hpp>

namespace osteon::studies {

/// a = b + 3 c on three arrays of this process, threads as everywhere (McCalpin's STREAM). Stores go past the caches, so
/// that what is counted, 24 bytes an element of double, is what the memory moves.
class triad {
 public:
  /// @param bytes of each array: more than the process's share of the caches, or their speed is measured
  explicit triad(std::int64_t bytes);
  /// Once through the arrays. @return bytes moved
  std::int64_t run();

 private:
  ghosted_block<double> a_, b_, c_;
};

}  // namespace osteon::studies
