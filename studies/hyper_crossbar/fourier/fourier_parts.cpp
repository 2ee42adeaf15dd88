#include <sys/mman.h>

#include <new>
#include <studies/hyper_crossbar/fourier/fourier_parts.hpp>

namespace osteon::studies {

void unmap::operator()(complex* at) const { ::munmap(at, bytes); }

complex_array allocate_complex(std::ptrdiff_t count) {
  if (count == 0) return {};
  constexpr std::size_t large_page = 1 << 21;
  const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(complex) + large_page - 1) / large_page * large_page;
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  ::madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return complex_array(static_cast<complex*>(at), unmap{bytes});
}

}  // namespace osteon::studies
