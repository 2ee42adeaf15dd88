#pragma once
/// @file
/// Hardware of hosts as values. The hwloc tree of a host is reduced to the data for placement and binding.
///
/// A host is a list of cores in the order of its tree. Each core has the numbers of the domains (package, NUMA node, L3)
/// that contain it. Domains are numbered from 0 over the whole host, in the order of the cores.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/machine/topology/pu_set.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace osteon::machine {

/// Domains of a host, from the smallest to the host itself.
enum class level : std::uint8_t { core, l3, numa, package, host };

/// Path between two cores, named by the nearest common level. The values are in the order from the nearest to the farthest
/// path.
enum class path : std::uint8_t { same_l3, inter_l3, inter_socket, inter_host };
inline constexpr std::array all_paths = {path::same_l3, path::inter_l3, path::inter_socket, path::inter_host};
inline constexpr std::size_t paths_inside = 3;
/// Name of a path: "same L3", "inter-L3", "inter-socket" or "inter-host".
std::string_view name_of(path p);

struct core {
  int package = 0;
  int numa = 0;  ///< nearest NUMA node; the first one if there are several
  int l3 = 0;    ///< L3 cache; the package on hardware without L3
  pu_set pus;    ///< hardware threads of the core
  friend bool operator==(const core&, const core&) = default;
};

/// One host. Cores that this process may not use (cgroups) are in `cores` but not in `allowed`.
struct host_tree {
  std::vector<core> cores;
  pu_set allowed;                             ///< hardware threads available to this process
  bool synthetic = true;                      ///< true: not the hardware of this host; binding has no effect
  std::vector<std::int64_t> numa_bytes = {};  ///< memory of each NUMA node in bytes; empty: unknown

  /// Cores with at least one allowed hardware thread: indices into `cores`, ascending.
  std::vector<int> usable_cores() const;
  /// Number of the domain of a core at a level. The number is always 0 at level::host.
  int domain_of(int core, level l) const;
  /// Allowed hardware threads of each domain at a level, in the order of the domains. Domains without allowed threads are
  /// omitted.
  std::vector<pu_set> domains(level l) const;
  /// Path between two cores of this host; path::same_l3 for equal cores.
  path between(int core_a, int core_b) const;
  /// XXH64 digest of cores, allowed threads and GiB of memory, as 16 hexadecimal digits. Memory is rounded to GiB. Therefore
  /// different reserves of kernels rarely change the digest.
  std::string digest() const;
  /// Summary in one line, for example "2 packages, 24 L3, 2 NUMA nodes, 192 cores, 192 hardware threads (8 allowed), 2 x 384
  /// GiB".
  std::string summary() const;
  friend bool operator==(const host_tree&, const host_tree&) = default;
};

/// Host of this process, with the cores allowed by its cgroup. @throws machine_error if hwloc cannot read it
host_tree this_host();

/// Host from a synthetic description of hwloc, such as "pack:2 [numa] l3:12 core:8 pu:1".
/// @throws usage_error with the description if hwloc cannot parse it
host_tree synthetic_host(const std::string& description);

/// Host from an XML file of hwloc (`lstopo host.xml`).
/// @throws data_error if the file cannot be read, or was written by a later major version of hwloc
host_tree host_from_xml(const std::string& path);

/// Restrict the allowed hardware threads of a host to a set. Nonexistent threads are ignored.
host_tree restricted(host_tree tree, const pu_set& allowed);
/// Remove cores from a host.
host_tree without_cores(host_tree tree, const std::vector<int>& cores);

/// Hosts by name. Equal trees are stored once. Therefore many equal hosts require only the memory of their names.
class host_list {
 public:
  host_list() = default;
  /// Create `count` hosts of one tree, named host0, host1, ...
  host_list(int count, const host_tree& tree);

  /// Add a host. @throws data_error if the name is empty or already used
  void add(const std::string& name, const host_tree& tree);
  int size() const { return static_cast<int>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& name(int host) const { return names_[static_cast<std::size_t>(host)]; }
  const host_tree& tree(int host) const { return trees_[static_cast<std::size_t>(tree_of(host))]; }
  /// Index of the tree of a host in `trees()`.
  int tree_of(int host) const { return tree_of_[static_cast<std::size_t>(host)]; }
  /// The different trees, in the order of their first hosts.
  const std::vector<host_tree>& trees() const { return trees_; }
  /// Index of the host with this name; empty if there is no such host.
  std::optional<int> find(std::string_view name) const;
  std::int64_t usable_cores() const;
  friend bool operator==(const host_list& a, const host_list& b) {
    return a.names_ == b.names_ && a.trees_ == b.trees_ && a.tree_of_ == b.tree_of_;
  }

 private:
  std::vector<std::string> names_;
  std::vector<host_tree> trees_;
  std::vector<int> tree_of_;
  std::unordered_map<std::string, int> tree_by_digest_, host_by_name_;
};

/// Natural order of names: node2 before node10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace osteon::machine
