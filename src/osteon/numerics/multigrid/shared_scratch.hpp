#pragma once
/// @file
/// Memory that the multigrid cycle and the outer iteration use alternately.
#include <cstddef>
#include <memory>
#include <new>
#include <osteon/base/for_each.hpp>
#include <span>

namespace osteon::numerics {

/// Memory for four vectors of floats or two vectors of doubles. Float vectors 0 and 1 share memory with double vector 0;
/// float vectors 2 and 3 share memory with double vector 1. A write to a vector invalidates the vectors that share its
/// memory.
class shared_scratch {
 public:
  explicit shared_scratch(std::int64_t size) : size_(static_cast<std::size_t>(size)), bytes_(allocate(16 * size_)) {
    // First touch by the threads that use the memory.
    for_each_block(size, 8192, [to = bytes_.get()](std::int64_t begin, std::int64_t end) {
      std::fill(to + 16 * begin, to + 16 * end, std::byte{0});
    });
  }
  std::span<float> floats(std::size_t which) {
    return {std::launder(reinterpret_cast<float*>(bytes_.get()) + which * size_), size_};
  }
  std::span<double> doubles(std::size_t which) {
    return {std::launder(reinterpret_cast<double*>(bytes_.get()) + which * size_), size_};
  }

 private:
  static constexpr std::align_val_t line{64};
  struct release {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, line); }
  };
  static std::byte* allocate(std::size_t bytes) { return static_cast<std::byte*>(::operator new[](bytes, line)); }

  std::size_t size_;
  std::unique_ptr<std::byte[], release> bytes_;
};

}  // namespace osteon::numerics
