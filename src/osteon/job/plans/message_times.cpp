#include <osteon/job/plans/message_times.hpp>

#include <algorithm>
#include <osteon/net/costs/plan_cost.hpp>
#include <osteon/net/costs/simulate.hpp>

namespace osteon::job {

namespace {

plan::plan without_bytes(const plan::plan& what) {
  plan::plan empty = what;
  empty.of = [of = what.of](int rank, std::int64_t round) {
    plan::round now = of(rank, round);
    for (auto* list : {&now.sends, &now.receives})
      for (plan::message& m : *list) m.elements = {};
    return now;
  };
  return empty;
}

// True if all messages remain inside their hosts. Each message then uses only the memory links of its two ranks.
bool stays_in_hosts(const plan::plan& what, const net::network& where) {
  std::vector<int> route;
  for (std::int64_t round = 0; round < what.rounds; ++round)
    for (int r = 0; r < what.ranks; ++r)
      for (const plan::message& m : what.of(r, round).sends) {
        route.clear();
        where.append_route(r, m.peer, route);
        if (route.size() > 2) return false;
      }
  return true;
}

}  // namespace

plan_time time_of(const comm::plan_traffic& traffic, const rank_network& on) {
  plan_time t{traffic.plan, traffic.runs, traffic.messages, traffic.bytes, 0, 0, false};
  if (traffic.messages == 0) return t;
  net::simulate_options ends;
  ends.send_overhead = ends.receive_overhead =
      stays_in_hosts(traffic.what, on.where) ? on.overhead_in_host_s : on.overhead_s;
  const net::plan_cost cost = net::cost_of(on.where, traffic.what, ends);
  const double latency = net::cost_of(on.where, without_bytes(traffic.what), ends).total;
  // The plan contains each distinct run once.
  const double times = cost.messages > 0 ? static_cast<double>(traffic.messages) / static_cast<double>(cost.messages) : 0;
  t.simulated = cost.messages <= most_messages_to_simulate;
  // A rank posts all messages of an exchange at once. MPI transfers these messages concurrently. The cost of a simulation is
  // quadratic in the number of messages. Large numbers of messages are therefore simulated sequentially.
  constexpr std::int64_t most_side_by_side = 1000;
  ends.serial_sends = cost.messages > most_side_by_side;
  const double seconds =
      t.simulated ? net::simulate(on.where, traffic.what, ends).total : std::max(cost.total, cost.busiest_links);
  t.seconds = times * seconds;
  t.latency_seconds = std::min(t.seconds, times * latency);
  return t;
}

std::vector<part_time> times_of(const job_plans& plans, const rank_network& on) {
  std::vector<part_time> all;
  for (const job_part& part : plans.parts) {
    part_time& sum = all.emplace_back();
    sum.part = part.name;
    for (const comm::plan_traffic& traffic : part.plans) {
      sum.plans.push_back(time_of(traffic, on));
      sum.seconds += sum.plans.back().seconds;
      sum.latency_seconds += sum.plans.back().latency_seconds;
    }
  }
  return all;
}

}  // namespace osteon::job
