#pragma once
/// @file
/// Generalised conjugate residuals for non-symmetric systems K x = b.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <osteon/numerics/krylov/block_sums.hpp>
#include <utility>
#include <vector>

namespace osteon::numerics {

/// Layout of the vectors of a GCR system: `arrays` arrays of `count` owned values, `stride` apart.
struct gcr_layout {
  MPI_Comm comm = MPI_COMM_NULL;
  index_blocks blocks;
  std::int64_t stride = 0;
};

/// The recursion of preconditioned GCR. The recursion stores search directions p and their orthogonal images w. Each step
/// minimises the residual over the stored directions. With a bounded number of directions, the method is known as ORTHOMIN.
/// The system owns the vectors x, p, w and the residual r, and fuses the loops over these vectors. The residual may have any
/// precision.
/// @cite [EisenstatElmanSchultz1983]
///
/// A system has
/// - `gcr_layout layout() const`
/// - `double weight(std::int64_t array) const`: weight of the squares of an array in the inner product
/// - `void search()`: compute a direction p from the residual, and its image w
/// - `float* direction()`, `float* image()`: p and w
/// - `const T* residual() const`: the vector to minimise, in the space of the images
/// - `void follow()`: called after p has been combined with stored directions, and w with their images; updates all other
///   data that depend on p
/// - `double update(const gcr_step& step)`: move x along p and r along w; store p and w divided by the length of w; return
///   the norm of r
///
/// An iteration is a call of `advance()`. The caller discards the directions when the operator changes.
/// @tparam Most maximum number of directions
template <std::size_t Most>
class gcr;

/// A step along p, and memory for the stored direction: p / length and w / length, without gaps between the arrays.
struct gcr_step {
  double alpha = 0;   ///< x += alpha p, r -= alpha w
  double length = 0;  ///< length of w
  float *direction = nullptr, *image = nullptr;
};

enum class gcr_outcome {
  made,       ///< step made: x and r are updated
  dependent,  ///< breakdown: except for rounding, the image is a linear combination of the stored images. The stored
              ///< directions are discarded; the solution is unchanged
  not_finite  ///< the solution is unchanged
};

template <std::size_t Most>
class gcr {
 public:
  /// @param capacity maximum number of stored directions, 1 to Most; a further direction replaces the oldest direction
  /// @param least_square smallest ratio of the squared norms of an image after and before orthogonalisation; below this
  /// ratio the image contains only rounding errors
  gcr(std::size_t capacity, double least_square) : capacity_(capacity), least_square_(least_square) {}

  /// Perform one step. @collective on the system's communicator
  template <class System>
  gcr_outcome advance(System& system) {
    const gcr_layout at_system = system.layout();
    system.search();
    const double before = kept_.empty() ? 0 : make_orthogonal(system, at_system);
    const auto sums = products(system, at_system);
    if (before > 0 && sums[0] < least_square_ * before) {
      restart();
      return gcr_outcome::dependent;
    }
    const double length = std::sqrt(sums[0]), alpha = sums[1] / sums[0];
    if (!std::isfinite(alpha) || !std::isfinite(length)) return gcr_outcome::not_finite;
    kept& newest = room(at(at_system.blocks.arrays * at_system.blocks.count));
    residual_ = system.update(gcr_step{alpha, length, newest.direction.data(), newest.image.data()});
    return gcr_outcome::made;
  }

  /// Return value of the system's update() in the last completed step.
  double residual() const { return residual_; }
  /// Number of stored directions.
  std::size_t size() const { return kept_.size(); }
  /// Discard the stored directions. Call this function after the operator has changed.
  void restart() { kept_.clear(); }

 private:
  struct kept {
    std::vector<float> direction, image;  // scaled to unit length of the image
  };

  // Subtract the components of p and w along the stored directions and images. @return squared norm of the initial w
  template <class System>
  double make_orthogonal(System& system, const gcr_layout& l) {
    const std::size_t count = kept_.size();
    float *const p = system.direction(), *const w = system.image();
    const auto along =
        block_sums<Most + 1>(l.comm, l.blocks, [&](std::int64_t a, std::int64_t begin, std::int64_t n, auto& sum) {
          const double weight = system.weight(a);
          const float* const own = w + a * l.stride + begin;
          for (std::size_t k = 0; k < count; ++k)
            sum[k] = weight * dot(own, kept_[k].image.data() + a * l.blocks.count + begin, n);
          sum[Most] = weight * dot(own, own, n);
        });
    for_each_block_of(l.blocks, [&](std::int64_t, std::int64_t a, std::int64_t begin, std::int64_t n) {
      float *const to_p = p + a * l.stride + begin, *const to_w = w + a * l.stride + begin;
      for (std::size_t k = 0; k < count; ++k) {
        const auto part = static_cast<float>(along[k]);
        const float *const old_p = kept_[k].direction.data() + a * l.blocks.count + begin, *const old_w =
                                                                                               kept_[k].image.data() +
                                                                                               a * l.blocks.count + begin;
#pragma omp simd
        for (std::int64_t i = 0; i < n; ++i) {
          to_w[i] -= part * old_w[i];
          to_p[i] -= part * old_p[i];
        }
      }
    });
    system.follow();
    return along[Most];
  }

  // (w, w) and (w, r).
  template <class System>
  std::array<double, 2> products(System& system, const gcr_layout& l) const {
    const float* const image = system.image();
    return block_sums<2>(l.comm, l.blocks, [&](std::int64_t a, std::int64_t begin, std::int64_t n, auto& sum) {
      const double weight = system.weight(a);
      const float* const w = image + a * l.stride + begin;
      sum = {weight * dot(w, w, n), weight * dot(w, system.residual() + a * l.stride + begin, n)};
    });
  }

  template <class T>
  static double dot(const float* a, const T* b, std::int64_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  }

  // Memory for the newest direction. If `capacity` directions are stored, the newest direction overwrites the oldest
  // direction.
  kept& room(std::size_t size) {
    if (kept_.size() < capacity_)
      kept_.push_back({std::vector<float>(size), std::vector<float>(size)});
    else
      std::rotate(kept_.begin(), kept_.begin() + 1, kept_.end());
    return kept_.back();
  }

  std::size_t capacity_;
  double least_square_;
  double residual_ = 0;
  std::vector<kept> kept_;
};

}  // namespace osteon::numerics
