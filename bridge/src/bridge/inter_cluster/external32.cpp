#include <bridge/inter_cluster/external32.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace osteon::bridge {
namespace {

constexpr bool swaps = std::endian::native == std::endian::little;

void copy_number(const std::byte* from, std::size_t bytes, std::byte* to) {
  if (swaps)
    std::reverse_copy(from, from + bytes, to);
  else
    std::copy_n(from, bytes, to);
}

void long_double_out(const std::byte* native, std::byte* to) {
  long double value = 0;
  std::memcpy(&value, native, sizeof value);
  const __float128 quad = value;
  copy_number(reinterpret_cast<const std::byte*>(&quad), sizeof quad, to);
}

void long_double_in(const std::byte* from, std::byte* native) {
  __float128 quad = 0;
  copy_number(from, sizeof quad, reinterpret_cast<std::byte*>(&quad));
  const auto value = static_cast<long double>(quad);
  std::memcpy(native, &value, sizeof value);
}

/// Call `convert(run, address here, address outside)` for every number.
template <class F>
void each_number(const signature& s, std::size_t elements, F&& convert) {
  std::size_t here = 0, outside = 0;
  for (std::size_t e = 0; e < elements; ++e)
    for (const run_of_numbers& run : s)
      for (std::size_t i = 0; i < run.count; ++i, here += run.bytes, outside += run.bytes_outside())
        convert(run, here, outside);
}

}  // namespace

std::size_t bytes_here(const signature& s) {
  std::size_t n = 0;
  for (const run_of_numbers& run : s) n += run.count * run.bytes;
  return n;
}

std::size_t bytes_outside(const signature& s) {
  std::size_t n = 0;
  for (const run_of_numbers& run : s) n += run.count * run.bytes_outside();
  return n;
}

void append(signature& s, const run_of_numbers& next) {
  if (next.count == 0) return;
  if (!s.empty() && s.back().bytes == next.bytes && s.back().quad == next.quad)
    s.back().count += next.count;
  else
    s.push_back(next);
}

void encode(const signature& s, std::size_t elements, const std::byte* native, std::byte* to) {
  each_number(s, elements, [&](const run_of_numbers& run, std::size_t here, std::size_t outside) {
    if (run.quad)
      long_double_out(native + here, to + outside);
    else
      copy_number(native + here, run.bytes, to + outside);
  });
}

void decode(const signature& s, std::size_t elements, const std::byte* from, std::byte* native) {
  each_number(s, elements, [&](const run_of_numbers& run, std::size_t here, std::size_t outside) {
    if (run.quad)
      long_double_in(from + outside, native + here);
    else
      copy_number(from + outside, run.bytes, native + here);
  });
}

}  // namespace osteon::bridge
