#pragma once
/// @file
/// Poisson's ratios at which the eight-node hexahedron locks.
#include <string>

namespace osteon::job {

/// Largest Poisson's ratio at which the eight-node hexahedron does not lock.
inline constexpr double largest_poisson_ratio = 0.49;

/// Whether it locks. In single precision, as images of ratios are stored: their 0.49 is 0.49000001 in double.
inline bool locks_at(double poisson_ratio) {
  return static_cast<float>(poisson_ratio) > static_cast<float>(largest_poisson_ratio);
}

/// The fault of results with a Poisson's ratio above that limit: a sentence.
std::string locking_at(double poisson_ratio);

}  // namespace osteon::job
