#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <osteon/machine/topology/hwloc_handle.hpp>
#include <osteon/machine/topology/topology.hpp>
#include <unordered_map>

namespace osteon::machine {

namespace {

// Numbers from 0 in the order of first appearance.
class numbering {
 public:
  int of(std::int64_t key) { return number_.emplace(key, static_cast<int>(number_.size())).first->second; }

 private:
  std::unordered_map<std::int64_t, int> number_;
};

host_tree reduced(hwloc_topology_t tree) {
  host_tree host;
  host.synthetic = !hwloc_topology_is_thissystem(tree);
  host.allowed = numbers_in(hwloc_topology_get_allowed_cpuset(tree));
  // Some virtual machines have hardware threads, but no cores.
  const hwloc_obj_type_t unit = hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  numbering packages, nodes, caches;
  std::vector<std::int64_t> memory;  // bytes of each NUMA node
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(tree, unit, object)) != nullptr;) {
    core c;
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(tree, HWLOC_OBJ_PACKAGE, object);
    const hwloc_obj_t l3 = hwloc_get_ancestor_obj_by_type(tree, HWLOC_OBJ_L3CACHE, object);
    c.package = packages.of(package ? package->logical_index : -1);
    const int node = object->nodeset ? hwloc_bitmap_first(object->nodeset) : -1;
    c.numa = nodes.of(node);
    if (c.numa == static_cast<int>(memory.size())) {
      const hwloc_obj_t of = node < 0 ? nullptr : hwloc_get_numanode_obj_by_os_index(tree, static_cast<unsigned>(node));
      memory.push_back(of ? static_cast<std::int64_t>(of->attr->numanode.local_memory) : 0);
    }
    c.l3 = caches.of(l3 ? l3->logical_index : -1 - static_cast<std::int64_t>(c.package));
    c.pus = numbers_in(object->cpuset);
    if (!c.pus.empty()) host.cores.push_back(std::move(c));
  }
  // The memory of synthetic hosts is fictitious. A size of 0 bytes means that hwloc cannot determine the memory of a node.
  if (!host.synthetic && std::find(memory.begin(), memory.end(), 0) == memory.end()) host.numa_bytes = std::move(memory);
  if (host.cores.empty() || host.allowed.empty())
    throw machine_error("hwloc finds no usable core on this host; check the cpuset of the cgroup");
  return host;
}

// Reject unknown versions before hwloc prints a message to standard error.
void require_known_version(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string head(4096, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (head.empty()) throw data_error(fmt::format("{}: the file is empty or cannot be read", file));
  const auto element = head.find("<topology");
  if (element == std::string::npos)
    throw data_error(
        fmt::format("{}: not an hwloc XML file (no <topology> element); create the file by `lstopo host.xml`", file));
  const auto end = head.find('>', element);
  const std::string_view tag = std::string_view(head).substr(element, end == std::string::npos ? end : end - element);
  constexpr std::string_view attribute = "version=\"";
  const auto version = tag.find(attribute);
  if (version == std::string_view::npos) return;  // files of hwloc 1 have no version; hwloc 2 reads these files
  int major = 0;
  const char* digits = tag.data() + version + attribute.size();
  std::from_chars(digits, tag.data() + tag.size(), major);
  const int own = static_cast<int>(hwloc_get_api_version() >> 16);
  if (major < 1 || major > own)
    throw data_error(fmt::format(
        "{}: hwloc XML format version {} is not supported: hwloc {} of this build reads up to version {}; export the file "
        "again with hwloc {} or with the lstopo option for that version",
        file, std::string_view(digits, static_cast<std::size_t>(std::find(digits, tag.data() + tag.size(), '"') - digits)),
        own, own, own));
}

}  // namespace

host_tree this_host() {
  const hwloc_handle tree = new_topology();
  if (hwloc_topology_load(tree.get()) != 0) throw machine_error("hwloc cannot read the topology of this host");
  return reduced(tree.get());
}

host_tree synthetic_host(const std::string& description) {
  const hwloc_handle tree = new_topology();
  if (hwloc_topology_set_synthetic(tree.get(), description.c_str()) != 0 || hwloc_topology_load(tree.get()) != 0)
    throw usage_error(fmt::format("'{}' is not a valid hwloc synthetic topology; example: 'pack:2 [numa] l3:12 core:8 pu:1'",
                                  description));
  return reduced(tree.get());
}

host_tree host_from_xml(const std::string& path) {
  require_known_version(path);
  const hwloc_handle tree = new_topology();
  if (hwloc_topology_set_xml(tree.get(), path.c_str()) != 0 || hwloc_topology_load(tree.get()) != 0)
    throw data_error(fmt::format("{}: hwloc cannot read this XML file; it may be truncated or edited", path));
  return reduced(tree.get());
}

}  // namespace osteon::machine
