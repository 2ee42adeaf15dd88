#include <algorithm>
#include <osteon/kernel/fourier/fourier_passes.hpp>
#include <studies/hyper_crossbar/fourier/fourier.hpp>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace osteon::studies {

using namespace kernel;

namespace {

using complex = std::complex<double>;
using vector = complex_lanes::vector;

// Conversion between two vectors of (re, im, re, im) and vectors with separate real and imaginary parts. Lines have the
// order 0, 2, 1, 3, because this order needs only one shuffle for each vector.
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

// Adjacent lines. One element of all four lines occupies 64 contiguous bytes.
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
// Stores that bypass the caches. These stores are for data that are evicted before they are read again. With these stores,
// the overwritten memory is not read.
struct streamed {
  static void write(complex* at, std::ptrdiff_t stride, const complex_lanes& v) {
    if (reinterpret_cast<std::uintptr_t>(at) % sizeof(vector) != 0) return contiguous::write(at, stride, v);
    vector a, b;
    together(v, a, b);
    _mm256_stream_pd(reinterpret_cast<double*>(at), a);
    _mm256_stream_pd(reinterpret_cast<double*>(at + 2), b);
  }
};
void await_streams() { _mm_sfence(); }  // streamed stores are not ordered relative to the stores that signal completion
#else
using streamed = contiguous;
void await_streams() {}
#endif

// Lines at any addresses.
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

// The backward transform is the forward transform with real and imaginary parts exchanged before and after the transform.
template <bool backward>
[[gnu::always_inline]] inline complex_lanes sided(const complex_lanes& v) {
  if constexpr (backward)
    return {v.im, v.re};
  else
    return v;
}

// Four lines of the caller. The address `base` plus the offset of element 0 is the address of element 0 of the first line.
struct source {
  const complex* base;
  const std::ptrdiff_t* offset;
  std::ptrdiff_t stride;
  const double* weight;  // weight of each element, or null
  vector line_weight;
};
struct target {
  complex* base;
  const std::ptrdiff_t* offset;
  std::ptrdiff_t stride;
};

// Each pass is compiled for its input layout and its output layout. Only the first pass and the last pass use the layout of
// the caller. The number of combinations of layouts, radices and directions is therefore small.
template <class Layout, bool backward, bool weighted>
void first_pass(const fourier_plan::pass& pass, const source& from, complex_lanes* to) {
  fourier_pass<place_of_pass::first>(
      pass,
      [&from](int j) {
        complex_lanes v = sided<backward>(Layout::read(from.base + from.offset[j], from.stride));
        if constexpr (weighted) {
          const vector w = from.weight[j] * from.line_weight;
          v.re *= w, v.im *= w;
        }
        return v;
      },
      [to](int k, const complex_lanes& v) { to[k] = v; });
}

// A pass between two scratch arrays. The function is also used for the first or the last pass of copied lines. The factors
// are then 1.
void middle_pass(const fourier_plan::pass& pass, const complex_lanes* from, complex_lanes* to) {
  fourier_pass<place_of_pass::middle>(
      pass, [from](int j) { return from[j]; }, [to](int k, const complex_lanes& v) { to[k] = v; });
}

template <class Layout, bool backward>
void last_pass(const fourier_plan::pass& pass, const complex_lanes* from, const target& to) {
  fourier_pass<place_of_pass::last>(
      pass, [from](int j) { return from[j]; },
      [&to](int k, const complex_lanes& v) { Layout::write(to.base + to.offset[k], to.stride, sided<backward>(v)); });
}

using first_pass_of = void (*)(const fourier_plan::pass&, const source&, complex_lanes*);
using last_pass_of = void (*)(const fourier_plan::pass&, const complex_lanes*, const target&);

// The last one, two or three lines, and lengths of at most one pass, use scratch memory. Unused lanes are zero.
void take_few(const source& from, int count, int length, bool backward, complex_lanes* to) {
  for (int j = 0; j < length; ++j) {
    complex_lanes v{};
    for (int i = 0; i < count; ++i) {
      const complex value = from.base[from.offset[j] + i * from.stride];
      const double w = from.weight ? from.weight[j] * from.line_weight[lane_of_line[i]] : 1;
      v.re[lane_of_line[i]] = w * (backward ? value.imag() : value.real());
      v.im[lane_of_line[i]] = w * (backward ? value.real() : value.imag());
    }
    to[j] = v;
  }
}
void give_few(const complex_lanes* from, int count, int length, bool backward, const target& to) {
  for (int k = 0; k < length; ++k)
    for (int i = 0; i < count; ++i) {
      const double re = from[k].re[lane_of_line[i]], im = from[k].im[lane_of_line[i]];
      to.base[to.offset[k] + i * to.stride] = backward ? complex{im, re} : complex{re, im};
    }
}

void few_lines(const fourier_plan& plan, const source& from, const target& to, int count, bool backward,
               complex_lanes* scratch) {
  complex_lanes *a = scratch, *b = scratch + plan.length();
  take_few(from, count, plan.length(), backward, a);
  for (const auto& pass : plan.passes()) {
    middle_pass(pass, a, b);
    std::swap(a, b);
  }
  give_few(a, count, plan.length(), backward, to);
}

void four_lines(const fourier_plan& plan, const source& from, const target& to, first_pass_of first, last_pass_of last,
                complex_lanes* scratch) {
  const auto& passes = plan.passes();
  complex_lanes *a = scratch, *b = scratch + plan.length();
  first(passes.front(), from, a);
  for (std::size_t i = 1; i + 1 < passes.size(); ++i) {
    middle_pass(passes[i], a, b);
    std::swap(a, b);
  }
  last(passes.back(), a, to);
}

template <bool backward>
void all_lines(const fourier_plan& plan, const fourier_lines<const complex>& from, const fourier_lines<complex>& to,
               std::ptrdiff_t lines, const fourier_weights& weights) {
  const bool weighted = !weights.element.empty(), close = from.line_stride == 1 && to.line_stride == 1;
  const first_pass_of first =
      close ? (weighted ? first_pass<contiguous, backward, true> : first_pass<contiguous, backward, false>)
            : (weighted ? first_pass<strided, backward, true> : first_pass<strided, backward, false>);
  const last_pass_of last =
      !close ? last_pass<strided, backward> : (to.stream ? last_pass<streamed, backward> : last_pass<contiguous, backward>);
  std::vector<complex_lanes> scratch(2 * static_cast<std::size_t>(plan.length()));
  for (std::ptrdiff_t at = 0; at < lines; at += 4) {
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(4, lines - at));
    source four{from.base + at * from.line_stride,
                from.offset.data(),
                from.line_stride,
                weighted ? weights.element.data() : nullptr,
                {}};
    const target four_to{to.base + at * to.line_stride, to.offset.data(), to.line_stride};
    if (weighted)
      for (int i = 0; i < count; ++i) four.line_weight[lane_of_line[i]] = weights.line[static_cast<std::size_t>(at + i)];
    if (count < 4 || plan.passes().size() < 2)
      few_lines(plan, four, four_to, count, backward, scratch.data());
    else
      four_lines(plan, four, four_to, first, last, scratch.data());
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
  const auto run = direction == fourier_direction::backward ? all_lines<true> : all_lines<false>;
  run(plan, from, to, lines, weights);
}

}  // namespace osteon::studies
