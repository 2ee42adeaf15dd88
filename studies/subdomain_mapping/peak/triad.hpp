#pragma once
/// @file
/// Measured limit of the memory bandwidth, for comparison with sweeps.
#include <studies/subdomain_mapping/block/ghosted_block.hpp>

namespace osteon::studies {

/// The triad a = b + 3 c of STREAM (McCalpin) on three arrays of this process. The usual number of threads computes the
/// triad. Stores bypass the caches. The counted 24 bytes per element of double are therefore the bytes that the memory
/// transfers.
class triad {
 public:
  /// @param bytes size of each array; the arrays must exceed the caches of the process, because otherwise the bandwidth of
  /// the caches is measured
  explicit triad(std::int64_t bytes);
  /// Compute one pass through the arrays. @return number of transferred bytes
  std::int64_t run();

 private:
  ghosted_block<double> a_, b_, c_;
};

}  // namespace osteon::studies
