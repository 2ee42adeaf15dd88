#pragma once
/// @file
/// Parts of the solid with unknown temperatures, and their driving terms.
#include <osteon/numerics/operators/heat_cells.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <osteon/physics/heat/solver/heat_solver.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>

namespace osteon::physics {

/// Knowledge of the temperature of a part of the solid before solving.
enum class part_state : std::uint8_t {
  constant,  ///< one temperature
  held,      ///< unknown, with a level fixed by the surroundings
  floating   ///< unknown up to a constant
};

struct heated_parts {
  ghosted_cells cells;                    ///< the unknown cells
  std::vector<material_number> material;  ///< halo of the owned unknown cells
  std::vector<std::uint8_t> kind;         ///< per run of problem.cells, index of the two tables
  std::array<part_state, 128> state{};    ///< by kind
  std::array<double, 128> constant_K{};   ///< by kind; of constant parts only
  std::array<face_match, 3> periodic_faces;
  double reference_K = 0;  ///< lowest prescribed temperature
  double middle_K = 0;     ///< mean of the lowest and the highest prescribed temperature
  /// Cells of parts without a condition and with balanced heat input: the mean of each such part is middle_K.
  std::int64_t free_cells = 0;
  double free_rest = 0;        ///< largest net heat of these parts divided by the heat input to them
  std::vector<double> rest_W;  ///< per owned unknown cell: its share of that net heat; empty: none
  std::string still;           ///< reason for the absence of flow and of unknown temperatures; empty: there are unknowns
};

/// @param faces_must_meet reject periodic axes whose faces are both solid but do not meet
/// @throws data_error if the given heat of a part does not balance and it cannot lose heat, or a periodic axis connects no
/// cells
/// @collective on problem.where.comm
heated_parts find_heated_parts(const heat_problem& problem, bool faces_must_meet = true);

/// Reject periodic axes whose faces are both solid but do not meet. @throws data_error @collective local, the same on all
void check_periodic_faces(const std::array<face_match, 3>& faces);

/// Values per active cell from those of the unknown cells: `constant_K`, or unknown[i], shifted in each floating part to the
/// mean `floating_mean`. @param unknown owned cells first @collective on problem.where.comm
template <class T>
std::vector<T> spread(const heat_problem& problem, const heated_parts& part, std::vector<T> unknown, double floating_mean);

/// The unknown cells of this rank, without ghosts, in the order of the unknowns. @collective local
voxel::run_set unknown_cells(const heat_problem& problem, const heated_parts& part);

/// The load of the problem on temperatures above `reference_K`, for a gradient other than the problem's own.
/// @param problem, cells kept by reference
heat_load load_of(const heat_problem& problem, const heat_cells& cells, double reference_K,
                  const vector3& gradient_K_per_mm);

/// Heat flow into a cell through an outer face [W]. @param x over the cells' numbering
double inflow(const heat_cells& cells, const outer_face& f, const face_drive& drive, const std::vector<double>& x);

/// Heat flow into all cells through the outer faces [W].
struct outer_inflow {
  face_flows by_side;    ///< inflow less outflow
  double magnitude = 0;  ///< sum of the magnitudes over all faces of cells
};

/// @param x over the cells' numbering, ghosts current @collective on cells.where.comm
outer_inflow inflows(const heat_cells& cells, const heat_load& load, const std::vector<double>& x);

/// Imbalance of heat, divided by half of the sum of all magnitudes. @param gained heat from sources, less the stored heat
double heat_imbalance(const outer_inflow& inflow, double gained);

/// Heat generated in all cells [W]. @collective on cells.where.comm
double heat_made(const heat_problem& problem);

}  // namespace osteon::physics
