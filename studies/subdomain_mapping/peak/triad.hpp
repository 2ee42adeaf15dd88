#pragma once
/// @file
/// The memory's limit, measured for comparison.
#include <studies/subdomain_mapping/block/ghosted_block.hpp>

namespace osteon::studies {

/// a = b + 3 c on three arrays of this process, threads as everywhere (McCalpin's STREAM). Stores bypass the caches, so
/// that the counted bytes, 24 per element of double, are those moved by the memory.
class triad {
 public:
  /// @param bytes of each array: more than the process's share of the caches, otherwise their speed is measured
  explicit triad(std::int64_t bytes);
  /// One pass through the arrays. @return bytes moved
  std::int64_t run();

 private:
  ghosted_block<double> a_, b_, c_;
};

}  // namespace osteon::studies
