#pragma once
/// @file
/// Peak rates of cores and memory, for comparison with the rates of kernels.
#include <cstdint>
#include <memory>

namespace osteon::kernel {

/// Multiply and add in registers on all threads of this process, with enough independent vectors to hide the latency of the
/// units. A fused operation counts as two operations.
/// @return number of floating-point operations, which take some milliseconds in total
template <class T>
std::int64_t multiply_and_add();

extern template std::int64_t multiply_and_add<float>();
extern template std::int64_t multiply_and_add<double>();

/// Computes a = b + 3 c on three arrays of this process (McCalpin's STREAM), with all threads and ordinary stores.
class triad {
 public:
  /// @param bytes size of each array; must exceed the part of the caches that is available to this process
  explicit triad(std::int64_t bytes);
  /// Traverse the arrays once. @return number of transferred bytes: two reads and one write of a value per element
  std::int64_t run();

 private:
  std::int64_t size_;
  std::unique_ptr<double[]> a_, b_, c_;
};

}  // namespace osteon::kernel
