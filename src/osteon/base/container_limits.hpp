#pragma once
/// @file
/// Limits of the container or batch job of this process (Linux control groups, versions 1 and 2).
#include <filesystem>
#include <optional>

namespace osteon {

/// The tightest limits of all control groups of a process.
struct container_limits {
  std::optional<double> cores;              ///< CPU quota divided by the period of the quota; 1.5 means one and a half cores
  std::optional<double> memory_bytes;       ///< memory limit; empty if absent or above the physical memory
  std::optional<double> memory_used_bytes;  ///< memory in use, without file cache that the kernel can drop
};

/// Read the limits of this process.
/// @param root root of the file system with proc and sys; tests pass a folder or set $OSTEON_SYSTEM_ROOT
/// @collective local
container_limits limits_of_container(const std::filesystem::path& root);
container_limits limits_of_container();

/// Number of cores that this process may use at a time. This number is the minimum of the cores in its affinity mask and the
/// quota of its container, rounded down, but at least 1.
int usable_cores();

/// Number of cores that all processes of the container may use at a time, independent of the binding of this process; at
/// least 1.
int cores_of_host();

/// Memory limit of the container minus its memory in use [bytes]; empty if there is no limit.
std::optional<double> memory_left_in_container();

}  // namespace osteon
