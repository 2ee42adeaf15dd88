#pragma once
/// @file
/// Measured limit of the memory bandwidth, for comparison.
#include <studies/subdomain_mapping/block/ghosted_block.hpp>

namespace osteon::studies {

/// Triad a = b + 3 c of STREAM (McCalpin) on three arrays of this process, with the usual threads. Stores bypass the caches.
/// Therefore the counted bytes, 24 per element of double, equal the bytes transferred by the memory.
class triad {
 public:
  /// @param bytes size of each array; the size must exceed the caches of the process, because otherwise the bandwidth of the
  /// caches is measured
  explicit triad(std::int64_t bytes);
  /// Compute one pass through the arrays. @return number of transferred bytes
  std::int64_t run();

 private:
  ghosted_block<double> a_, b_, c_;
};

}  // namespace osteon::studies
