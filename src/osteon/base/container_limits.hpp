#pragma once
/// @file
/// Limits of the container or batch job that contains this process. The limits are those of Linux control groups, versions 1
/// and 2.
#include <filesystem>
#include <optional>

namespace osteon {

/// The smallest limits of all control groups that contain a process.
struct container_limits {
  std::optional<double> cores;  ///< CPU quota divided by the period of the quota; 1.5 means one and a half cores
  /// memory limit; empty if there is no limit, or if the limit exceeds the physical memory
  std::optional<double> memory_bytes;
  std::optional<double> memory_used_bytes;  ///< memory in use; file cache that the kernel can drop is not included
};

/// Read the limits of this process.
/// @param root root of the file system with the folders proc and sys. Tests pass another folder, or set $OSTEON_SYSTEM_ROOT.
/// @collective local
container_limits limits_of_container(const std::filesystem::path& root);
container_limits limits_of_container();

/// Number of cores that this process may use concurrently. This number is the minimum of the cores in the affinity mask of
/// the process and the quota of the container. The quota is rounded down, and the result is at least 1.
int usable_cores();

/// Number of cores that all processes of the container may use concurrently. The number is independent of the binding of
/// this process, and at least 1.
int cores_of_host();

/// Memory limit of the container minus the memory in use [bytes]. If there is no limit, the result is empty.
std::optional<double> memory_left_in_container();

}  // namespace osteon
