#pragma once
/// @file
/// The limits of the cores and of the memory, to be measured beside what is held against them.
#include <cstdint>
#include <memory>

namespace osteon::kernel {

/// Multiply and add in registers, on all threads of this process: as many vectors at a time as hide the latency of their
/// units. What the compiler makes one fused operation counts as two, as usual.
/// @return floating-point operations done: some milliseconds of them
template <class T>
std::int64_t multiply_and_add();

extern template std::int64_t multiply_and_add<float>();
extern template std::int64_t multiply_and_add<double>();

/// a = b + 3 c on three arrays of this process, threads as everywhere (McCalpin's STREAM), with ordinary stores.
class triad {
 public:
  /// @param bytes of each array: more than the process's share of the caches, or their speed is measured
  explicit triad(std::int64_t bytes);
  /// Once through the arrays. @return bytes moved: two values read and one written
  std::int64_t run();

 private:
  std::int64_t size_;
  std::unique_ptr<double[]> a_, b_, c_;
};

}  // namespace osteon::kernel
