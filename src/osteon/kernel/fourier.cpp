#include <algorithm>
#include <osteon/kernel/fourier.hpp>
#include <osteon/kernel/fourier_passes.hpp>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

namespace {

using complex = std::complex<double>;
using vector = complex_lanes::vector;

// Two vectors of (re, im, re, im) and the four lines apart in real and imaginary parts; lines are in the order 0, 2, 1, 3,
// which takes one shuffle for each vector.
constexpr int lane_of_line[4] = {0, 2, 1, 3};
[[gnu::always_inline]] inline complex_lanes apart(vector a, vector b) {
  return {__builtin_shufflevector(a, b, 0, 4, 2, 6), __builtin_shufflevector(a, b, 1, 5, 3, 7)};
}
[[gnu::always_inline]] inline void together(const complex_lanes& v, vector& a, vector& b) {
  a = __builtin_shufflevector(v.re, v.im, 0, 4, 2, 6);
  b = __builtin_shufflevector(v.re, v.im, 1, 5, 3, 7);
}

typedef double pair __attribute__((vector_size(16)));

[[gnu::always_inline]] inline pair load_pair(const complex* from) {
  pair value;
  load(value, reinterpret_cast<const double*>(from));
  return value;
}
[[gnu::always_inline]] inline vector join(pair low, pair high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3); }

// Lines next to each other: an element of the four is 64 contiguous bytes.
struct contiguous {
  static complex_lanes read(const complex* at, std::ptrdiff_t) {
    vector a, b;
    load(a, reinterpret_cast<const double*>(at));
    load(b, reinterpret_cast<const double*>(at + 2));
    return apart(a, b);
  }
  static void write(complex* at, std::ptrdiff_t, const complex_lanes& v) {
    vector a, b;
    together(v, a, b);
    store(reinterpret_cast<double*>(at), a);
    store(reinterpret_cast<double*>(at + 2), b);
  }
};

#if defined(__AVX__)
// The same past the caches, for what is not needed again before they have been filled anew: saves reading what is
// overwritten.
struct streamed : contiguous {
  static void write(complex* at, std::ptrdiff_t stride, const complex_lanes& v) {
    if (reinterpret_cast<std::uintptr_t>(at) % sizeof(vector) != 0) return contiguous::write(at, stride, v);
    vector a, b;
    together(v, a, b);
    _mm256_stream_pd(reinterpret_cast<double*>(at), a);
    _mm256_stream_pd(reinterpret_cast<double*>(at + 2), b);
  }
};
void await_streams() { _mm_sfence(); }  // such stores are not ordered with those by which a thread says that it is done
#else
using streamed = contiguous;
void await_streams() {}
#endif

// Lines anywhere.
struct strided {
  static complex_lanes read(const complex* at, std::ptrdiff_t stride) {
    return apart(join(load_pair(at), load_pair(at + stride)), join(load_pair(at + 2 * stride), load_pair(at + 3 * stride)));
  }
  static void write(complex* at, std::ptrdiff_t stride, const complex_lanes& v) {
    vector a, b;
    together(v, a, b);
    store(reinterpret_cast<double*>(at), __builtin_shufflevector(a, a, 0, 1));
    store(reinterpret_cast<double*>(at + stride), __builtin_shufflevector(a, a, 2, 3));
    store(reinterpret_cast<double*>(at + 2 * stride), __builtin_shufflevector(b, b, 0, 1));
    store(reinterpret_cast<double*>(at + 3 * stride), __builtin_shufflevector(b, b, 2, 3));
  }
};

// The last one, two or three lines.
struct few {
  int count;
  complex_lanes read(const complex* at, std::ptrdiff_t stride) const {
    complex_lanes v{};
    for (int i = 0; i < count; ++i)
      v.re[lane_of_line[i]] = at[i * stride].real(), v.im[lane_of_line[i]] = at[i * stride].imag();
    return v;
  }
  void write(complex* at, std::ptrdiff_t stride, const complex_lanes& v) const {
    for (int i = 0; i < count; ++i) at[i * stride] = {v.re[lane_of_line[i]], v.im[lane_of_line[i]]};
  }
};

// The backward transform is the forward one with real and imaginary parts in each other's place, before and after.
template <bool backward>
[[gnu::always_inline]] inline complex_lanes sided(const complex_lanes& v) {
  if constexpr (backward)
    return {v.im, v.re};
  else
    return v;
}

template <bool backward, bool weighted, class Read, class Write>
void four_lines(const fourier_plan& plan, complex_lanes* scratch, const fourier_lines<const complex>& from,
                const fourier_lines<complex>& to, std::ptrdiff_t first, const fourier_weights& weights,
                const vector& line_weight, const Read& read, const Write& write) {
  const complex* const source = from.base + first * from.line_stride;
  complex* const target = to.base + first * to.line_stride;
  transform_four_lines(
      plan, scratch,
      [&, offset = from.offset.data(), stride = from.line_stride](int j) {
        complex_lanes v = sided<backward>(read.read(source + offset[j], stride));
        if constexpr (weighted) {
          const vector w = weights.element[static_cast<std::size_t>(j)] * line_weight;
          v.re *= w, v.im *= w;
        }
        return v;
      },
      [&, offset = to.offset.data(), stride = to.line_stride](int k, const complex_lanes& v) {
        write.write(target + offset[k], stride, sided<backward>(v));
      });
}

template <bool backward, bool weighted>
void all_lines(const fourier_plan& plan, const fourier_lines<const complex>& from, const fourier_lines<complex>& to,
               std::ptrdiff_t lines, const fourier_weights& weights) {
  std::vector<complex_lanes> scratch(2 * static_cast<std::size_t>(plan.length()));
  for (std::ptrdiff_t first = 0; first < lines; first += 4) {
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(4, lines - first));
    vector line_weight{};
    if constexpr (weighted)
      for (int i = 0; i < count; ++i) line_weight[lane_of_line[i]] = weights.line[static_cast<std::size_t>(first + i)];
    const auto run = [&](const auto& read, const auto& write) {
      four_lines<backward, weighted>(plan, scratch.data(), from, to, first, weights, line_weight, read, write);
    };
    if (count < 4)
      run(few{count}, few{count});
    else if (from.line_stride == 1 && to.line_stride == 1)
      to.stream ? run(contiguous{}, streamed{}) : run(contiguous{}, contiguous{});
    else
      run(strided{}, strided{});
  }
  if (to.stream) await_streams();
}

}  // namespace

std::vector<std::ptrdiff_t> regular_offsets(std::int64_t length, std::ptrdiff_t stride) {
  std::vector<std::ptrdiff_t> offsets(static_cast<std::size_t>(length));
  for (std::size_t j = 0; j < offsets.size(); ++j) offsets[j] = static_cast<std::ptrdiff_t>(j) * stride;
  return offsets;
}

void transform_lines(const fourier_plan& plan, fourier_direction direction, fourier_lines<const complex> from,
                     fourier_lines<complex> to, std::ptrdiff_t lines, fourier_weights weights) {
  const bool backward = direction == fourier_direction::backward, weighted = !weights.element.empty();
  const auto run = backward ? (weighted ? all_lines<true, true> : all_lines<true, false>)
                            : (weighted ? all_lines<false, true> : all_lines<false, false>);
  run(plan, from, to, lines, weights);
}

}  // namespace osteon::kernel
