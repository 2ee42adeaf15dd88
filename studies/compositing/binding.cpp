#include <fmt/format.h>

#include <osteon/base/error.hpp>
#include <osteon/machine/topology/binding.hpp>
#include <studies/compositing/frames/composite.hpp>

namespace osteon::studies {

std::string bind(int rank, const std::string& how, int ranks_per_domain) {
  if (how == "none") return "none";
  if ((how != "numa_1" && how != "numa_2") || ranks_per_domain < 1)
    throw usage_error(fmt::format("binding '{}' with {} ranks per domain: use none, numa_1 or numa_2, and at least one rank",
                                  how, ranks_per_domain));
  using machine::level;
  const machine::host_tree host = machine::this_host();
  for (const auto& [l, name] : {std::pair{level::numa, "memory domains"}, std::pair{level::package, "packages"},
                                std::pair{level::l3, "caches"}, std::pair{level::core, "cores"}}) {
    const auto domains = host.domains(l);
    if (domains.size() < 2) continue;
    const int block = how == "numa_1" ? rank / ranks_per_domain : rank;
    // Memory is bound as well, if the machine has several memories.
    machine::bind_process(host, domains[static_cast<std::size_t>(block) % domains.size()], l == level::numa);
    return fmt::format("{}: {} {}", how, domains.size(), name);
  }
  return how + ": one core";
}

}  // namespace osteon::studies
