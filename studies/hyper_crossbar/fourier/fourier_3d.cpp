#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/host_memory.hpp>
#include <osteon/comm/shared_window.hpp>
#include <studies/hyper_crossbar/fourier/fourier_3d.hpp>
#include <studies/hyper_crossbar/fourier/fourier_butterfly.hpp>
#include <studies/hyper_crossbar/fourier/fourier_parts.hpp>
#include <studies/hyper_crossbar/fourier/fourier_transposition.hpp>

namespace osteon::studies {

namespace {

// True if a transform with this folding uses every rank in all three transforms along the axes.
bool fits(index3 shape, fourier_folding f) {
  return f.rows <= std::min(shape.y, shape.x) && f.columns <= std::min(shape.z, shape.y);
}

std::optional<fourier_folding> squarest(index3 shape, int ranks) {
  std::optional<fourier_folding> best;
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || !fits(shape, {rows, ranks / rows})) continue;
    if (!best || std::abs(rows - ranks / rows) < std::abs(best->rows - best->columns)) best = {rows, ranks / rows};
  }
  return best;
}

std::string text(index3 shape) { return fmt::format("{} x {} x {}", shape.z, shape.y, shape.x); }

}  // namespace

fourier_folding fourier_3d::choose_folding(index3 shape, int ranks) {
  return fits(shape, {1, ranks}) ? fourier_folding{1, ranks} : squarest_folding(shape, ranks);
}

fourier_folding fourier_3d::squarest_folding(index3 shape, int ranks) {
  if (const auto best = squarest(shape, ranks)) return *best;
  const auto most = std::min(shape.y, shape.x) * std::min(shape.z, shape.y);
  std::string near;
  for (const int step : {-1, 1}) {
    std::int64_t candidate = std::min<std::int64_t>(ranks + step, most);
    while (candidate >= 1 && candidate <= most && !squarest(shape, static_cast<int>(candidate))) candidate += step;
    if (candidate >= 1 && candidate <= most && near != std::to_string(candidate))
      near += (near.empty() ? "" : " or ") + std::to_string(candidate);
  }
  throw usage_error(
      fmt::format("{} ranks are not m x n with m <= {} (of y and x) and n <= {} (of z and y), as an array of {} points (z, "
                  "y, x) requires; "
                  "use {} ranks",
                  ranks, std::min(shape.y, shape.x), std::min(shape.z, shape.y), text(shape), near));
}

double fourier_3d::bytes(index3 shape, int ranks, const fourier_options& options) {
  const bool messages = ranks > 1 && options.method != fourier_method::shared;
  const int arrays = options.method == fourier_method::butterfly ? 3 : 4;
  return static_cast<double>(shape.volume()) * sizeof(complex) * (messages ? arrays : 2);
}

std::unique_ptr<fourier_3d> fourier_3d::make(MPI_Comm comm, index3 shape, const fourier_options& options) {
  const int ranks = comm::size(comm);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  const comm::communicator host = comm::communicator::take(made);
  const double points = static_cast<double>(shape.volume()) * sizeof(complex);
  std::array<int, 2> found{host.size() != ranks, 1.1 * points > comm::shared_window::available()};
  MPI_Allreduce(MPI_IN_PLACE, found.data(), 2, MPI_INT, MPI_MAX, comm);
  const bool crossing = found[0] != 0, no_room = found[1] != 0;
  fourier_options chosen = options;
  comm::collectively(comm, [&] {
    for (int axis = 0; axis < 3; ++axis) fourier_plan plan(shape[axis]);
    const bool folds = options.folding.rows != 0;
    if (chosen.method == fourier_method::automatic)
      chosen.method =
          crossing || no_room || folds || !fits(shape, {1, ranks}) ? fourier_method::transposition : fourier_method::shared;
    if (chosen.method == fourier_method::shared) {
      if (crossing)
        throw usage_error(
            fmt::format("a Fourier transform in shared memory requires all {} ranks on one host; this host has {}; use "
                        "transposition by messages",
                        ranks, host.size()));
      chosen.folding = {1, ranks};
    } else if (chosen.method == fourier_method::butterfly) {
      fourier_butterfly::choose_grid(shape, ranks);
      chosen.folding = {};
    } else if (!folds) {
      chosen.folding = choose_folding(shape, ranks);
    }
    const fourier_folding f = chosen.folding;
    if (chosen.method != fourier_method::butterfly && (f.rows * f.columns != ranks || !fits(shape, f)))
      throw usage_error(
          fmt::format("{} x {} ranks for an array of {} points (z, y, x): their product must be {}, with at most {} x {}",
                      f.rows, f.columns, text(shape), ranks, std::min(shape.y, shape.x), std::min(shape.z, shape.y)));
    const double need = bytes(shape, ranks, chosen) / ranks * host.size(), there = comm::available_memory();
    if (need > there)
      throw machine_error(
          fmt::format("a Fourier transform of {} points requires {:.1f} GB on this host ({} of {} ranks), but {:.1f} GB are "
                      "available; use more hosts, or a smaller array",
                      text(shape), need / 1e9, host.size(), ranks, there / 1e9));
  });
  if (chosen.method == fourier_method::butterfly) return std::make_unique<fourier_butterfly>(comm, shape, chosen);
  return std::make_unique<fourier_transposition>(comm, shape, chosen);
}

}  // namespace osteon::studies
