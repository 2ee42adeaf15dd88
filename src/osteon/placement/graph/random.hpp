#pragma once
/// @file
/// Random numbers that are independent of the machine and of its libraries. A placement therefore depends only on its seed.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <osteon/base/splitmix.hpp>
#include <utility>
#include <vector>

namespace osteon::placement {

/// xoshiro256**. @cite [BlackmanVigna2021]
class random_source {
 public:
  explicit random_source(std::uint64_t seed) {
    for (auto& word : state_) {  // even for similar seeds, the states differ in all bits
      word = splitmix64(seed);
      seed += splitmix_increment;
    }
  }
  std::uint64_t bits() {
    const std::uint64_t result = turn(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = turn(state_[3], 45);
    return result;
  }
  /// Uniform integer from 0 to n - 1, for n below 2^32.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((bits() >> 32) * n) >> 32); }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
  }

 private:
  static std::uint64_t turn(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::array<std::uint64_t, 4> state_{};
};

/// Exponential distribution with mean 1. The table contains the values at the centres of equally probable classes. An
/// annealing step compares its loss with the product of the temperature and a random value of the table. The acceptance
/// probability is then exp(-loss / temperature), and no exponential function is evaluated.
class exponential_table {
 public:
  exponential_table() {
    for (std::size_t i = 0; i < size; ++i) values_[i] = static_cast<float>(-std::log((static_cast<double>(i) + 0.5) / size));
  }
  float draw(std::uint64_t bits) const { return values_[bits % size]; }

 private:
  static constexpr std::size_t size = 4096;
  std::array<float, size> values_;
};

}  // namespace osteon::placement
