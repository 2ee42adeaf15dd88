#include <studies/subdomain_mapping/block/jacobi_steps.hpp>

#include <omp.h>

#include <algorithm>
#include <memory>
#include <studies/subdomain_mapping/block/stream_store.hpp>

namespace osteon::studies {

using namespace kernel;

namespace {

constexpr std::int64_t planes_of_ring = 3;

// The input rows for the computation of a row.
template <class T>
struct rows_around {
  const T *here, *below_y, *above_y, *below_z, *above_z;
};

// The order of additions is the order of additions of `jacobi_sweep`.
template <class V, class T>
[[gnu::always_inline]] inline V swept(jacobi_weights<T> w, const rows_around<T>& r, std::int64_t x) {
  const V along_x = get<V>(r.here + x - 1) + get<V>(r.here + x + 1), along_y = get<V>(r.below_y + x) + get<V>(r.above_y + x);
  return w.centre * get<V>(r.here + x) + w.side * ((along_x + along_y) + (get<V>(r.below_z + x) + get<V>(r.above_z + x)));
}

// @param to output, at a cache line if Stream is true
template <bool Stream, class T>
void sweep_row(jacobi_weights<T> w, const rows_around<T>& r, T* to, std::int64_t count) {
  using vector = typename lanes<T>::vector;
  constexpr std::int64_t width = lanes<T>::count;
  std::int64_t x = 0;
  for (; x + 2 * width <= count; x += 2 * width) {
    const auto first = swept<vector>(w, r, x), second = swept<vector>(w, r, x + width);
    if constexpr (Stream) {
      stream(to + x, first);
      stream(to + x + width, second);
    } else {
      store(to + x, first);
      store(to + x + width, second);
    }
  }
  for (; x < count; ++x) to[x] = swept<T>(w, r, x);
}

// The sweeps of one thread on its slab. The blocks of rows are processed one after another.
template <class T>
class wavefront {
 public:
  wavefront(jacobi_weights<T> w, const ghosted_view<const T>& from, const ghosted_view<T>& to, int steps, std::int64_t rows)
      : w_(w), from_(from), to_(to), shape_(to.shape()), steps_(steps), ring_rows_(rows + 2 * (steps - 1)) {
    pitch_ = from.row();
    rings_ = std::make_unique<T[]>(static_cast<std::size_t>((steps - 1) * planes_of_ring * ring_rows_ * pitch_ + 2 * line));
  }

  void run(z_slab slab, std::int64_t first_row, std::int64_t end_row) {
    row_of_ring_ = first_row - (steps_ - 1);
    for (std::int64_t front = slab.begin - (steps_ - 1); front < slab.end + steps_ - 1; ++front)
      for (int t = 1; t <= steps_; ++t) {
        const std::int64_t z = front - (t - 1), rim = steps_ - t;
        if (z < std::max<std::int64_t>(0, slab.begin - rim) || z >= std::min(shape_.z, slab.end + rim)) continue;
        const std::int64_t begin = std::max<std::int64_t>(0, first_row - rim), end = std::min(shape_.y, end_row + rim);
        for (std::int64_t y = begin; y < end; ++y) sweep(t, z, y);
      }
    end_of_streams();
  }

 private:
  /// number of elements of a cache line, which precedes a row and contains the ghost of the row
  static constexpr std::int64_t line = 64 / sizeof(T);

  // A row after t sweeps. For t = 0, the row is a row of the field. Values outside of the block never change.
  const T* row(int t, std::int64_t z, std::int64_t y) const {
    const bool inside = z >= 0 && z < shape_.z && y >= 0 && y < shape_.y;
    return t == 0 || !inside ? from_.at({z, y, 0}) : ring(t, z, y);
  }
  T* ring(int t, std::int64_t z, std::int64_t y) const {
    const std::int64_t place = ((t - 1) * planes_of_ring + z % planes_of_ring) * ring_rows_ + (y - row_of_ring_);
    return rings_.get() + place * pitch_ + line;
  }
  void sweep(int t, std::int64_t z, std::int64_t y) {
    const rows_around<T> around{row(t - 1, z, y), row(t - 1, z, y - 1), row(t - 1, z, y + 1), row(t - 1, z - 1, y),
                                row(t - 1, z + 1, y)};
    if (t == steps_) {
      sweep_row<true>(w_, around, to_.at({z, y, 0}), shape_.x);
    } else {
      T* const out = ring(t, z, y);
      sweep_row<false>(w_, around, out, shape_.x);
      out[-1] = from_(z, y, -1);
      out[shape_.x] = from_(z, y, shape_.x);
    }
  }

  jacobi_weights<T> w_;
  ghosted_view<const T> from_;
  ghosted_view<T> to_;
  index3 shape_;
  int steps_;
  std::int64_t ring_rows_, pitch_ = 0, row_of_ring_ = 0;
  std::unique_ptr<T[]> rings_;  ///< shape (steps - 1, planes of a ring, rows of a plane, pitch)
};

}  // namespace

template <class T>
void jacobi_steps(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, int steps, std::int64_t rows) {
  const index3 shape = to.shape();
  if (rows == 0) {
    const std::int64_t row_bytes = from.row() * static_cast<std::int64_t>(sizeof(T)), between = planes_of_ring * (steps - 1);
    rows = between == 0 ? 32 : std::clamp<std::int64_t>((2 << 20) / (between * row_bytes) - 2 * (steps - 1), 8, 256);
  }
#pragma omp parallel
  {
    const z_slab mine = slab_of(omp_get_thread_num(), omp_get_num_threads(), shape.z);
    if (mine.begin < mine.end) {
      wavefront<T> sweeps(w, from, to, steps, rows);
      for (std::int64_t y = 0; y < shape.y; y += rows) sweeps.run(mine, y, std::min(shape.y, y + rows));
    }
  }
}

template void jacobi_steps(jacobi_weights<float>, ghosted_view<const float>, ghosted_view<float>, int, std::int64_t);
template void jacobi_steps(jacobi_weights<double>, ghosted_view<const double>, ghosted_view<double>, int, std::int64_t);

}  // namespace osteon::studies
