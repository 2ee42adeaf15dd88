#pragma once
/// @file
/// Vectors on large pages. With pages of 4 KiB, the TLB covers little memory. Random access to more memory costs a
/// page-table walk for each element.
#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace osteon::studies {

/// Allocator that requests pages of 2 MiB for vectors of at least 2 MiB.
template <class T>
struct huge_page_allocator {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{2} << 20;

  huge_page_allocator() = default;
  template <class U>
  huge_page_allocator(const huge_page_allocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
    const bool large = bytes >= page;
    void* const at = std::aligned_alloc(large ? page : 64, large ? (bytes + page - 1) / page * page : bytes);
    if (!at) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (large) madvise(at, bytes, MADV_HUGEPAGE);  // this call is only a hint; without large pages, access is slower
#endif
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t) { std::free(at); }
  friend bool operator==(const huge_page_allocator&, const huge_page_allocator&) { return true; }
};

template <class T>
using huge_vector = std::vector<T, huge_page_allocator<T>>;

}  // namespace osteon::studies
