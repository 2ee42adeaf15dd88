#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <osteon/base/error.hpp>
#include <osteon/placement/hosts/target.hpp>

namespace osteon::placement {

namespace {

constexpr std::array<std::string_view, 6> names = {"ompi4-rankfile", "ompi5", "seq", "hydra", "slurm", "wrap"};

struct rank_place {
  const std::string& host;
  int logical;  ///< number of the core among those that may be used, as Open MPI counts
  int pu;       ///< as the operating system numbers it
};

rank_place place_of(const target& where, int place) {
  const machine::place p = where.places[static_cast<std::size_t>(place)];
  const machine::host_tree& tree = where.machine.hosts.tree(p.host);
  const std::vector<int> usable = tree.usable_cores();
  const auto logical = std::lower_bound(usable.begin(), usable.end(), p.core) - usable.begin();
  return {where.machine.hosts.name(p.host), static_cast<int>(logical),
          machine::common(tree.cores[static_cast<std::size_t>(p.core)].pus, tree.allowed).front()};
}

// Binds its own rank under any launcher.
std::string wrapper(const target& where, std::span<const int> place) {
  std::string table;
  for (std::size_t r = 0; r < place.size(); ++r) {
    const rank_place p = place_of(where, place[r]);
    table += fmt::format("{}) host={} pu={};;\n", r, p.host, p.pu);
  }
  return fmt::format(
      "#!/bin/sh\n"
      "# Binds each rank to its core. Made by `osteon place --emit wrap`; start it as: LAUNCHER this-file PROGRAM ...\n"
      "rank=${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-${{PMI_RANK:-${{SLURM_PROCID:-${{MV2_COMM_WORLD_RANK:-}}}}}}}}}}\n"
      "case \"$rank\" in\n{}*) echo \"placement: rank '$rank' is not one of 0 to {}\" >&2; exit 2;;\nesac\n"
      "here=$(hostname)\n"
      "if [ \"${{here%%.*}}\" != \"${{host%%.*}}\" ]; then\n"
      "  echo \"placement: rank $rank is on $here, its place is on $host; use the hosts of the placement\" >&2; exit 5\nfi\n"
      "if command -v taskset >/dev/null 2>&1; then exec taskset -c \"$pu\" \"$@\"; fi\n"
      "exec hwloc-bind \"os=pu:$pu\" -- \"$@\"\n",
      table, place.size() - 1);
}

}  // namespace

launcher parse_launcher(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<launcher>(i);
  throw usage_error(fmt::format("unknown launcher '{}'; known are: {}", name, fmt::join(names, ", ")));
}

launch_file launch_file_of(launcher kind, const target& where, std::span<const int> place, const std::string& file) {
  for (const std::string& host : where.machine.hosts.names())
    if (host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != std::string::npos)
      throw usage_error(fmt::format(
          "the host name '{}' is not valid in a launcher file: must consist of letters, digits, '.', '-' and '_'", host));
  const std::size_t n = place.size();
  std::string text;
  const auto each = [&](auto&& line) {
    for (std::size_t r = 0; r < n; ++r) text += line(r, place_of(where, place[r]));
  };
  switch (kind) {
    case launcher::ompi4_rankfile:
    case launcher::ompi5:
      each([](std::size_t r, const rank_place& p) { return fmt::format("rank {}={} slot={}\n", r, p.host, p.logical); });
      return {text, kind == launcher::ompi5 ? fmt::format("mpirun -n {} --map-by rankfile:file={} PROGRAM", n, file)
                                            : fmt::format("mpirun -n {} --rankfile {} PROGRAM", n, file)};
    case launcher::seq:
      each([](std::size_t, const rank_place& p) { return p.host + "\n"; });
      return {text, fmt::format("mpirun -n {} --hostfile {} --map-by seq PROGRAM", n, file)};
    case launcher::hydra:
      each([](std::size_t, const rank_place& p) { return fmt::format("{}:1 binding=user:{}\n", p.host, p.pu); });
      return {text, fmt::format("mpiexec -n {} -f {} PROGRAM", n, file)};
    case launcher::slurm:
      each([](std::size_t, const rank_place& p) { return p.host + "\n"; });
      return {text, fmt::format("SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary PROGRAM", file, n)};
    case launcher::wrap:
      return {wrapper(where, place), fmt::format("LAUNCHER {} PROGRAM", file), true};
  }
  return {};
}

}  // namespace osteon::placement
