#include <studies/measure/over_ranks.hpp>
#include <studies/subdomain_mapping/poisson/poisson.hpp>

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/kernel/machine_limits.hpp>
#include <studies/subdomain_mapping/block/stream_store.hpp>
#include <studies/subdomain_mapping/peak/triad.hpp>
#include <studies/subdomain_mapping/poisson/poisson_grids.hpp>

namespace osteon::studies {

namespace {

constexpr int steps_of_batch = 8, fewest_batches = 3;

// Time in s from the start of the first rank to the end of the last rank. If there are more ranks than cores, ranks leave a
// barrier one after another. The first rank that leaves the barrier measures the whole interval.
template <class Work>
double timed(MPI_Comm comm, Work work) {
  MPI_Barrier(comm);
  const stopwatch clock;
  work();
  MPI_Barrier(comm);
  return largest(comm, clock.seconds());
}

// Call `once` at least `fewest_batches` times, until the time limit has passed on all ranks.
template <class Once>
void repeat_for(MPI_Comm comm, double seconds, Once once) {
  const stopwatch clock;
  for (int n = 1; once(), largest(comm, clock.seconds()) < seconds || n < fewest_batches; ++n) {
  }
}

std::int64_t off_host(const cartesian& where, const std::vector<int>& host, std::int64_t bytes_of_cell) {
  std::int64_t cells = 0;
  for (int r = 0; r < static_cast<int>(host.size()); ++r)
    for (const face side : faces)
      if (const int other = where.neighbour(r, side);
          other >= 0 && host[static_cast<std::size_t>(other)] != host[static_cast<std::size_t>(r)])
        cells += where.cells_of(r, side);
  return cells * bytes_of_cell;
}

}  // namespace

template <class T>
sweep_cost measure_sweep(MPI_Comm comm, const cartesian& where, const poisson_options& options) {
  heat_block<T> block(comm, where);
  // The arrays have the length of a field. Triad and sweep therefore use the caches equally. For large fields, a part of
  // this length is sufficient.
  constexpr std::int64_t enough_of_thread = 64 << 20;
  const auto field = block.cells() * static_cast<std::int64_t>(sizeof(T));
  std::optional<triad> limit;
  comm::collectively(comm, [&] { limit.emplace(std::min(field, enough_of_thread * omp_get_max_threads())); });
  struct candidate {
    jacobi_walk walk;
    double seconds = std::numeric_limits<double>::infinity();
  };
  std::vector<candidate> candidates(stores_can_stream ? 2 : 1);
  candidates.back().walk.stream = false;
  struct blocked {
    int sweeps;
    double seconds = std::numeric_limits<double>::infinity();
  };
  std::array<blocked, 3> at_once{{{2}, {4}, {6}}};
  double triad_bandwidth = 0, peak = 0, of_one = std::numeric_limits<double>::infinity();
  const bool first = comm::rank(comm) == 0;
  repeat_for(comm, options.seconds, [&] {
    std::int64_t operations = 0;
    const double of_operations = timed(comm, [&] { operations = kernel::multiply_and_add<T>(); });
    peak = std::max(peak, sum(comm, static_cast<double>(operations)) / of_operations);
    for (const candidate& c : candidates)
      of_one = std::min(of_one, timed(comm, [&] {
                          if (first) block.sweep_alone(c.walk);
                        }));
    std::int64_t bytes = 0;
    const double seconds = timed(comm, [&] { bytes = limit->run(); });
    triad_bandwidth = std::max(triad_bandwidth, sum(comm, static_cast<double>(bytes)) / seconds);
    for (candidate& c : candidates) c.seconds = std::min(c.seconds, timed(comm, [&] { block.sweep_alone(c.walk); }));
    for (blocked& b : at_once)
      b.seconds = std::min(b.seconds, timed(comm, [&] { block.sweeps_at_once(b.sweeps); }) / b.sweeps);
  });
  const auto faster = [](const auto& a, const auto& b) { return a.seconds < b.seconds; };
  const candidate& best = *std::min_element(candidates.begin(), candidates.end(), faster);
  const blocked& deepest = *std::min_element(at_once.begin(), at_once.end(), faster);
  const double values = best.walk.stream ? 2 : 3;
  const auto cells = static_cast<double>(where.cells().volume());
  constexpr double operations_of_cell = 8;  // two multiplications and six additions
  // The box of the first rank may be smaller than the mean box by one plane.
  double cells_of_first = static_cast<double>(block.cells());
  MPI_Bcast(&cells_of_first, 1, MPI_DOUBLE, 0, comm);
  return {.walk = best.walk,
          .triad_bandwidth = triad_bandwidth,
          .seconds = best.seconds,
          .bytes = values * sizeof(T) * cells,
          .sweeps_at_once = deepest.sweeps,
          .seconds_at_once = deepest.seconds,
          .seconds_of_one = of_one * cells / comm::size(comm) / cells_of_first,
          .peak = peak,
          .operations = operations_of_cell * cells};
}

template <class T>
step_cost measure_steps(MPI_Comm comm, const cartesian& where, const jacobi_walk& walk, const std::vector<int>& host,
                        const poisson_options& options) {
  heat_block<T> block(comm, where);
  step_cost cost;
  cost.bytes = static_cast<std::int64_t>(sum(comm, static_cast<double>(block.bytes_sent())));
  cost.bytes_off_host = off_host(where, host, sizeof(T));

  std::vector<double> exchange;
  repeat_for(comm, options.seconds / 4, [&] {
    exchange.push_back(timed(comm,
                             [&] {
                               for (int n = 0; n < steps_of_batch; ++n) block.exchange_alone();
                             }) /
                       steps_of_batch);
  });
  cost.exchange_seconds = median(exchange);

  // If `overlap` is unset, both variants are measured alternately.
  struct times {
    std::vector<double> step, communication;
  };
  std::array<times, 2> of{};
  repeat_for(comm, options.seconds * 3 / 4, [&] {
    for (const bool overlap : {false, true}) {
      if (options.overlap && *options.overlap != overlap) continue;
      block.set_mode();
      double communication = 0;
      const double seconds = timed(comm, [&] {
        for (int n = 0; n < steps_of_batch; ++n) {
          block.step({overlap, walk});
          communication += block.exchange_seconds();
        }
      });
      of[overlap].step.push_back(seconds / steps_of_batch);
      of[overlap].communication.push_back(largest(comm, communication) / steps_of_batch);
    }
  });
  if (options.overlap)
    cost.overlap = *options.overlap;
  else
    cost.overlap = median(of[true].step) < median(of[false].step);
  cost.seconds = median(of[cost.overlap].step);
  cost.communication_seconds = median(of[cost.overlap].communication);

  cost.error = largest(comm, block.error());
  cost.digest = reduced(comm, block.digest(), MPI_SUM);
  // The number of rounding errors per step is about ten.
  const double allowed = 16 * steps_of_batch * static_cast<double>(std::numeric_limits<T>::epsilon());
  if (!(cost.error <= allowed))
    throw data_error(fmt::format(
        "temperatures differ by {:.3g} from the exact solution after {} steps; the limit of rounding errors is {:.3g}",
        cost.error, steps_of_batch, allowed));
  return cost;
}

template sweep_cost measure_sweep<float>(MPI_Comm, const cartesian&, const poisson_options&);
template sweep_cost measure_sweep<double>(MPI_Comm, const cartesian&, const poisson_options&);
template step_cost measure_steps<float>(MPI_Comm, const cartesian&, const jacobi_walk&, const std::vector<int>&,
                                        const poisson_options&);
template step_cost measure_steps<double>(MPI_Comm, const cartesian&, const jacobi_walk&, const std::vector<int>&,
                                         const poisson_options&);

template <class T>
double seconds_of_steps(MPI_Comm comm) {
  constexpr double bytes_of_rank = 48e6;
  const int ranks = comm::size(comm);
  heat_block<T> block(comm, paper_grid(2, ranks, scale_that_fits(2, ranks, sizeof(T), bytes_of_rank)));
  double best = std::numeric_limits<double>::infinity();
  for (int n = 0; n < 3; ++n) best = std::min(best, timed(comm, [&] { block.step({}); }));
  return best;
}
template double seconds_of_steps<float>(MPI_Comm);
template double seconds_of_steps<double>(MPI_Comm);

comm::communicator reordered(MPI_Comm comm, const std::vector<int>& order) {
  const auto mine = std::find(order.begin(), order.end(), comm::rank(comm));
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(comm, 0, static_cast<int>(mine - order.begin()), &made);
  return comm::communicator::take(made);
}

}  // namespace osteon::studies
