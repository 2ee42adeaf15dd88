#include <fmt/format.h>
#include <sched.h>
#include <sys/statvfs.h>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstring>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/shared_window.hpp>

namespace osteon::comm {

namespace {
constexpr std::size_t page = 4096;
}

shared_window::~shared_window() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (window_ == MPI_WIN_NULL || finalized) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

double shared_window::available() {
  struct statvfs there{};
  if (::statvfs("/dev/shm", &there) != 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(there.f_bavail) * static_cast<double>(there.f_frsize);
}

shared_window shared_window::make(MPI_Comm comm, std::size_t bytes) {
  double all = static_cast<double>(bytes);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  collectively(comm, [&] {
    // Check the available memory first. Access beyond the available memory would cause a bus error.
    const double free = available();
    if (all > free)
      throw machine_error(
          fmt::format("{:.0f} MB of shared memory are required for {} ranks, but /dev/shm has {:.0f} MB; enlarge /dev/shm "
                      "(docker: --shm-size), or use messages",
                      all / 1e6, size(comm), free / 1e6));
  });
  shared_window result;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");  // each segment begins at a page in the local memory of its rank
  void* own = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + page), 1, info, comm, &own, &result.window_);
  MPI_Info_free(&info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, result.window_);
  for (int r = 0; r < size(comm); ++r) {
    MPI_Aint length = 0;
    int unit = 1;
    void* at = nullptr;
    MPI_Win_shared_query(result.window_, r, &length, &unit, &at);
    // The start address from MPI is not aligned. However, its offset in a page is equal on all ranks.
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    result.stretches_.push_back(static_cast<std::byte*>(at) + (page - address % page) % page);
  }
  std::memset(result.of(rank(comm)), 0, bytes);
  MPI_Barrier(comm);
  return result;
}

void shared_counter::add(std::uint32_t last, bool crowded) {
  const std::uint32_t now = value_.fetch_add(1, std::memory_order_acq_rel) + 1;
#if defined(__linux__)
  if (crowded && now == last) syscall(SYS_futex, &value_, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
#endif
}

void shared_counter::wait(std::uint32_t last, bool crowded) const {
  for (int tries = 0; !reached(last); ++tries) {
    if (tries < (crowded ? 20 : 2000)) continue;
#if defined(__linux__)
    const std::uint32_t now = value_.load(std::memory_order_acquire);
    if (crowded && !reached(last)) {
      // if the value has changed, the call returns immediately
      syscall(SYS_futex, &value_, FUTEX_WAIT, now, nullptr, nullptr, 0);
      continue;
    }
#endif
    sched_yield();
  }
}

void wait_until(const std::atomic<std::uint64_t>& counter, std::uint64_t value, bool crowded) {
  for (int tries = 0; counter.load(std::memory_order_acquire) < value; ++tries)
    if (crowded || tries > 2000) sched_yield();
}

}  // namespace osteon::comm
