#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/machine/topology/binding.hpp>

namespace osteon::machine {

namespace {

constexpr std::array<std::string_view, 5> policies = {"none", "core", "L3", "NUMA", "socket"};

level level_of(binding_policy policy) {
  constexpr std::array levels = {level::host, level::core, level::l3, level::numa, level::package};
  return levels[static_cast<std::size_t>(policy)];
}

}  // namespace

binding_policy parse_binding(std::string_view name) {
  const auto same = [&](std::string_view policy) {
    return std::equal(name.begin(), name.end(), policy.begin(), policy.end(),
                      [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  };
  for (std::size_t i = 0; i < policies.size(); ++i)
    if (same(policies[i])) return static_cast<binding_policy>(i);
  throw usage_error(fmt::format("unknown binding '{}'; must be none, core, L3, NUMA or socket", name));
}

std::string_view name_of(binding_policy policy) { return policies[static_cast<std::size_t>(policy)]; }

std::vector<int> cores_of_rank(const host_tree& tree, int local_rank, int ranks, int threads) {
  if (local_rank < 0 || local_rank >= ranks || threads < 1)
    throw usage_error(fmt::format("rank {} of {} with {} threads: the rank must be from 0 to {}, with at least one thread",
                                  local_rank, ranks, threads, ranks - 1));
  const std::vector<int> usable = tree.usable_cores();
  const auto cores = static_cast<std::int64_t>(usable.size());
  if (static_cast<std::int64_t>(ranks) * threads > cores)
    throw machine_error(fmt::format(
        "{} ranks of {} thread{} require {} cores, but {} are available ({}); start fewer ranks or threads, or do not bind",
        ranks, threads, threads == 1 ? "" : "s", static_cast<std::int64_t>(ranks) * threads, cores, to_list(tree.allowed)));
  // The first cores of consecutive ranks are at least floor(cores / ranks) >= threads cores apart. Therefore the cores of
  // different ranks are disjoint.
  const auto first = usable.begin() + local_rank * cores / ranks;
  return {first, first + threads};
}

pu_set binding_of(const host_tree& tree, binding_policy policy, int local_rank, int ranks, int threads) {
  if (policy == binding_policy::none) return tree.allowed;
  const level l = level_of(policy);
  std::vector<int> wanted;
  for (const int c : cores_of_rank(tree, local_rank, ranks, threads)) wanted.push_back(tree.domain_of(c, l));
  pu_set pus;
  for (int c = 0; c < static_cast<int>(tree.cores.size()); ++c)
    if (std::find(wanted.begin(), wanted.end(), tree.domain_of(c, l)) != wanted.end())
      pus = united(pus, tree.cores[static_cast<std::size_t>(c)].pus);
  return common(pus, tree.allowed);
}

}  // namespace osteon::machine
