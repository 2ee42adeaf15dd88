#pragma once
/// @file
/// Memory for objects of this library that programs access by handles.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

namespace osteon::bridge {

[[noreturn]] inline void give_up_on_memory(const char* text) noexcept {
  std::fprintf(stderr, "%s\n", text);
  std::_Exit(70);
}

/// Objects in an address range of their own. A handle of the vendor is an integer below 4 GiB, or a pointer into the memory
/// of the vendor. One subtraction therefore distinguishes these objects from handles of the vendor.
template <class T>
class arena {
 public:
  arena() {
    void* p = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) give_up_on_memory("osteon bridge: no address space for MPI objects");
    begin_ = reinterpret_cast<std::uintptr_t>(p);
  }
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  T* make() {
    void* place = nullptr;
    if (!free_.empty()) {
      place = free_.back();
      free_.pop_back();
    } else {
      place = reinterpret_cast<void*>(begin_ + used_);
      used_ += sizeof(T);
      if (used_ > reserved) give_up_on_memory("osteon bridge: too many MPI objects at the same time");
    }
    return new (place) T{};
  }
  void drop(T* object) {
    object->~T();
    free_.push_back(object);
  }
  bool holds(const void* handle) const { return reinterpret_cast<std::uintptr_t>(handle) - begin_ < reserved; }

 private:
  static constexpr std::size_t reserved = std::size_t{1} << 30;
  std::uintptr_t begin_ = 0;
  std::size_t used_ = 0;
  std::vector<void*> free_;
};

}  // namespace osteon::bridge
