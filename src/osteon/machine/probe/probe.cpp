#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/machine/probe/pair_timer.hpp>
#include <osteon/machine/probe/probe.hpp>
#include <osteon/machine/topology/binding.hpp>

namespace osteon::machine {

namespace {

std::string now_in_utc() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

// Hardware threads available to at least one rank of a host, as restricted by taskset, launcher and cgroup.
pu_set available_pus(MPI_Comm comm, int host) {
  const auto here = comm::communicator::split(comm, host);
  std::vector<unsigned char> bits(at(most_pus) / 8, 0);
  for (const int pu : current_binding()) bits[at(pu) / 8] |= static_cast<unsigned char>(1 << pu % 8);
  comm::all_reduce(here.get(), bits.data(), bits.size(), MPI_BOR);
  pu_set result;
  for (int pu = 0; pu < most_pus; ++pu)
    if (bits[at(pu) / 8] >> pu % 8 & 1) result.push_back(pu);
  return result;
}

// Binds the process to a core during its lifetime.
class own_core {
 public:
  own_core(const host_tree& tree, int core) : tree_(tree), before_(current_binding()) {
    bind_process(tree, common(tree.cores[at(core)].pus, tree.allowed));
  }
  own_core(const own_core&) = delete;
  own_core& operator=(const own_core&) = delete;
  ~own_core() {
    try {
      bind_process(tree_, before_);
    } catch (const error&) {  // the cgroup has changed; the current core of the process is allowed
    }
  }

 private:
  const host_tree& tree_;
  pu_set before_;
};

}  // namespace

probe_result probe(MPI_Comm comm, const job_hosts& job, const probe_options& options, bool bind,
                   std::optional<core_choice>* which_core) {
  const int rank = comm::rank(comm), ranks = comm::size(comm), host = job.host_of_rank[at(rank)];
  rank_layout layout{job.hosts, job.ranks_of_host, std::vector<int>(at(ranks), -1)};
  std::optional<own_core> bound;
  bind = bind && !job.shares_kernel;
  if (bind) {
    const pu_set left = available_pus(comm, host);
    const int local = job.local_rank(rank), here = static_cast<int>(job.ranks_of_host[at(host)].size());
    int core = -1;
    comm::collectively(comm, [&] {
      const host_tree usable = restricted(job.hosts.tree(host), left);
      if (const auto cores = usable.usable_cores().size(); at(here) > cores)
        throw machine_error(fmt::format(
            "host {} runs {} ranks on {} core{} ({}); ranks on a shared core cannot measure links: start at most "
            "{} ranks on this host, or use --bind none",
            job.hosts.name(host), here, cores, cores == 1 ? "" : "s", to_list(usable.allowed), cores));
      core = cores_of_rank(usable, local, here, 1).front();
      bound.emplace(job.hosts.tree(host), core);
    });
    MPI_Allgather(&core, 1, MPI_INT, layout.core_of_rank.data(), 1, MPI_INT, comm);
  }

  std::vector<std::string> names;
  for (const int h : job.host_of_rank) names.push_back(job.hosts.name(h));
  const auto own = comm::communicator::duplicate(comm);
  pair_timer timer(own.get(), std::move(names), 5 + (which_core ? 2 : 1) * options.budget_s);
  probe_result result;
  // A measurement cannot continue after the loss of a host. The rank reports the host, waits for an agreement that times
  // out, and ends the program (comm::throw_first_error).
  comm::collectively(comm, [&] {
    if (rank != 0) {
      timer.serve();
      return;
    }
    bool lost = false;  // if true, other ranks cannot be notified
    const measure_function measure = [&](const measurement& m) {
      lost = true;
      auto found = timer.measure(m);
      lost = false;
      return found;
    };
    const auto now = [] { return MPI_Wtime(); };
    const comm::outcome failed = comm::outcome_of([&] {
      result = probe_links(layout, options, measure, now);
      if (which_core) *which_core = probe_core_choice(layout, measure, options.budget_s, now);
    });
    if (!lost) timer.finish();
    if (failed.failed) throw_error(failed.kind, failed.text);
  });
  if (rank == 0) {
    result.machine.measured_at = now_in_utc();
    if (job.shares_kernel)
      result.remarks.insert(result.remarks.begin(), "several hosts share the cores of one kernel; ranks were not bound");
    else if (!bind)
      result.remarks.insert(result.remarks.begin(), "ranks were not bound to cores");
  }
  return result;
}

description shared(MPI_Comm comm, const description& machine) {
  return parse_machine(comm::broadcast(comm, comm::rank(comm) == 0 ? to_text(machine) : ""), "machine of rank 0");
}

namespace {

constexpr int most_ranks_of_a_host = 16, sweeps = 2;
constexpr std::array sizes_of_ways = {64.0, 65536.0, 131072.0, 262144.0, 524288.0, 1048576.0, 2097152.0, 4194304.0};

std::vector<int> spread(const std::vector<int>& ranks) {
  const int count = static_cast<int>(ranks.size()), selected = std::min(count, most_ranks_of_a_host);
  std::vector<int> result;
  for (int i = 0; i < selected; ++i) result.push_back(ranks[at(i * count / selected)]);
  return result;
}

}  // namespace

core_choice probe_core_choice(const rank_layout& ranks, const measure_function& measure, double budget_s,
                              const std::function<double()>& seconds_now) {
  if (ranks.hosts.size() < 2)
    throw usage_error(fmt::format("the influence of the communicating core requires ranks on two hosts; the job has {}",
                                  ranks.hosts.size()));
  core_choice result;
  result.host_a = 0, result.host_b = 1;
  result.ranks_a = spread(ranks.ranks_of_host[0]);
  result.ranks_b = spread(ranks.ranks_of_host[1]);
  const std::size_t ways = result.ranks_a.size() * result.ranks_b.size();
  const double begin = seconds_now();
  std::vector<std::vector<link>> found(ways);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = 0; i < ways; ++i) {
      const double left = budget_s - (seconds_now() - begin);
      if (left <= 0) {
        result.complete = false;
        break;
      }
      measurement m;
      m.rounds = {{{result.ranks_a[i / result.ranks_b.size()], result.ranks_b[i % result.ranks_b.size()]}}};
      if (m.rounds[0][0].first > m.rounds[0][0].second) std::swap(m.rounds[0][0].first, m.rounds[0][0].second);
      m.seconds = std::min(left / static_cast<double>(ways * sweeps - (at(sweep) * ways + i)), 0.5);
      m.bytes.assign(sizes_of_ways.begin(), sizes_of_ways.end());
      m.repeats = 15;
      for (const pair_timings& p : measure(m))
        if (!p.times.empty()) found[i].push_back(fit_robust(p.times));
    }
  std::vector<double> rates;
  double of_repeats = 0;
  int repeated = 0;
  for (const std::vector<link>& links : found) {
    link mean;
    for (const link& l : links) {
      mean.bandwidth += l.bandwidth / static_cast<double>(links.size());
      mean.latency_s += l.latency_s / static_cast<double>(links.size());
    }
    result.ways.push_back(mean);
    if (!links.empty()) rates.push_back(mean.bandwidth);
    if (links.size() == sweeps) {
      const double difference = links[0].bandwidth - links[1].bandwidth;
      of_repeats += difference * difference / 2;  // variance of a single measurement
      ++repeated;
    }
  }
  if (rates.empty()) return result;
  result.usual = median(rates);
  double mean = 0, square = 0;
  for (const double r : rates) mean += r / static_cast<double>(rates.size());
  for (const double r : rates) square += (r - mean) * (r - mean);
  if (rates.size() > 1) result.between_ways = std::sqrt(square / static_cast<double>(rates.size() - 1)) / result.usual;
  // A result is the mean of two measurements.
  if (repeated > 0) result.same_way = std::sqrt(of_repeats / repeated / sweeps) / result.usual;
  return result;
}

}  // namespace osteon::machine
