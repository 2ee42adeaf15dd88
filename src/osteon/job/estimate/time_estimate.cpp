#include <osteon/job/estimate/time_estimate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/stage.hpp>
#include <utility>

namespace osteon::job {

namespace {

using ordered = nlohmann::ordered_json;

constexpr double usual_restarts = 2;
// Relative errors of messages on a measured network, of messages in approximate plans, and of sampled sizes. In addition,
// constants and numbers of iterations have errors.
constexpr double of_messages = 0.3, of_scaled_messages = 0.5, of_sample = 0.25;
constexpr double least_saving = 0.1;
constexpr std::size_t first_of_solving = 3, last_of_solving = 5;  // indices of stages

struct on_ranks {
  estimation size;
  rank_network where;
  std::vector<part_time> parts;
  std::vector<std::string> assumed;
  bool scaled = false;  // true if the plans are approximate
  bool marked = false;  // true if the solver marks its parts
  level_sizes levels;   // levels of the elasticity solver
};

const part_time& part_named(const std::vector<part_time>& parts, const std::string& name) {
  static const part_time none;
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const part_time& p) { return p.part == name; });
  return found == parts.end() ? none : *found;
}

on_ranks look_at(const spec& job, const job_size& size, int ranks, const time_question& q, bool is_asked = false) {
  on_ranks found{estimate(job, size, ranks), q.network(ranks), {}, {}, false, false, {}};
  found.assumed = found.where.assumed;
  if (ranks == 1) return found;
  if (!q.image) {
    found.scaled = true;
    return found;
  }
  const plan_image& image = is_asked && q.of_asked ? *q.of_asked : *q.image;
  try {
    const job_plans plans = plans_at_scale(job, image, ranks, q.limits);
    found.parts = times_of(plans, found.where);
    found.marked = plans.are_marked;
    found.levels = image.levels();
    found.assumed.insert(found.assumed.end(), plans.assumed.begin(), plans.assumed.end());
    found.scaled = ranks > q.limits.most_ranks || image.volume_factor != 1;
  } catch (const plans_unknown& why) {
    found.scaled = true;
    found.assumed.push_back(fmt::format("messages are not included: {}", why.what()));
  }
  return found;
}

class stage_maker {
 public:
  stage_maker(const spec& job, const on_ranks& on, const stage_costs& costs)
      : on_(on),
        threads_(static_cast<double>(job.run.threads)),
        shares_(on.where.ranks_per_host > 1 ? costs.sharing - 1 : 0) {}

  /// Name of a part, and number of times that the part is repeated.
  using often = std::pair<std::string, double>;
  stage_time of(const char* stage, double core_seconds, const std::vector<often>& parts, double times = 1) const {
    stage_time t{stage, times * core_seconds / threads_, 0, 0, 0};
    t.memory = t.compute * shares_;
    for (const auto& [name, turns] : parts) {
      const part_time& p = part_named(on_.parts, name);
      t.latency += times * turns * p.latency_seconds;
      t.bandwidth += times * turns * (p.seconds - p.latency_seconds);
    }
    return t;
  }
  /// Computation by one process.
  static stage_time serial(const char* stage, double seconds) { return {stage, seconds, 0, 0, 0}; }

 private:
  const on_ranks& on_;
  double threads_, shares_;
};

// Add the plans of all parts of a mean iteration. Each plan is added once.
void add_plans(std::vector<plan_time>& to, const std::vector<part_time>& parts,
               const std::vector<stage_maker::often>& iteration) {
  struct mean_plan {
    double runs = 0, messages = 0, bytes = 0;
  };
  std::vector<mean_plan> sums;
  for (const auto& [name, turns] : iteration)
    for (const plan_time& p : part_named(parts, name).plans) {
      auto known = std::find_if(to.begin(), to.end(), [&](const plan_time& k) { return k.plan == p.plan; });
      if (known == to.end()) {
        known = to.insert(to.end(), {p.plan, 0, 0, 0, 0, 0, p.simulated});
        sums.emplace_back();
      }
      mean_plan& sum = sums[static_cast<std::size_t>(known - to.begin())];
      sum.runs += turns * static_cast<double>(p.runs);
      sum.messages += turns * static_cast<double>(p.messages);
      sum.bytes += turns * static_cast<double>(p.bytes);
      known->seconds += turns * p.seconds;
      known->latency_seconds += turns * p.latency_seconds;
    }
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].runs = std::llround(sums[i].runs);
    to[i].messages = std::llround(sums[i].messages);
    to[i].bytes = std::llround(sums[i].bytes);
  }
}

time_estimate add_up(const spec& job, const job_size& size, const on_ranks& on, const time_question& q) {
  const stage_costs& c = q.costs;
  const estimation& e = on.size;
  const double ranks = e.ranks;
  const double unknowns = e.elements > 0 ? static_cast<double>(e.dofs) * static_cast<double>(e.largest_elements_per_rank) /
                                               static_cast<double>(e.elements)
                                         : 0;
  const double voxels = static_cast<double>(e.voxels) / ranks;
  const double pixels =
      job.picture.enabled ? static_cast<double>(job.picture.width) * static_cast<double>(job.picture.height) : 0;
  const double edge = std::cbrt(static_cast<double>(e.voxels));
  const stage_maker make(job, on, c);
  const double computed = e.computed;  // the value is 2 if the job also compares the other connectivity

  time_estimate t;
  t.ranks = e.ranks;
  t.hosts = on.where.hosts;
  t.threads = e.threads;
  t.network = e.ranks > 1 ? on.where.words : "one rank";
  t.costs = c.source;
  t.iterations = c.iterations;
  // The estimate assumes the same number of iterations for a preceding problem. If the solver marks its parts, the
  // repetitions of each part have been counted. Otherwise, iterations are the only repeated parts.
  std::vector<stage_maker::often> iteration{{"iteration", 1}, {"heat_iteration", 1}};
  if (!c.parts.empty()) iteration.assign(c.parts.begin(), c.parts.end());
  const double loads = std::max(1.0, size.work.solutions);
  const std::vector<stage_maker::often> of_loads{
      {"load", loads}, {"restart", loads * usual_restarts}, {"heat_load", 1}, {"heat_restart", usual_restarts}};
  add_plans(t.of_iteration, on.parts, iteration);
  const double iteration_seconds =
      c.seconds_of_iteration(unknowns) + seconds_of_few_ranks(on.levels, e.ranks, t.of_iteration);
  t.iteration = make.of("iteration", iteration_seconds, iteration);
  t.stages = {stage_maker::serial("import", size.was_there ? 0 : size.import_seconds),
              stage_maker::serial("start", c.start.fixed)};
  const auto seconds_of_turn = [&](const stage_cost& cost) {
    const cost_line& line = c.*cost.seconds;
    if (cost.often == stage_cost::turns::iterations) return iteration_seconds;
    if (cost.of == stage_cost::unit::unknowns) return line.at(unknowns);
    return cost.of == stage_cost::unit::voxels ? line.at(voxels) : pixels * line.at(edge) / ranks;
  };
  const auto messages_of = [&](const stage_cost& cost) {
    if (cost.often == stage_cost::turns::iterations) return iteration;
    if (cost.often == stage_cost::turns::loads) return c.parts.empty() ? of_loads : std::vector<stage_maker::often>();
    std::vector<stage_maker::often> parts;
    for (const char* part : cost.parts) parts.emplace_back(part, 1);
    return parts;
  };
  for (const stage* s : all_stages())
    for (const stage_cost& cost : s->costs) {
      if (cost.of == stage_cost::unit::none) {
        t.stages.push_back(stage_maker::serial(cost.row, (c.*cost.seconds).fixed));
        continue;
      }
      const double times =
          (cost.is_repeated ? computed : 1) * (cost.often == stage_cost::turns::iterations ? c.iterations : 1);
      t.stages.push_back(make.of(cost.row, seconds_of_turn(cost), messages_of(cost), times));
    }
  t.assumed = q.assumed;
  t.assumed.insert(t.assumed.end(), on.assumed.begin(), on.assumed.end());

  if (c.parts.empty() && on.marked)
    t.assumed.emplace_back("the solver sends messages only in its iterations; a pilot also counts the other messages");
  if (!on.marked && !part_named(on.parts, "heat_iteration").plans.empty())
    t.assumed.push_back("the heat problem has the same number of iterations as the elasticity problem");

  double core = 0, messages = 0;
  for (const stage_time& s : t.stages) {
    core += s.compute + s.memory;
    messages += s.latency + s.bandwidth;
  }
  const stage_time& iterations = t.stages[last_of_solving];
  const double sum = std::max(t.seconds(), 1e-9);
  const std::array parts{core * c.spread, (iterations.seconds()) * c.iterations_spread,
                         messages * (on.scaled ? of_scaled_messages : of_messages), size.imported ? 0 : core * of_sample};
  double squares = 0;
  for (const double part : parts) squares += part * part;
  t.error = std::sqrt(squares) / sum;
  return t;
}

std::string duration(double seconds) {
  if (seconds >= 100) return fmt::format("{:.0f} s", seconds);
  if (seconds >= 0.1) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.3g} ms", seconds * 1e3);
}

}  // namespace

std::string stage_time::limit() const {
  const std::array all{std::pair{compute, "compute"}, std::pair{memory, "memory bandwidth"}, std::pair{latency, "latency"},
                       std::pair{bandwidth, "network bandwidth"}};
  return std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; })->second;
}

double time_estimate::seconds() const {
  double sum = 0;
  for (const stage_time& s : stages) sum += s.seconds();
  return sum;
}

double time_estimate::solving_seconds() const {
  double sum = 0;
  for (std::size_t i = first_of_solving; i <= last_of_solving; ++i) sum += stages[i].seconds();
  return sum;
}

double time_estimate::solving_cpu_seconds() const {
  double sum = 0;
  for (std::size_t i = first_of_solving; i <= last_of_solving; ++i) sum += stages[i].compute + stages[i].memory;
  return sum * ranks * threads;
}

time_estimate estimate_time(const spec& job, const job_size& size, int ranks, const time_question& question) {
  const auto at = [&](int n) { return add_up(job, size, look_at(job, size, n, question, n == ranks), question); };
  time_estimate asked = at(ranks);
  const auto point = [](const time_estimate& t) {
    return rank_point{t.ranks, t.seconds(), t.iteration.seconds(), t.iteration.limit()};
  };
  if (!question.scales) {
    asked.scaling = {point(asked)};
    return asked;
  }
  for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    const double n = factor * ranks;
    if (n < 1 || n != std::floor(n) || n > 1e6) continue;
    if (factor == 1) {
      asked.scaling.push_back(point(asked));
      continue;
    }
    try {
      asked.scaling.push_back(point(at(static_cast<int>(n))));
    } catch (const usage_error&) {  // the image or the network is too small for this number of ranks
      if (factor > 1) break;
    }
  }
  for (std::size_t i = 0; i + 1 < asked.scaling.size() && asked.stops_paying_at == 0; ++i)
    if (asked.scaling[i + 1].seconds > (1 - least_saving) * asked.scaling[i].seconds)
      asked.stops_paying_at = asked.scaling[i].ranks;
  return asked;
}

nlohmann::ordered_json time_estimate::to_json() const {
  const auto shares = [](const stage_time& s) {
    return ordered{{"stage", s.stage},           {"seconds", s.seconds()},       {"compute_seconds", s.compute},
                   {"memory_seconds", s.memory}, {"latency_seconds", s.latency}, {"bandwidth_seconds", s.bandwidth}};
  };
  ordered all = {{"seconds", seconds()},
                 {"relative_error", error},
                 {"hosts", hosts},
                 {"network", network},
                 {"costs", costs},
                 {"stages", ordered::array()},
                 {"iterations", iterations},
                 {"iteration", shares(iteration)},
                 {"limit", iteration.limit()},
                 {"scaling", ordered::array()},
                 {"stops_paying_at", stops_paying_at > 0 ? ordered(stops_paying_at) : ordered(nullptr)},
                 {"assumed", assumed}};
  for (const stage_time& s : stages) all["stages"].push_back(shares(s));
  all["iteration"]["plans"] = ordered::array();
  for (const plan_time& p : of_iteration)
    all["iteration"]["plans"].push_back({{"plan", p.plan},
                                         {"runs", p.runs},
                                         {"messages", p.messages},
                                         {"bytes", p.bytes},
                                         {"seconds", p.seconds},
                                         {"latency_seconds", p.latency_seconds},
                                         {"simulated", p.simulated}});
  for (const rank_point& p : scaling)
    all["scaling"].push_back(
        {{"ranks", p.ranks}, {"seconds", p.seconds}, {"iteration_seconds", p.iteration_seconds}, {"limit", p.limit}});
  return all;
}

std::string time_estimate::to_text() const {
  const double sum = seconds();
  std::string text = fmt::format(
      "\n  time on {}: {}, expected error {:.0f} % ({})\n  {:<12}{:>10}{:>12}{:>12}{:>12}{:>12}\n", counted(ranks, "rank"),
      duration(sum), 100 * error, network, "", "", "compute", "memory", "latency", "bandwidth");
  const auto row = [&](const stage_time& s) {
    text += fmt::format("  {:<12}{:>10}{:>12}{:>12}{:>12}{:>12}\n", s.stage, duration(s.seconds()), duration(s.compute),
                        duration(s.memory), duration(s.latency), duration(s.bandwidth));
  };
  for (const stage_time& s : stages) row(s);
  text += fmt::format("\n  {:.3g} iterations; one iteration takes {} and is limited by {}\n", iterations,
                      duration(iteration.seconds()), iteration.limit());
  for (const plan_time& p : of_iteration)
    if (p.messages > 0)
      text += fmt::format("    {:<34}{:>4} times {:>10}, including latency {:>9}\n", p.plan, p.runs, duration(p.seconds),
                          duration(p.latency_seconds));
  if (scaling.size() > 1) {
    text += fmt::format("\n  {:>8}{:>12}{:>14}  limit\n", "ranks", "time", "iteration");
    for (const rank_point& p : scaling)
      text += fmt::format("  {:>8}{:>12}{:>14}  {}\n", p.ranks, duration(p.seconds), duration(p.iteration_seconds), p.limit);
    text += stops_paying_at > 0 ? fmt::format("  more than {} do not pay: twice the number saves less than 10 %\n",
                                              counted(stops_paying_at, "rank"))
                                : "  a larger number of ranks may still reduce the time\n";
  }
  text += fmt::format("\n  constants: {}\n", costs);
  for (const std::string& sentence : assumed) text += fmt::format("  assumed: {}\n", sentence);
  return text;
}

}  // namespace osteon::job
