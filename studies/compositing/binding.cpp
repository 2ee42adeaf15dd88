#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <osteon/machine/topology/binding.hpp>
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

std::string bind(int rank, const std::string& binding, int ranks_per_domain) {
  if (binding == "none") return "none";
  if ((binding != "numa_1" && binding != "numa_2") || ranks_per_domain < 1)
    throw usage_error(fmt::format("binding '{}' with {} ranks per domain: use none, numa_1 or numa_2, and at least one rank",
                                  binding, ranks_per_domain));
  using machine::level;
  const machine::host_tree host = machine::this_host();
  for (const auto& [l, name] : {std::pair{level::numa, "memory domains"}, std::pair{level::package, "packages"},
                                std::pair{level::l3, "caches"}, std::pair{level::core, "cores"}}) {
    const auto domains = host.domains(l);
    if (domains.size() < 2) continue;
    const int block = binding == "numa_1" ? rank / ranks_per_domain : rank;
    // If the machine has several NUMA nodes, the memory is also bound.
    machine::bind_process(host, domains[static_cast<std::size_t>(block) % domains.size()], l == level::numa);
    return fmt::format("{}: {} {}", binding, domains.size(), name);
  }
  return binding + ": one core";
}

}  // namespace osteon::studies
