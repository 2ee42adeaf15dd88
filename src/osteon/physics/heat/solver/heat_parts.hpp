#pragma once
/// @file
/// Parts of the solid with unknown temperatures, and the causes of their heat flow.
#include <osteon/numerics/operators/heat_cells.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <osteon/physics/heat/solver/heat_solver.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>

namespace osteon::physics {

/// State of the temperature of a part of the solid before the solution.
enum class part_state : std::uint8_t {
  constant,  ///< the temperature is known and uniform
  held,      ///< the temperature is unknown; boundary conditions determine its level
  floating   ///< the temperature is unknown; its level is undetermined
};

struct heated_parts {
  ghosted_cells cells;                    ///< cells with unknown temperatures
  std::vector<material_number> material;  ///< material of the owned unknown cells and of their halo
  std::vector<std::uint8_t> kind;         ///< for each run of problem.cells: index into the two following tables
  std::array<part_state, 128> state{};    ///< state of each kind
  std::array<double, 128> constant_K{};   ///< temperature of each kind; used only for constant parts
  std::array<face_match, 3> periodic_faces;
  double reference_K = 0;  ///< lowest prescribed temperature
  double middle_K = 0;     ///< mean of the lowest and the highest prescribed temperature
  /// Number of cells in parts with balanced heat input and an undetermined level. In each such part, the mean temperature is
  /// middle_K.
  std::int64_t free_cells = 0;
  double free_imbalance = 0;  ///< largest ratio of net heat to heat input over these parts
  /// for each owned unknown cell: net heat of the cell's part, divided by the number of cells of the part; empty: zero
  std::vector<double> sink_W;
  /// Reason for zero heat flow if no temperatures are unknown. If temperatures are unknown, the text is empty.
  std::string reason_at_rest;
};

/// @param faces_must_meet true: a periodic axis causes an error if its solid faces have no common position
/// @throws data_error if a part without a heat sink has a net heat input, or if a periodic axis connects no cells
/// @collective on problem.where.comm
heated_parts find_heated_parts(const heat_problem& problem, bool faces_must_meet = true);

/// Throw an error for a periodic axis with solid faces that have no common position. @throws data_error @collective local;
/// all ranks throw the same error
void check_periodic_faces(const std::array<face_match, 3>& faces);

/// Extend the values of the unknown cells to all active cells. Constant parts have the values `constant_K`. The values of
/// floating parts are shifted to the mean `floating_mean`. @param unknown values, owned cells first @collective on
/// problem.where.comm
template <class T>
std::vector<T> spread(const heat_problem& problem, const heated_parts& part, std::vector<T> unknown, double floating_mean);

/// The unknown cells of this rank without ghosts, in the order of the unknowns. @collective local
voxel::run_set unknown_cells(const heat_problem& problem, const heated_parts& part);

/// Return the load for temperatures relative to `reference_K`. The argument replaces the gradient of the problem.
/// @param problem, cells must outlive the result
heat_load load_of(const heat_problem& problem, const heat_cells& cells, double reference_K,
                  const vector3& gradient_K_per_mm);

/// Heat flow into a cell through an outer face [W]. @param x vector in the numbering of the cells
double inflow(const heat_cells& cells, const outer_face& f, const face_drive& drive, const std::vector<double>& x);

/// Heat flow into all cells through the outer faces [W].
struct outer_inflow {
  face_flows by_side;    ///< net inflow
  double magnitude = 0;  ///< sum of the magnitudes over all faces of cells
};

/// @param x vector in the numbering of the cells with current ghosts @collective on cells.where.comm
outer_inflow inflows(const heat_cells& cells, const heat_load& load, const std::vector<double>& x);

/// Imbalance of the heat, relative to half of the sum of all magnitudes. @param gained heat of sources minus stored heat
double heat_imbalance(const outer_inflow& inflow, double gained);

/// Heat that is generated in all cells [W]. @collective on cells.where.comm
double generated_heat_W(const heat_problem& problem);

}  // namespace osteon::physics
