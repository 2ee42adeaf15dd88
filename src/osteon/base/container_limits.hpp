#pragma once
/// @file
/// Limits of the container or batch job that this process is in (control groups of Linux, versions 1 and 2).
#include <filesystem>
#include <optional>

namespace osteon {

/// The tightest limits of all control groups of a process.
struct container_limits {
  std::optional<double> cores;              ///< CPU quota over its period; 1.5: one and a half cores
  std::optional<double> memory_bytes;       ///< limit; nothing if it is above `physical memory`, as without a limit
  std::optional<double> memory_used_bytes;  ///< of that limit, without file cache that the kernel can drop
};

/// Read the limits of this process.
/// @param root of the file system, with proc and sys; a folder of a test, or $OSTEON_SYSTEM_ROOT
/// @collective local
container_limits limits_of_container(const std::filesystem::path& root);
container_limits limits_of_container();

/// Cores that this process may use at a time: those of its affinity, and the quota of its container rounded down; at
/// least 1.
int usable_cores();

/// Cores of the host that all processes of a container may use at a time, whichever this process is bound to; at least 1.
int cores_of_host();

/// Bytes of memory that the container allows and does not use yet; nothing if it has no limit.
std::optional<double> memory_left_in_container();

}  // namespace osteon
