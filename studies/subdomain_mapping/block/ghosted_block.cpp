#include <studies/subdomain_mapping/block/ghosted_block.hpp>

#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <cstring>
#include <osteon/base/error.hpp>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace osteon::studies {

namespace {

constexpr std::size_t cache_line = 64, large_page = std::size_t{1} << 21;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

template <class T>
void ghosted_block<T>::release::operator()(std::byte* memory) const {
  std::free(memory);
}

template <class T>
ghosted_block<T>::ghosted_block(index3 shape) {
  // The cache line before a row contains the ghost at -1. The cache line after the row contains the ghost at the end of the
  // row.
  const std::size_t line = cache_line / sizeof(T);
  const std::size_t row = rounded_up(static_cast<std::size_t>(shape.x) + line + 1, line);
  std::size_t plane = row * (static_cast<std::size_t>(shape.y) + 2);
  // The distance between neighbours in z is not a multiple of 4 KiB. Otherwise such neighbours would use equal sets of the
  // first-level cache.
  if (plane * sizeof(T) % 4096 == 0) plane += line;
  const auto planes = static_cast<std::size_t>(shape.z) + 2;
  bytes_ = plane * planes * sizeof(T);
  const std::size_t unit = bytes_ < large_page ? cache_line : large_page;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, rounded_up(bytes_, unit))));
  if (!memory_)
    throw machine_error(
        fmt::format("no memory for a block of {} x {} x {} cells ({:.1f} GB); use a smaller grid or more hosts", shape.x,
                    shape.y, shape.z, 1e-9 * static_cast<double>(bytes_)));
#if defined(__linux__)
  // a hint, which the system may ignore
  if (unit == large_page) madvise(memory_.get(), rounded_up(bytes_, unit), MADV_HUGEPAGE);
#endif
  T* const all = reinterpret_cast<T*>(memory_.get());
#pragma omp parallel
  {
    // The ghost planes belong to the first thread and to the last thread.
    const auto mine = slab_of(omp_get_thread_num(), omp_get_num_threads(), shape.z);
    const std::int64_t begin = mine.begin == 0 ? 0 : mine.begin + 1, end = mine.end == shape.z ? shape.z + 2 : mine.end + 1;
    if (mine.begin < mine.end)
      std::memset(all + static_cast<std::size_t>(begin) * plane, 0,
                  static_cast<std::size_t>(end - begin) * plane * sizeof(T));
  }
  view_ = {all + plane + row + line, shape, static_cast<std::int64_t>(row), static_cast<std::int64_t>(plane)};
}

template class ghosted_block<float>;
template class ghosted_block<double>;

}  // namespace osteon::studies
