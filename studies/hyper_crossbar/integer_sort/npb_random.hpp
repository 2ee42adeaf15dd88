#pragma once
/// @file
/// The pseudorandom numbers of the NAS Parallel Benchmarks, with jump-ahead. Each rank starts at its part of the sequence.
#include <cstdint>

namespace osteon::studies {

/// The step is x_{k+1} = a x_k mod 2^46, the step of `randlc` of NPB.
///
/// NPB splits the product into halves of 23 bits in doubles. The range of 64-bit integers is a multiple of 2^46. One integer
/// product therefore yields the bits of NPB.
/// @cite [Bailey1991], section 2.3
class npb_random {
 public:
  static constexpr std::uint64_t default_multiplier = 1220703125;  ///< 5^13
  static constexpr std::uint64_t default_seed = 314159265;

  constexpr explicit npb_random(std::uint64_t seed = default_seed, std::uint64_t multiplier = default_multiplier)
      : state_(seed & mask), multiplier_(multiplier & mask) {}

  /// Advance the state. @return the new state as a number in (0, 1)
  constexpr double next() {
    state_ = state_ * multiplier_ & mask;
    return static_cast<double>(state_) * 0x1p-46;
  }
  /// Skip `count` numbers. @cost O(log count)
  constexpr void skip(std::uint64_t count) { state_ = state_ * power(multiplier_, count) & mask; }
  constexpr std::uint64_t state() const { return state_; }

  /// The value base^exponent mod 2^46. Multiplication by this value advances a state by `exponent` numbers.
  static constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base = base * base & mask)
      if (exponent & 1) result = result * base & mask;
    return result;
  }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
  std::uint64_t state_, multiplier_;
};

/// The next key of NPB IS, in [0, range). The key is the mean of four numbers. The distribution of the keys is nearly normal
/// around range / 2. Key k of a sequence uses the numbers 4k ... 4k + 3. Call skip(4 k) before key k.
constexpr std::int32_t npb_is_key(npb_random& random, std::int64_t range) {
  double sum = random.next();
  for (int i = 0; i < 3; ++i) sum += random.next();
  return static_cast<std::int32_t>(static_cast<double>(range / 4) * sum);
}

}  // namespace osteon::studies
