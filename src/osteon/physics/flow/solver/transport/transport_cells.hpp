#pragma once
/// @file
/// The operator of a temperature that a flow carries.
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>

namespace osteon::physics {

/// An outer face of a cell through which heat passes.
struct transport_side {
  std::int32_t cell = 0;
  std::int16_t opening = -1, condition = -1;  ///< one of the two
  std::uint8_t side = 0;                      ///< 2 axis + (1 on the high face)
  double conductance = 0;                     ///< to what lies beyond [W/K]
  double brings = 0, takes = 0;               ///< heat capacity of what flows in, or out [W/K]
  double returns = 0;                         ///< the same of what comes back with the temperature that is there
  double beyond_K = 0;                        ///< its temperature, above the reference
  double heat_W = 0;                          ///< of a given flux
};

/// (K x)_i = sum over neighbours j of a_ij (x_i - x_j) + loose_i x_i,
/// a_ij = g + F (1 - w) where F flows in from j, g - F w where it flows out to j: the temperature of a face is that of the
/// cell it comes from, and a weight w of the other. A constant temperature loses nothing whatever the flow is.
struct transport_cells {
  heat_cells grid;                           ///< all outer faces insulated
  std::array<std::vector<double>, 3> flow;   ///< per cell and ghost: along the axis through its low face [W/K]
  std::array<std::vector<float>, 3> weight;  ///< w of that face, 0 to 0.5
  std::vector<double> loose, right;          ///< per owned cell [W/K], [W]
  /// In time, per owned cell: what it takes up per kelvin, with the length of the step, is in `loose`, and that times the
  /// temperature before is in `right`. Empty: steady.
  std::vector<double> held, before;
  std::vector<transport_side> sides;
  std::vector<std::uint8_t> is_fluid;  ///< per cell and ghost
  double reference_K = 0;              ///< the lowest given temperature; x is above it
  double highest_K = 0;                ///< the highest
  /// Bounds of x by the maximum principle; infinite on a side that sources or fluxes leave unbounded.
  double least = 0, most = 0;
  /// Per owned cell: number of its part if no condition holds the part and its given heat balances, else -1. One cell of
  /// such a part is held at the middle of the given temperatures, through which no heat passes. Empty: there is none.
  std::vector<std::int32_t> free_part;
  std::int32_t free_parts = 0;
  double level_W = 0;                               ///< what the held cells of this rank add to `right`
  bool holds_bounds = true;                         ///< a limited solution is held within these bounds
  std::array<std::vector<std::uint8_t>, 3> pinned;  ///< 1: the limiter leaves this low face at what cannot oscillate

  double conductance(std::int32_t i, std::int32_t j, std::size_t axis) const {
    const auto r = [&](std::int32_t n) { return grid.resistivity[grid.material[static_cast<std::size_t>(n)]]; };
    return grid.face[axis] / (r(i) + r(j));
  }
  /// Through side d of cell i, outwards [W/K]; j is the neighbour there.
  double leaves(std::int32_t i, std::int32_t j, std::size_t d) const {
    return d % 2 != 0 ? flow[d / 2][static_cast<std::size_t>(j)] : -flow[d / 2][static_cast<std::size_t>(i)];
  }
  float weight_of(std::int32_t i, std::int32_t j, std::size_t d) const {
    return weight[d / 2][static_cast<std::size_t>(d % 2 != 0 ? j : i)];
  }

  /// y = K x at owned cells. @param x ghosts current @collective local
  template <class T, class Y>
  void multiply(const T* x, Y* y) const {
    visit_neighbours_in_parallel(grid, [&, x, y](std::int32_t i, const std::array<std::int32_t, 6>& near) {
      const auto own = static_cast<double>(x[i]);
      double sum = loose[static_cast<std::size_t>(i)] * own;
      for (std::size_t d = 0; d < 6; ++d) {
        const std::int32_t j = near[d];
        if (j < 0) continue;
        double a = conductance(i, j, d / 2);
        if (const double out = leaves(i, j, d); out != 0) {
          const auto w = static_cast<double>(weight_of(i, j, d));
          a += out < 0 ? -out * (1 - w) : -out * w;
        }
        sum += a * (own - static_cast<double>(x[j]));
      }
      y[i] = static_cast<Y>(sum);
    });
  }
};

/// @throws as check_flow_temperature, and for openings that let in what has no temperature
/// @collective on problem.where.comm
transport_cells make_transport_cells(const temperature_problem& problem, log_sink& log);
/// The same for other velocities; the weights of the faces stay.
void take_velocities(const temperature_problem& problem, transport_cells& cells, log_sink& log);

/// x moved in each part whose level is free, so that its mean is the middle of the given temperatures. @collective
std::vector<double> levelled(const transport_cells& cells, std::vector<double> x);

/// What an answer says: all of it but the certificate's own. @param x above the reference, ghosts current @collective
void account_for_heat(const temperature_problem& problem, const transport_cells& cells, const std::vector<double>& x,
                      temperature_solution& all);

/// Set the weights of the faces from a temperature. @param x ghosts current; not read unless `limited`
/// @param taken share of the new weights, the rest is of the old ones @collective on the communicator
void set_weights(transport_cells& cells, heat_convection how, const double* x, double taken = 1);

/// Pin the faces by which fluid leaves cells whose temperature is out of bounds: with what cannot oscillate there, a cell is
/// a mean of its neighbours and cannot be the warmest or the coldest. Sets their weights. @param x ghosts current
/// @return by how much x leaves the bounds, over all ranks @collective
double pin_faces_beyond_bounds(transport_cells& cells, const double* x);

/// Faces between cells that the flow passes, and of these the ones that are not central, over all ranks. @collective
std::array<std::int64_t, 2> count_limited(const transport_cells& cells);

}  // namespace osteon::physics
