#pragma once
/// @file
/// The cores' limit, measured beside what is held against it.
#include <cstdint>

namespace osteon::studies {

/// Multiply and add in registers, on all threads of this process: as many vectors at a time as hide the latency of their
/// units. What the compiler makes one fused operation counts as two, as usual.
/// @return floating-point operations done: some milliseconds of them
template <class T>
std::int64_t multiply_and_add();

extern template std::int64_t multiply_and_add<float>();
extern template std::int64_t multiply_and_add<double>();

}  // namespace osteon::studies
