#pragma once
/// @file
/// Parts of the solid with unknown temperatures, and the driving terms of their heat flow.
#include <osteon/numerics/operators/heat_cells.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <osteon/physics/heat/solver/heat_solver.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>

namespace osteon::physics {

/// State of the temperature of a part of the solid before the solution.
enum class part_state : std::uint8_t {
  constant,  ///< known and uniform
  held,      ///< unknown; boundary conditions determine the level
  floating   ///< unknown; the level is undetermined
};

struct heated_parts {
  ghosted_cells cells;                    ///< the unknown cells
  std::vector<material_number> material;  ///< halo of the owned unknown cells
  std::vector<std::uint8_t> kind;         ///< per run of problem.cells: index of the two following tables
  std::array<part_state, 128> state{};    ///< by kind
  std::array<double, 128> constant_K{};   ///< by kind; used only for constant parts
  std::array<face_match, 3> periodic_faces;
  double reference_K = 0;  ///< lowest prescribed temperature
  double middle_K = 0;     ///< mean of the lowest and the highest prescribed temperature
  /// Cells of parts with balanced heat input and undetermined level. The mean temperature of each such part is middle_K.
  std::int64_t free_cells = 0;
  double free_imbalance = 0;   ///< largest ratio of net heat to heat input of these parts
  std::vector<double> sink_W;  ///< per owned unknown cell: net heat of the cell's part, per cell; empty: zero
  /// Reason for zero heat flow if no temperature is unknown; empty: there are unknown temperatures.
  std::string reason_at_rest;
};

/// @param faces_must_meet reject periodic axes with solid faces that have no common position
/// @throws data_error if a part without heat sink has a net heat input, or if a periodic axis connects no cells
/// @collective on problem.where.comm
heated_parts find_heated_parts(const heat_problem& problem, bool faces_must_meet = true);

/// Reject periodic axes with solid faces that have no common position. @throws data_error @collective local, same on all
/// ranks
void check_periodic_faces(const std::array<face_match, 3>& faces);

/// Expand the values of the unknown cells to all active cells. Constant parts have the values `constant_K`. The values of
/// floating parts are shifted to the mean `floating_mean`. @param unknown owned cells first @collective on
/// problem.where.comm
template <class T>
std::vector<T> spread(const heat_problem& problem, const heated_parts& part, std::vector<T> unknown, double floating_mean);

/// The unknown cells of this rank, without ghosts, in the order of the unknowns. @collective local
voxel::run_set unknown_cells(const heat_problem& problem, const heated_parts& part);

/// Return the load for temperatures relative to `reference_K`. The given gradient replaces the gradient of the problem.
/// @param problem, cells must outlive the result
heat_load load_of(const heat_problem& problem, const heat_cells& cells, double reference_K,
                  const vector3& gradient_K_per_mm);

/// Heat flow into a cell through an outer face [W]. @param x over the cells' numbering
double inflow(const heat_cells& cells, const outer_face& f, const face_drive& drive, const std::vector<double>& x);

/// Heat flow into all cells through the outer faces [W].
struct outer_inflow {
  face_flows by_side;    ///< net inflow
  double magnitude = 0;  ///< sum of the magnitudes over all cell faces
};

/// @param x over the cells' numbering, ghosts current @collective on cells.where.comm
outer_inflow inflows(const heat_cells& cells, const heat_load& load, const std::vector<double>& x);

/// Heat imbalance relative to half the sum of all magnitudes. @param gained heat of sources minus stored heat
double heat_imbalance(const outer_inflow& inflow, double gained);

/// Heat generated in all cells [W]. @collective on cells.where.comm
double generated_heat_W(const heat_problem& problem);

}  // namespace osteon::physics
