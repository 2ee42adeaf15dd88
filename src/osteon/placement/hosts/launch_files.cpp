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
  int logical;  ///< index of the core among the usable cores, as in Open MPI
  int pu;       ///< number of the hardware thread in the operating system
};

rank_place place_of(const target& available, int place) {
  const machine::place p = available.places[static_cast<std::size_t>(place)];
  const machine::host_tree& tree = available.machine.hosts.tree(p.host);
  const std::vector<int> usable = tree.usable_cores();
  const auto logical = std::lower_bound(usable.begin(), usable.end(), p.core) - usable.begin();
  return {available.machine.hosts.name(p.host), static_cast<int>(logical),
          machine::common(tree.cores[static_cast<std::size_t>(p.core)].pus, tree.allowed).front()};
}

// Script that binds its rank under any launcher.
std::string wrapper(const target& available, std::span<const int> place) {
  std::string table;
  for (std::size_t r = 0; r < place.size(); ++r) {
    const rank_place p = place_of(available, place[r]);
    table += fmt::format("{}) host={} pu={};;\n", r, p.host, p.pu);
  }
  return fmt::format(
      "#!/bin/sh\n"
      "# Binds each rank to its core. Written by `osteon place --emit wrap`. Usage: LAUNCHER this-file PROGRAM ...\n"
      "rank=${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-${{PMI_RANK:-${{SLURM_PROCID:-${{MV2_COMM_WORLD_RANK:-}}}}}}}}}}\n"
      "case \"$rank\" in\n{}*) echo \"placement: rank '$rank' must be from 0 to {}\" >&2; exit 2;;\nesac\n"
      "here=$(hostname)\n"
      "if [ \"${{here%%.*}}\" != \"${{host%%.*}}\" ]; then\n"
      "  echo \"placement: rank $rank runs on $here, but its place is on $host; use the hosts of the placement\" >&2; exit "
      "5\n"
      "fi\n"
      "if command -v taskset >/dev/null 2>&1; then exec taskset -c \"$pu\" \"$@\"; fi\n"
      "exec hwloc-bind \"os=pu:$pu\" -- \"$@\"\n",
      table, place.size() - 1);
}

}  // namespace

launcher parse_launcher(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<launcher>(i);
  throw usage_error(fmt::format("unknown launcher '{}'; must be one of {}", name, fmt::join(names, ", ")));
}

launch_file launch_file_of(launcher kind, const target& available, std::span<const int> place, const std::string& file,
                           const std::string& mpi_type) {
  for (const std::string& host : available.machine.hosts.names())
    if (host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != std::string::npos)
      throw usage_error(fmt::format(
          "host name '{}' must consist of letters, digits, '.', '-' and '_' to be valid in a launcher file", host));
  const std::size_t n = place.size();
  std::string text;
  const auto each = [&](auto&& line) {
    for (std::size_t r = 0; r < n; ++r) text += line(r, place_of(available, place[r]));
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
      return {text,
              fmt::format("SLURM_HOSTFILE={} srun --mpi={} -n {} --distribution=arbitrary PROGRAM", file, mpi_type, n)};
    case launcher::wrap:
      return {wrapper(available, place), fmt::format("LAUNCHER {} PROGRAM", file), true};
  }
  return {};
}

}  // namespace osteon::placement
