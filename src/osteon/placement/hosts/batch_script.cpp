#include <osteon/placement/hosts/batch_script.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <osteon/base/error.hpp>

namespace osteon::placement {

namespace {

// Cores of a team: usable cores in the order of the tree, starting with `first`.
std::vector<int> team_of(const machine::host_tree& tree, int first, int threads) {
  const std::vector<int> usable = tree.usable_cores();
  const auto begin = std::lower_bound(usable.begin(), usable.end(), first);
  return {begin, begin + threads};
}

// List that contains one hardware thread of each core, for example "0-3" or "0,2,4".
std::string pus_of(const machine::host_tree& tree, int first, int threads) {
  machine::pu_set pus;
  for (const int core : team_of(tree, first, threads))
    pus.push_back(machine::common(tree.cores[static_cast<std::size_t>(core)].pus, tree.allowed).front());
  std::sort(pus.begin(), pus.end());
  return machine::to_list(pus);
}

void require_plain(const std::string& text, std::string_view more, const char* quantity) {
  const std::string allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-" + std::string(more);
  if (text.empty() || text.find_first_not_of(allowed) != std::string::npos)
    throw usage_error(fmt::format("{} '{}' must consist of letters, digits and {} to be valid in a batch script", quantity,
                                  text, allowed.substr(62)));
}

// Hosts with at least one rank in ascending order, and index of the host of each rank.
struct used_hosts {
  std::vector<int> hosts, of_rank;
  int most_ranks = 0, most_cores = 0;
};

used_hosts hosts_of(const target& available, std::span<const int> place) {
  std::map<int, int> ranks;
  for (const int p : place) ++ranks[available.places[static_cast<std::size_t>(p)].host];
  used_hosts result;
  for (const auto& [host, count] : ranks) {
    result.hosts.push_back(host);
    result.most_ranks = std::max(result.most_ranks, count);
    result.most_cores =
        std::max(result.most_cores, static_cast<int>(available.machine.hosts.tree(host).usable_cores().size()));
  }
  for (const int p : place) {
    const int host = available.places[static_cast<std::size_t>(p)].host;
    result.of_rank.push_back(
        static_cast<int>(std::lower_bound(result.hosts.begin(), result.hosts.end(), host) - result.hosts.begin()));
  }
  return result;
}

std::string host_names(const target& available, const used_hosts& used, const char* between) {
  std::vector<std::string> names;
  for (const int host : used.hosts) names.push_back(available.machine.hosts.name(host));
  return fmt::format("{}", fmt::join(names, between));
}

std::string directives(const target& available, const used_hosts& used, std::size_t ranks, const batch_options& o) {
  const std::size_t hosts = used.hosts.size();
  if (o.system == batch_system::slurm)
    return fmt::format(
        "#SBATCH --job-name=osteon\n#SBATCH --nodes={}\n#SBATCH --ntasks={}\n#SBATCH --ntasks-per-node={}\n"
        "#SBATCH --cpus-per-task={}\n#SBATCH --exclusive\n#SBATCH --time={}\n{}",
        hosts, ranks, used.most_ranks, o.threads, o.walltime,
        o.named_hosts ? fmt::format("#SBATCH --nodelist={}\n", host_names(available, used, ",")) : "");
  const std::string each = fmt::format("ncpus={}:mpiprocs={}:ompthreads={}", used.most_cores, used.most_ranks, o.threads);
  std::string select = fmt::format("{}:{}", hosts, each);
  if (o.named_hosts) {
    std::vector<std::string> chunks;
    for (const int host : used.hosts)
      chunks.push_back(fmt::format("1:{}:host={}", each, available.machine.hosts.name(host)));
    select = fmt::format("{}", fmt::join(chunks, "+"));
  }
  return fmt::format("#PBS -N osteon\n#PBS -l select={}\n#PBS -l place=scatter:excl\n#PBS -l walltime={}\n", select,
                     o.walltime);
}

constexpr const char* slurm_hosts = "mapfile -t hosts < <(scontrol show hostnames \"$SLURM_JOB_NODELIST\")\n";
constexpr const char* pbs_hosts = "cd \"${PBS_O_WORKDIR:-.}\"\nmapfile -t hosts < <(awk '!seen[$0]++' \"$PBS_NODEFILE\")\n";

constexpr const char* slurm_start =
    "SLURM_HOSTFILE=\"$work/hosts\" srun --mpi=\"${{SLURM_MPI_TYPE:-{2}}}\" --ntasks={0} --distribution=arbitrary "
    "--cpu-bind=none \"$work/bind\" {1}\n";
constexpr const char* pbs_start =
    "if mpirun --version 2>&1 | grep -q 'Open MPI'; then\n"
    "  mpirun -n {0} --hostfile \"$work/hosts\" --map-by seq --bind-to none \"$work/bind\" {1}\n"
    "else\n"
    "  mpiexec -n {0} -f \"$work/hosts\" -bind-to none \"$work/bind\" {1}\n"
    "fi\n";

}  // namespace

batch_system parse_batch_system(std::string_view name) {
  if (name == "slurm") return batch_system::slurm;
  if (name == "pbs") return batch_system::pbs;
  throw usage_error(fmt::format("unknown batch system '{}'; must be slurm or pbs", name));
}

target places_of_teams(target cores, int threads) {
  if (threads == 1) return cores;
  std::vector<machine::place> first;
  for (int host = 0; host < cores.hosts(); ++host) {
    const machine::host_tree& tree = cores.machine.hosts.tree(host);
    const std::vector<int> usable = tree.usable_cores();
    const auto numa = [&](std::size_t i) { return tree.cores[static_cast<std::size_t>(usable[i])].numa; };
    const auto team = static_cast<std::size_t>(threads);
    for (std::size_t i = 0; i + team <= usable.size();) {
      // If a team would cross the boundary of a NUMA node, and if the next node has enough cores, the team begins in the
      // next node.
      std::size_t next = i;
      while (next < usable.size() && numa(next) == numa(i)) ++next;
      const bool fits_behind =
          next + team <= usable.size() && numa(next + team - 1) == numa(next) && next - i < team && next > i;
      if (fits_behind) {
        i = next;
        continue;
      }
      first.push_back({host, usable[i]});
      i += team;
    }
  }
  if (first.empty())
    throw usage_error(fmt::format("--threads {}: exceeds the number of cores of every host; use fewer threads", threads));
  cores.places = std::move(first);
  return cores;
}

std::string batch_script(const target& available, std::span<const int> place, const batch_options& o) {
  for (const std::string& host : available.machine.hosts.names()) require_plain(host, "", "host name");
  require_plain(o.walltime, ":", "walltime");
  const used_hosts used = hosts_of(available, place);
  std::vector<std::string> pus;
  for (const int p : place) {
    const machine::place at = available.places[static_cast<std::size_t>(p)];
    pus.push_back(pus_of(available.machine.hosts.tree(at.host), at.core, o.threads));
  }
  const bool slurm = o.system == batch_system::slurm;
  std::string text = "#!/bin/bash\n" + directives(available, used, place.size(), o);
  text += fmt::format("# Written by `osteon place --batch {}`: {} ranks of {} thread{} ({}) on {} hosts, bound to cores.\n",
                      slurm ? "slurm" : "pbs", place.size(), o.threads, o.threads == 1 ? "" : "s",
                      o.threads == 1 ? "flat" : "hybrid", used.hosts.size());
  text += fmt::format("set -eu\nexport OMP_NUM_THREADS={} OMP_PLACES=cores OMP_PROC_BIND=close\n", o.threads);
  text += slurm ? slurm_hosts : pbs_hosts;
  if (o.named_hosts) text += fmt::format("hosts=({})  # measured hosts\n", host_names(available, used, " "));
  text += fmt::format(
      "if [ \"${{#hosts[@]}}\" -ne {0} ]; then\n"
      "  echo \"placement: this job has ${{#hosts[@]}} hosts, but the placement requires {0}\" >&2\n  exit 5\nfi\n"
      "# Index of the host and hardware threads of each rank.\nhost_of=({1})\npus_of=({2})\n",
      used.hosts.size(), fmt::join(used.of_rank, " "), fmt::join(pus, " "));
  text +=
      "work=$(mktemp -d \"$PWD/placement.XXXXXX\")  # must be accessible on all hosts\n"
      "trap 'rm -r \"$work\"' EXIT\n"
      "for h in \"${host_of[@]}\"; do echo \"${hosts[$h]}\"; done > \"$work/hosts\"\n"
      "printf '%s\\n' \"${pus_of[@]}\" > \"$work/pus\"\n"
      "cat > \"$work/bind\" <<'END'\n"
      "#!/bin/sh\n"
      "rank=${SLURM_PROCID:-${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-}}}}\n"
      "pus=$(sed -n \"$((rank + 1))p\" \"${0%/*}/pus\")\n"
      "if [ -z \"$rank\" ] || [ -z \"$pus\" ]; then echo \"placement: no place for rank '$rank'\" >&2; exit 2; fi\n"
      "exec taskset -c \"$pus\" \"$@\"\n"
      "END\n"
      "chmod +x \"$work/bind\"\n";
  text += fmt::format(fmt::runtime(slurm ? slurm_start : pbs_start), place.size(), o.program, o.mpi_type);
  return text;
}

}  // namespace osteon::placement
