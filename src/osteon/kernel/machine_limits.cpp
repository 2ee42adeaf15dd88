#include <osteon/kernel/machine_limits.hpp>

#include <omp.h>

#include <osteon/base/for_each.hpp>

namespace osteon::kernel {

namespace {

// Width of the widest registers that the compiler may use.
#if defined(__AVX512F__)
constexpr int bytes_of_register = 64;
#elif defined(__AVX__)
constexpr int bytes_of_register = 32;
#else
constexpr int bytes_of_register = 16;
#endif

}  // namespace

template <class T>
std::int64_t multiply_and_add() {
  typedef T vector __attribute__((vector_size(bytes_of_register)));
  constexpr int at_a_time = 12, turns = 200'000;
  constexpr std::int64_t lanes = bytes_of_register / sizeof(T);
  std::int64_t done = 0;
#pragma omp parallel reduction(+ : done)
  {
    vector sums[at_a_time];  // not std::array: a template argument loses the vector attribute
    for (int i = 0; i < at_a_time; ++i) sums[i] = vector{} + static_cast<T>(i);
    vector factor = vector{} + static_cast<T>(0.999), term = vector{} + static_cast<T>(1e-3);
    asm volatile("" : "+x"(factor), "+x"(term));  // hides the values from the compiler
    for (int n = 0; n < turns; ++n)
      for (vector& s : sums) s = s * factor + term;
    for (vector& s : sums) asm volatile("" : "+x"(s));  // prevents removal of the sums
    done += 2 * lanes * at_a_time * turns;
  }
  return done;
}

template std::int64_t multiply_and_add<float>();
template std::int64_t multiply_and_add<double>();

triad::triad(std::int64_t bytes)
    : size_(bytes / static_cast<std::int64_t>(sizeof(double))),
      a_(new double[static_cast<std::size_t>(size_)]),
      b_(new double[static_cast<std::size_t>(size_)]),
      c_(new double[static_cast<std::size_t>(size_)]) {
  // First touch: each thread initialises its memory. The system then allocates this memory close to the thread.
  for_each(size_, [a = a_.get(), b = b_.get(), c = c_.get()](std::int64_t i) { a[i] = 0, b[i] = 2, c[i] = 3; });
}

std::int64_t triad::run() {
  for_each(size_, [a = a_.get(), b = b_.get(), c = c_.get()](std::int64_t i) { a[i] = b[i] + 3 * c[i]; });
  return 3 * static_cast<std::int64_t>(sizeof(double)) * size_;
}

}  // namespace osteon::kernel
