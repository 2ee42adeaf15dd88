#include <osteon/machine/topology/bind_ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::machine {

namespace {

bool on_all(MPI_Comm comm, bool value) {
  int all = value ? 1 : 0;
  comm::all_reduce(comm, &all, 1, MPI_MIN);
  return all != 0;
}

// Union of the sets of all ranks of a host, and true if all sets are equal.
std::pair<pu_set, bool> union_over(MPI_Comm host, const pu_set& mine) {
  const int last = mine.empty() ? 0 : mine.back() + 1;
  int width = last;
  comm::all_reduce(host, &width, 1, MPI_MAX);
  std::vector<int> ranks_of_pu(static_cast<std::size_t>(width), 0);
  for (const int pu : mine) ranks_of_pu[static_cast<std::size_t>(pu)] = 1;
  comm::all_reduce(host, ranks_of_pu.data(), width, MPI_SUM);
  pu_set all;
  bool same = true;
  for (int pu = 0; pu < width; ++pu) {
    const int n = ranks_of_pu[static_cast<std::size_t>(pu)];
    if (n > 0) all.push_back(pu);
    same = same && (n == 0 || n == comm::size(host));
  }
  return {all, same};
}

}  // namespace

local_ranks::local_ranks(MPI_Comm comm, int threads) : threads_(threads) {
  const auto host = comm::communicator::of_host(comm);
  rank_ = host.rank();
  ranks_ = host.size();
  pu_set now;
  comm::collectively(comm, [&] {
    host_ = this_host();
    now = current_binding();
  });
  const auto [all, same] = union_over(host.get(), now);
  host_ = restricted(std::move(host_), all);
  const auto cores = static_cast<std::int64_t>(host_.usable_cores().size()), wanted = std::int64_t{ranks_} * threads;
  enough_cores_ = on_all(comm, wanted <= cores);
  fill_ = on_all(comm, wanted == cores);
  bound_already_ = !on_all(comm, same);
  memories_ = !on_all(comm, host_.domains(level::numa).size() < 2);
}

binding_policy local_ranks::default_policy() const {
  if (bound_already_ || !enough_cores_) return binding_policy::none;
  if (fill_) return binding_policy::core;
  return memories_ ? binding_policy::numa : binding_policy::none;
}

void local_ranks::bind(binding_policy policy) const {
  const bool memory = host_.domains(level::numa).size() > 1;
  bind_process(host_, pus(policy), memory);
  if (threads_ == 1) return;
  std::vector<pu_set> of_thread(static_cast<std::size_t>(threads_), pus(policy));
  if (policy == binding_policy::core) {
    const std::vector<int> cores = cores_of_rank(host_, rank_, ranks_, threads_);
    for (std::size_t t = 0; t < of_thread.size(); ++t)
      of_thread[t] = common(host_.cores[static_cast<std::size_t>(cores[t])].pus, host_.allowed);
  }
  bind_threads(host_, of_thread);
}

std::string binding_trial::summary() const {
  std::string text;
  for (const auto& [policy, s] : seconds)
    text += fmt::format("{}{} {:.3f} ms", text.empty() ? "" : ", ", name_of(policy), 1e3 * s);
  return text + fmt::format(": {}", name_of(selected));
}

binding_trial try_bindings(MPI_Comm comm, const local_ranks& here, int turns, const std::function<double()>& work) {
  constexpr double largest_ratio = 0.97;
  using enum binding_policy;
  binding_trial trial;
  std::vector<pu_set> tried;
  for (const binding_policy policy : {none, core, l3, numa, socket}) {
    if (policy != none && !here.enough_cores()) break;
    const pu_set mine = here.pus(policy);
    const auto is_new = [&](const pu_set& before) { return !on_all(comm, before == mine); };
    if (!std::all_of(tried.begin(), tried.end(), is_new)) continue;
    tried.push_back(mine);
    trial.seconds.emplace_back(policy, std::numeric_limits<double>::infinity());
  }
  for (int turn = 0; turn < turns; ++turn)
    for (auto& [policy, best] : trial.seconds) {
      comm::collectively(comm, [&, policy = policy] { here.bind(policy); });
      MPI_Barrier(comm);
      double seconds = work();
      comm::all_reduce(comm, &seconds, 1, MPI_MAX);
      best = std::min(best, seconds);
    }
  const auto fastest = std::min_element(trial.seconds.begin(), trial.seconds.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  if (fastest->second < largest_ratio * trial.seconds.front().second) trial.selected = fastest->first;
  comm::collectively(comm, [&] { here.bind(trial.selected); });
  return trial;
}

}  // namespace osteon::machine
