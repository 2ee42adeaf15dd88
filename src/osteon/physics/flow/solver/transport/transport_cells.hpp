#pragma once
/// @file
/// The operator of a transported temperature.
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>

namespace osteon::physics {

/// An outer face of a cell with heat transfer.
struct transport_side {
  std::int32_t cell = 0;
  std::int16_t opening = -1, condition = -1;  ///< index of the opening, or index of the condition
  std::uint8_t side = 0;                      ///< 2 axis + (1 on the high face)
  double conductance = 0;                     ///< conductance to the surroundings [W/K]
  double brings = 0, takes = 0;               ///< heat capacity flow of the inflow, and of the outflow [W/K]
  double returns = 0;                         ///< heat capacity flow of the backflow that has the local temperature [W/K]
  double beyond_K = 0;                        ///< prescribed temperature relative to the reference temperature
  double heat_W = 0;                          ///< prescribed heat flow
};

/// (K x)_i = sum over neighbours j of a_ij (x_i - x_j) + loose_i x_i. For inflow F from j, a_ij = g + F (1 - w). For outflow
/// F to j, a_ij = g - F w. The temperature of a face is a weighted mean of the upstream cell (weight 1 - w) and the
/// downstream cell (weight w). For any flow, a uniform temperature loses no heat.
struct transport_cells {
  heat_cells grid;  ///< all outer faces are insulated
  /// Heat capacity flow along the axis through the low face of each cell and of each ghost [W/K].
  std::array<std::vector<double>, 3> flow;
  std::array<std::vector<float>, 3> weight;  ///< w of the low face, from 0 to 0.5
  std::vector<double> loose, right;          ///< values of each owned cell: `loose` in W/K, `right` in W
  /// Contributions of transient heat to each owned cell. The contribution to `loose` is the stored heat per kelvin divided
  /// by the step length. The contribution to `right` is the contribution to `loose` times the previous temperature. For
  /// steady heat, these members are empty.
  std::vector<double> held, before;
  std::vector<transport_side> sides;
  std::vector<std::uint8_t> is_fluid;  ///< true for fluid, for each cell and ghost
  double reference_K = 0;              ///< lowest prescribed temperature; x is relative to this temperature
  double highest_K = 0;                ///< highest prescribed temperature
  /// Bounds of x by the maximum principle. If sources or fluxes remove the bounds, the values are infinite.
  double least = 0, most = 0;
  /// For each owned cell: number of the part that contains the cell if the temperature level of this part is undetermined.
  /// Otherwise, the value is -1. The level is undetermined if no condition determines the level, and if the given heat is
  /// balanced. In such a part, one cell has the mean of the lowest and the highest given temperature. This cell has no heat
  /// flow. Empty: there is no such part.
  std::vector<std::int32_t> free_part;
  std::int32_t free_parts = 0;
  double level_W = 0;           ///< contribution of the fixed cells on this rank to `right`
  bool enforces_bounds = true;  ///< true if a limited solution must not exceed these bounds
  /// 1: the limiter does not change the non-oscillating weight of the low face.
  std::array<std::vector<std::uint8_t>, 3> pinned;

  double conductance(std::int32_t i, std::int32_t j, std::size_t axis) const {
    const auto r = [&](std::int32_t n) { return grid.resistivity[grid.material[static_cast<std::size_t>(n)]]; };
    return grid.face[axis] / (r(i) + r(j));
  }
  /// Outward coupling [W/K] through side d of cell i. j is the neighbour on side d.
  double leaves(std::int32_t i, std::int32_t j, std::size_t d) const {
    return d % 2 != 0 ? flow[d / 2][static_cast<std::size_t>(j)] : -flow[d / 2][static_cast<std::size_t>(i)];
  }
  float weight_of(std::int32_t i, std::int32_t j, std::size_t d) const {
    return weight[d / 2][static_cast<std::size_t>(d % 2 != 0 ? j : i)];
  }

  /// y = K x in owned cells. @param x vector with current ghosts @collective local
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

/// @throws errors of check_flow_temperature; usage_error for openings with inflow of undefined temperature
/// @collective on problem.where.comm
transport_cells make_transport_cells(const temperature_problem& problem, log_sink& log);
/// Replace the velocities. The weights of the faces do not change.
void take_velocities(const temperature_problem& problem, transport_cells& cells, log_sink& log);

/// Shift x in each part with an undetermined level. After the shift, the mean of the part is the mean of the lowest and the
/// highest given temperature. @collective
std::vector<double> levelled(const transport_cells& cells, std::vector<double> x);

/// Results of a solution, without its certificate. @param x temperature relative to the reference, with current ghosts
/// @collective
void account_for_heat(const temperature_problem& problem, const transport_cells& cells, const std::vector<double>& x,
                      temperature_solution& all);

/// Set the weights of the faces from a temperature. @param x temperature with current ghosts; used only by `limited`
/// @param taken weight of the new values; the old values have the weight 1 - taken @collective on the communicator
void set_weights(transport_cells& cells, heat_convection solver_options, const double* x, double taken = 1);

/// If the temperature of a cell exceeds the bounds, set the non-oscillating weights of the cell's outflow faces. The limiter
/// then no longer changes these weights. With the non-oscillating weights, the temperature of a cell is a mean of the
/// neighbouring temperatures. The temperature can therefore not be an extreme value. @param x vector with current ghosts
/// @return largest excess of x over the bounds on all ranks @collective
double pin_faces_beyond_bounds(transport_cells& cells, const double* x);

/// Number of faces with flow between cells, and number of these faces with non-central interpolation, on all ranks.
/// @collective
std::array<std::int64_t, 2> count_limited(const transport_cells& cells);

}  // namespace osteon::physics
