#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/net/costs/choose.hpp>
#include <osteon/net/costs/compositing_model.hpp>
#include <osteon/render/compositing/choose_compositor.hpp>

namespace osteon::render {

namespace {

constexpr int most_ranks_of_direct_send = 64;

// Candidate methods for `n` ranks or hosts.
std::vector<std::string> methods_for(int n) {
  std::vector<std::string> methods;
  methods.reserve(6);
  methods.push_back("binary-swap");
  if (n <= most_ranks_of_direct_send) methods.push_back("direct-send");
  if (n > 4 && n <= most_ranks_to_walk) methods.push_back("radix-k");
  if (!std::has_single_bit(static_cast<unsigned>(n)) && n <= most_ranks_to_walk) methods.push_back("2-3-swap");
  if (n >= 16) {
    const int log = std::bit_width(static_cast<unsigned>(n)) - 1;
    for (const int group : {1 << (log / 2), 1 << (log - 1)}) methods.push_back(fmt::format("multi-step:{}", group));
  }
  return methods;
}

std::vector<int> front_to_back(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Candidate methods for `n` ranks or hosts, with predicted times.
std::vector<std::pair<std::string, double>> timed_methods(const net::compositing_machine& machine, int n,
                                                          std::int64_t pixels, double bytes_per_pixel) {
  const std::vector<std::string> methods = methods_for(n);
  std::vector<std::pair<std::string, double>> timed;
  if (n <= most_ranks_to_walk) {
    std::vector<plan::plan> plans;
    for (const std::string& m : methods) plans.push_back(plan::composite_method::parse(m).make(n, pixels, front_to_back(n)));
    for (const auto& ranked : net::rank_plans(plans, machine, bytes_per_pixel))
      timed.emplace_back(methods[ranked.candidate], ranked.cost.total);
  } else {
    for (const std::string& m : methods) timed.emplace_back(m, messages_time(machine, m, n, pixels, bytes_per_pixel));
  }
  return timed;
}

comm::composite_options options_of(comm::composite_options options, const compositor_candidate& candidate) {
  options.by = candidate.by;
  options.method = candidate.method.empty() ? comm::plan_maker{} : plan_maker_of(candidate.method);
  return options;
}

double area_share(const comm::composite_options& o, const comm::pixel_rectangle& active) {
  if (active.empty()) return 0;
  const double width = std::clamp(active.right, 0, o.width) - std::clamp(active.left, 0, o.width);
  const double height = std::clamp(active.bottom, 0, o.height) - std::clamp(active.top, 0, o.height);
  return width * height / (static_cast<double>(o.width) * o.height);
}

}  // namespace

comm::plan_maker plan_maker_of(const std::string& method) {
  return [parsed = plan::composite_method::parse(method)](int ranks, std::int64_t elements, std::span<const int> order,
                                                          int root) { return parsed.make(ranks, elements, order, root); };
}

comm::drawn_plan_maker drawn_plan_maker_of(const std::string& method) {
  auto parsed = plan::composite_method::parse(method);
  if (!parsed.uses_active) return {};
  return [parsed](int ranks, std::int64_t elements, std::span<const int> order, int root,
                  const std::vector<std::vector<plan::span>>& drawn) {
    plan::composite_method of_drawn = parsed;
    of_drawn.active = drawn;
    return of_drawn.make(ranks, elements, order, root);
  };
}

double shared_memory_time(const net::compositing_machine& machine, int ranks, double bytes) {
  if (ranks == 1) return bytes / machine.blend_rate;
  return 2 * machine.latency + machine.blend_overhead + (ranks - 1) * bytes / ranks / machine.blend_rate;
}

double messages_time(const net::compositing_machine& machine, const std::string& method, int ranks, std::int64_t pixels,
                     double bytes_per_pixel) {
  if (ranks <= most_ranks_to_walk)
    return net::cost_of(plan::composite_method::parse(method).make(ranks, pixels, front_to_back(ranks)), machine,
                        bytes_per_pixel)
        .total;
  const int power = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks)));
  const auto group = net::group_in_equations(method, power);
  if (!group)
    throw usage_error(
        fmt::format("the time of '{}' with {} ranks cannot be predicted: for more than {} ranks the method must be "
                    "binary-swap or multi-step:P, and P must be a power of two",
                    method, ranks, most_ranks_to_walk));
  return net::multi_step_time(machine, power, *group, static_cast<double>(pixels) * bytes_per_pixel).total();
}

std::vector<compositor_candidate> rank_compositors(const net::compositing_machine& machine, const host_layout& layout,
                                                   int ranks, const comm::composite_options& options, double active) {
  const std::int64_t pixels = std::int64_t{options.width} * options.height;
  const double whole = static_cast<double>(options.format.bytes());  // number of bytes of a pixel
  const double sent = options.sparse ? whole * active : whole;
  std::vector<compositor_candidate> result;
  if (layout.hosts == 1)
    result.push_back({"shared", comm::transport::shared, "",
                      shared_memory_time(machine, ranks, active * whole * static_cast<double>(pixels))});
  if (layout.hosts > 1 && layout.most_ranks > 1) {
    // The ranks of a host use the same link. Each rank owns a stripe of the picture.
    net::compositing_machine between = machine;
    between.ranks_per_host = 1;
    between.host_rate = machine.host_rate / layout.ranks_per_host;
    const double inside = shared_memory_time(machine, layout.most_ranks, active * whole * static_cast<double>(pixels));
    for (const auto& [method, seconds] : timed_methods(between, layout.hosts, pixels / layout.ranks_per_host, whole))
      result.push_back({"shared memory in hosts, " + method, comm::transport::hybrid, method, inside + seconds});
  }
  if (ranks > 1)
    for (const auto& [method, seconds] : timed_methods(machine, ranks, pixels, sent))
      result.push_back({method, comm::transport::messages, method, seconds});
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.predicted < b.predicted; });
  return result;
}

chosen_compositor choose_compositor(MPI_Comm comm, const comm::composite_options& options, std::span<const int> order,
                                    const comm::pixel_rectangle& active, std::span<const std::byte> image,
                                    const std::optional<net::compositing_machine>& machine) {
  const auto over_ranks = [&](double value, MPI_Op op) {
    comm::all_reduce(comm, &value, 1, op);
    return value;
  };
  const int ranks = comm::size(comm);
  const host_layout layout = layout_of(comm, options.ranks_per_host);
  const double mean_share = over_ranks(area_share(options, active), MPI_SUM) / ranks;
  // All ranks have equal input, and therefore select the same candidates without messages.
  auto candidates =
      rank_compositors(machine ? *machine : probe_machine(comm, options.format, layout), layout, ranks, options, mean_share);
  candidates.resize(std::min(candidates.size(), net::plans_to_try));
  std::vector<net::trial> trials;
  for (const auto& c : candidates) {
    comm::compositor compositor = comm::compositor::make(comm, options_of(options, c));
    net::trial trial{c.name, c.predicted, {}};
    for (int frame = 0; frame < net::frames_to_try; ++frame) {
      std::copy(image.begin(), image.end(), compositor.buffer().begin());
      MPI_Barrier(comm);
      const stopwatch watch;
      compositor.run(order, active);
      trial.measured.push_back(over_ranks(watch.seconds(), MPI_MAX));
    }
    trials.push_back(std::move(trial));
  }
  const net::choice choice = net::choose(trials);
  const compositor_candidate& winner = candidates[choice.winner];
  return {comm::compositor::make(comm, options_of(options, winner)), winner.name, choice.log};
}

}  // namespace osteon::render
