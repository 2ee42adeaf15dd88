#pragma once
/// @file
/// Limits of the container in which a job runs (base/container_limits.hpp).
#include <cstdint>
#include <string>

namespace osteon::job {

/// Default number of ranks: one for each `threads` cores, at most one per plane, limited by the memory of the container
/// without counting their fields.
std::int64_t default_ranks(std::int64_t threads, std::int64_t planes);

/// Return a sentence on the limits of the container if the limits are smaller than the resources of the host; else empty.
std::string text_of_container_limits();

/// Return a sentence if a job that needs `bytes` of memory exceeds the limit of the container; else empty.
std::string lack_of_memory(double bytes);

}  // namespace osteon::job
