#pragma once
/// @file
/// Limits of the container in which a job runs (base/container_limits.hpp).
#include <cstdint>
#include <string>

namespace osteon::job {

/// Default number of ranks: those of the batch job (ranks_of in job/batch_job.hpp), otherwise one rank for each `threads`
/// cores; at most one rank per plane. The memory of the container
/// also limits the number of ranks; this limit does not count the memory of fields.
std::int64_t default_ranks(std::int64_t threads, std::int64_t planes);

/// Return a sentence on the limits of the container. If the host has no more resources than the limits, the text is empty.
std::string text_of_container_limits();

/// Return a sentence if a job that needs `bytes` bytes of memory exceeds the limit of the container. Otherwise, the text is
/// empty.
std::string lack_of_memory(double bytes);

}  // namespace osteon::job
