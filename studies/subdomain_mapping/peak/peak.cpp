#include <studies/subdomain_mapping/peak/peak.hpp>

#include <omp.h>

namespace osteon::studies {

namespace {

// As wide as the widest registers that the compiler may use.
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
    vector sums[at_a_time];  // no std::array: as an argument of a template the type is no vector any more
    for (int i = 0; i < at_a_time; ++i) sums[i] = vector{} + static_cast<T>(i);
    vector factor = vector{} + static_cast<T>(0.999), term = vector{} + static_cast<T>(1e-3);
    asm volatile("" : "+x"(factor), "+x"(term));  // the compiler must not know them
    for (int n = 0; n < turns; ++n)
      for (vector& s : sums) s = s * factor + term;
    for (vector& s : sums) asm volatile("" : "+x"(s));  // nor leave the sums out
    done += 2 * lanes * at_a_time * turns;
  }
  return done;
}

template std::int64_t multiply_and_add<float>();
template std::int64_t multiply_and_add<double>();

}  // namespace osteon::studies
