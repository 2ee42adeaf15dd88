#include <fmt/format.h>

#include <bridge/wire/servers/server.hpp>
#include <set>

namespace osteon::bridge::wire {
namespace {

std::string name_of(const registration& r, const std::vector<expected_cluster>& expected) {
  return fmt::format("rank {} of cluster '{}' (host {}, pid {})", r.local_rank,
                     expected[static_cast<std::size_t>(r.cluster)].name, r.host, r.pid);
}

std::string of_cluster(int index, const std::vector<expected_cluster>& expected,
                       const std::vector<registration>& registrations, bool last_call) {
  const expected_cluster& e = expected[static_cast<std::size_t>(index)];
  int size = e.size, count = 0, singletons = 0;
  const registration* odd = nullptr;
  const registration* twice = nullptr;
  std::set<int> ranks;
  for (const registration& r : registrations) {
    if (r.cluster != index) continue;
    if (size == 0) size = r.local_size;
    ++count;
    singletons += r.local_size == 1 ? 1 : 0;
    if (r.local_size != size && odd == nullptr) odd = &r;
    if (!ranks.insert(r.local_rank).second && twice == nullptr) twice = &r;
  }
  const bool all_single = count > 0 && singletons == count && (size > 1 || count > 1);
  if (all_single && (count >= size || last_call)) {
    return fmt::format(
        "cluster '{}': {} process{} registered of {} expected, and each reports size 1. These are "
        "singletons: the "
        "launcher belongs to another MPI than the library that the program loads. Start it with the launcher of the "
        "adapter's "
        "MPI (`launcher` and `adapter` of this cluster must belong together)",
        e.name, count, count == 1 ? "" : "es", size);
  }
  if (all_single) return "";  // the function waits for the other processes, because their number determines the fault
  if (odd != nullptr) {
    return fmt::format("{} reports {} processes in its cluster instead of {}: make `ranks` and the launcher's count equal",
                       name_of(*odd, expected), odd->local_size, size);
  }
  if (twice != nullptr)
    return fmt::format("{} has registered twice: check that the program is started only once", name_of(*twice, expected));
  if (last_call && (count < size || count == 0)) {
    return fmt::format(
        "cluster '{}': {} of {} processes registered in time. {}", e.name, count, size == 0 ? "?" : std::to_string(size),
        count == 0 ? "Check that its launcher started (see its output), and the route from its hosts to this server."
                   : "Check that the program is started on all hosts, and that each of them has a route to this server.");
  }
  return "";
}

}  // namespace

std::string diagnose(const std::vector<expected_cluster>& expected, const std::vector<registration>& registrations,
                     bool last_call) {
  for (const registration& r : registrations) {
    if (r.cluster < 0 || static_cast<std::size_t>(r.cluster) >= expected.size()) {
      return fmt::format("a process on host {} reports cluster {}; there are {}", r.host, r.cluster, expected.size());
    }
    if (r.wire != wire_version) {
      return fmt::format("{} uses version {} of the wire, this server version {}: install the same osteon on all clusters",
                         name_of(r, expected), r.wire, wire_version);
    }
    if (r.local_size < 1 || r.local_rank < 0 || r.local_rank >= r.local_size || r.ackmark < 1 || r.hiwater < r.ackmark ||
        r.short_bytes < 1) {
      return fmt::format("{} reports invalid values: rank {} of {}, ackmark {}, hiwater {}, short {}", name_of(r, expected),
                         r.local_rank, r.local_size, r.ackmark, r.hiwater, r.short_bytes);
    }
  }
  std::string all;
  for (int c = 0; c < static_cast<int>(expected.size()); ++c) {
    const std::string fault = of_cluster(c, expected, registrations, last_call);
    if (!fault.empty()) all += (all.empty() ? "" : "\n") + fault;
  }
  return all;
}

}  // namespace osteon::bridge::wire
