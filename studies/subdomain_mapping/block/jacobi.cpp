#include <studies/subdomain_mapping/block/jacobi.hpp>

#include <omp.h>

#include <algorithm>
#include <studies/subdomain_mapping/block/stream_store.hpp>

namespace osteon::studies {

using namespace kernel;

namespace {

// Compute one value, or one vector of values. Every lane is rounded as a single value would be rounded, because this file is
// compiled without contraction. `rows` are the rows of the planes from z - 1 to z + Planes. The inner planes are computed.
// Each row is loaded once for all planes.
template <class V, int Planes, class T>
[[gnu::always_inline]] inline void columns(jacobi_weights<T> w, const T* from, std::int64_t row, std::int64_t plane,
                                           V (&result)[Planes]) {
  V middle[Planes + 2];
#pragma GCC unroll 8
  for (int k = 0; k < Planes + 2; ++k) middle[k] = get<V>(from + (k - 1) * plane);
#pragma GCC unroll 8
  for (int k = 0; k < Planes; ++k) {
    const T* here = from + k * plane;
    const V along_x = get<V>(here - 1) + get<V>(here + 1), along_y = get<V>(here - row) + get<V>(here + row);
    result[k] = w.centre * middle[k + 1] + w.side * ((along_x + along_y) + (middle[k] + middle[k + 2]));
  }
}

template <int Planes, class T>
[[gnu::always_inline]] inline void one_column(jacobi_weights<T> w, const ghosted_view<const T>& from,
                                              const ghosted_view<T>& to, index3 at) {
  T result[Planes];
  columns<T, Planes>(w, from.at(at), from.row(), from.plane(), result);
  for (int k = 0; k < Planes; ++k) to.at(at)[k * to.plane()] = result[k];
}

template <int Planes, bool Stream, class T>
void rows_of_planes(jacobi_weights<T> w, const ghosted_view<const T>& from, const ghosted_view<T>& to, index3 at,
                    std::int64_t end) {
  using vector = typename lanes<T>::vector;
  constexpr std::int64_t width = lanes<T>::count, line = 2 * width;
  // Rows start at a cache line. A region may start at any cell.
  const std::int64_t aligned = std::min(end, (at.x + line - 1) / line * line);
  for (; at.x < aligned; ++at.x) one_column<Planes>(w, from, to, at);
  const T* in = from.at(at);
  T* out = to.at(at);
  const std::int64_t lines = (end - at.x) / line;
  for (std::int64_t n = 0; n < lines; ++n, in += line, out += line) {
    vector first[Planes], second[Planes];
    columns<vector, Planes>(w, in, from.row(), from.plane(), first);
    columns<vector, Planes>(w, in + width, from.row(), from.plane(), second);
#pragma GCC unroll 8
    for (int k = 0; k < Planes;
         ++k) {  // store a whole cache line at once; otherwise the write buffers would write partial lines
      if constexpr (Stream) {
        stream(out + k * to.plane(), first[k]);
        stream(out + k * to.plane() + width, second[k]);
      } else {
        store(out + k * to.plane(), first[k]);
        store(out + k * to.plane() + width, second[k]);
      }
    }
  }
  for (at.x += lines * line; at.x < end; ++at.x) one_column<Planes>(w, from, to, at);
}

template <bool Stream, class T>
void sweep_slab(jacobi_weights<T> w, const ghosted_view<const T>& from, const ghosted_view<T>& to, const box3& region,
                std::int64_t block) {
  for (std::int64_t y = region.begin.y; y < region.end.y; y += block) {
    const std::int64_t last = std::min(region.end.y, y + block);
    for (std::int64_t z = region.begin.z; z < region.end.z;) {
      const std::int64_t left = region.end.z - z;
      const auto planes = left >= 4 ? 4 : left >= 2 ? 2 : 1;
      for (std::int64_t r = y; r < last; ++r) {
        const index3 at{z, r, region.begin.x};
        if (planes == 4)
          rows_of_planes<4, Stream>(w, from, to, at, region.end.x);
        else if (planes == 2)
          rows_of_planes<2, Stream>(w, from, to, at, region.end.x);
        else
          rows_of_planes<1, Stream>(w, from, to, at, region.end.x);
      }
      z += planes;
    }
  }
  if constexpr (Stream) end_of_streams();
}

}  // namespace

template <class T>
void jacobi_sweep_plain(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, const box3& region) {
  for (std::int64_t z = region.begin.z; z < region.end.z; ++z)
    for (std::int64_t y = region.begin.y; y < region.end.y; ++y)
      for (std::int64_t x = region.begin.x; x < region.end.x; ++x) {
        const T along_x = from(z, y, x - 1) + from(z, y, x + 1), along_y = from(z, y - 1, x) + from(z, y + 1, x),
                along_z = from(z - 1, y, x) + from(z + 1, y, x);
        to(z, y, x) = w.centre * from(z, y, x) + w.side * ((along_x + along_y) + along_z);
      }
}

template <class T>
void jacobi_sweep(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, const box3& region,
                  jacobi_walk walk) {
  if (region.empty()) return;
#pragma omp parallel
  {
    const z_slab mine = slab_of(omp_get_thread_num(), omp_get_num_threads(), to.shape().z);
    box3 part = region;
    part.begin.z = std::max(part.begin.z, mine.begin);
    part.end.z = std::min(part.end.z, mine.end);
    if (!part.empty()) {
      // Four planes, together with the plane below and the plane above, must fit into half of the smallest usual
      // second-level cache.
      const std::int64_t fit = (std::int64_t{256} << 10) / (6 * from.row() * static_cast<std::int64_t>(sizeof(T)));
      const std::int64_t rows = walk.rows > 0 ? walk.rows : std::clamp<std::int64_t>(fit, 8, 64);
      if (walk.stream)
        sweep_slab<true>(w, from, to, part, rows);
      else
        sweep_slab<false>(w, from, to, part, rows);
    }
  }
}

template void jacobi_sweep_plain(jacobi_weights<float>, ghosted_view<const float>, ghosted_view<float>, const box3&);
template void jacobi_sweep_plain(jacobi_weights<double>, ghosted_view<const double>, ghosted_view<double>, const box3&);
template void jacobi_sweep(jacobi_weights<float>, ghosted_view<const float>, ghosted_view<float>, const box3&, jacobi_walk);
template void jacobi_sweep(jacobi_weights<double>, ghosted_view<const double>, ghosted_view<double>, const box3&,
                           jacobi_walk);

}  // namespace osteon::studies
