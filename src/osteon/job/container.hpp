#pragma once
/// @file
/// Limits of the container in which a job runs (base/container_limits.hpp).
#include <cstdint>
#include <string>

namespace osteon::job {

/// Ranks of a job that asks for no number: one for `threads` cores, at most one a plane, and no more than the memory of the
/// container has room for before their fields are counted.
std::int64_t default_ranks(std::int64_t threads, std::int64_t planes);

/// A sentence on the limits of the container where they are tighter than the host's; else empty.
std::string text_of_container_limits();

/// A sentence if a job that takes so many bytes of memory has more than the container allows; else empty.
std::string lack_of_memory(double bytes);

}  // namespace osteon::job
