#pragma once
/// @file
/// Shared memory of the ranks of a host, and synchronisation of these ranks without messages.
#include <atomic>
#include <osteon/comm/communicator.hpp>
#include <vector>

namespace osteon::comm {

/// A window of MPI_Win_allocate_shared: each rank has a page-aligned segment that all ranks can read and write.
class shared_window {
 public:
  shared_window() = default;
  shared_window(shared_window&& other) noexcept : window_(std::exchange(other.window_, MPI_WIN_NULL)) { swap(other); }
  shared_window& operator=(shared_window&& other) noexcept {
    std::swap(window_, other.window_);
    swap(other);
    return *this;
  }
  ~shared_window();

  /// @param bytes size of this rank's segment, which is filled with zeros
  /// @throws machine_error if shared memory is insufficient
  /// @collective on comm, whose ranks are on one host
  static shared_window make(MPI_Comm comm, std::size_t bytes);

  /// Free bytes in /dev/shm, where MPI allocates shared memory. If /dev/shm does not exist, the result is infinity.
  static double available();

  std::byte* of(int rank) const { return stretches_[static_cast<std::size_t>(rank)]; }

 private:
  void swap(shared_window& other) { stretches_.swap(other.stretches_); }

  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> stretches_;
};

/// An increasing counter in shared memory. Processes wait until the counter reaches a value. If processes outnumber cores,
/// waiting processes sleep. A process that polls and yields its core would regain a core too late.
class shared_counter {
 public:
  /// Add 1. The call that increases the counter to `last` wakes the waiting processes.
  void add(std::uint32_t last, bool crowded);
  void wait(std::uint32_t last, bool crowded) const;

 private:
  bool reached(std::uint32_t last) const {
    // the difference is also correct after the counter has overflowed
    return static_cast<std::int32_t>(value_.load(std::memory_order_acquire) - last) >= 0;
  }
  std::atomic<std::uint32_t> value_;
};

/// Wait until another process has set `counter` to at least `value`.
/// @param crowded true if ranks outnumber cores: the function then releases the core immediately
void wait_until(const std::atomic<std::uint64_t>& counter, std::uint64_t value, bool crowded);

}  // namespace osteon::comm
