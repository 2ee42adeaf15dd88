#pragma once
/// @file
/// Limits of the container in which a job runs (base/container_limits.hpp).
#include <cstdint>
#include <string>

namespace osteon::job {

/// Default number of ranks: one rank for each `threads` cores, and at most one rank per plane. The memory of the container
/// also limits the number of ranks; this limit does not count the memory of fields.
std::int64_t default_ranks(std::int64_t threads, std::int64_t planes);

/// Return a sentence on the limits of the container if the limits are smaller than the resources of the host; otherwise an
/// empty text.
std::string text_of_container_limits();

/// Return a sentence if a job that needs `bytes` of memory exceeds the limit of the container; otherwise an empty text.
std::string lack_of_memory(double bytes);

}  // namespace osteon::job
