#pragma once
/// @file
/// Flow problems as plain values: flow through a sample between its outer faces, and flow between openings. The problems
/// are input of the cells, the operators and the solvers. The interfaces of the solvers, permeability.hpp and
/// flow_through.hpp, define the units.
#include <array>
#include <limits>
#include <optional>
#include <osteon/base/material_number.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/run_set.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::physics {

/// Condition beyond the outer faces of the box. All solid voxels are no-slip walls.
enum class flow_surroundings {
  periodic,  ///< the image is periodic in all directions, driven by a uniform pressure gradient
  mirrored,  ///< the image is mirrored at each face: given pressures at the two faces of the direction, slip walls at the
             ///< sides
  closed     ///< given pressures at the two faces of the direction, no-slip walls at the sides
};

struct flow_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned
  flow_surroundings surroundings = flow_surroundings::periodic;
  std::vector<axis> directions{axis::z};  ///< one to three different directions of the flow
  double viscosity_Pa_s = 1e-3;
  double density_kg_per_m3 = 1000;  ///< used only for the Reynolds number
  /// Pressure drop over the length of the box; fields and the Reynolds number refer to this drop.
  double pressure_drop_Pa = 1;
};

/// Return the voxels with any of the labels, as runs of the block.
/// @param active voxels whose label is not 0 @param label per active voxel
/// @param fluid labels that flow; 0 represents all inactive voxels
/// @collective local
voxel::run_set fluid_cells(const voxel::run_set& active, std::span<const material_number> label,
                           std::span<const material_number> fluid);

/// Counts over all ranks.
struct flow_counts {
  std::int64_t voxels = 0;   ///< number of voxels in the box
  std::int64_t fluid = 0;    ///< voxels that are fluid
  std::int64_t flowing = 0;  ///< fluid voxels in parts that percolate in one of the directions
  std::int64_t parts = 0;    ///< face-connected parts of the fluid
  std::int64_t flowing_parts = 0;
  std::int64_t thin = 0;          ///< flowing voxels on a fluid chord of less than 4 voxels along at least one axis
  std::int64_t wetted_faces = 0;  ///< faces between flowing fluid and solid
  double porosity() const { return static_cast<double>(fluid) / static_cast<double>(voxels); }
  double thin_share() const { return flowing == 0 ? 0 : static_cast<double>(thin) / static_cast<double>(flowing); }
};

/// Boundary condition on a part of an outer face of the image.
enum class face_flow {
  wall,       ///< no slip; the wall may slide with a tangential velocity
  slip,       ///< no normal flow and no friction, as on a symmetry plane
  velocity,   ///< given mean velocity into the image
  flow_rate,  ///< given flow rate into the image through the whole opening
  pressure,   ///< given pressure; the flow is normal to the face
  outlet      ///< given pressure and zero viscous traction (do-nothing condition)
};

/// A function of time: linear between given times, constant before the first time and after the last time.
struct time_table {
  std::vector<std::array<double, 2>> points;  ///< time [s], ascending, and value; empty: 1 at any time
  double period_s = 0;                        ///< period; 0: not periodic

  bool varies() const { return !points.empty(); }
  double at(double time_s) const;
  /// Largest magnitude at any time.
  double most() const;
};

/// A boundary condition. The tangential velocity on openings with a given velocity is zero.
struct flow_boundary {
  axis across = axis::z;
  bool high = false;  ///< on the high face of the axis
  /// If set, the condition applies to the surface of solid voxels inside the image instead of a face. The solid voxels
  /// have the label of the condition, numbered as in labelled_solid (0: any label), and centres in the box and the ball.
  /// Flow through such an opening is normal to the voxel faces. A wall slides along the voxel faces.
  bool is_inside = false;
  material_number label = 0;
  std::int8_t only_side = -1;  ///< inside: orientation of the faces with the condition, 2 axis + (1 on the high side)
  face_flow kind = face_flow::wall;
  double value = 0;  ///< mean velocity [mm/s] or flow rate [mm3/s] into the image; pressure [Pa]
  /// Velocity or flow rate: profile of developed flow in a straight channel with the shape of the opening.
  bool is_developed = false;
  bool is_parabolic = false;  ///< velocity or flow rate: product of two parabolas over the rectangle around the opening
  vector3 slide_mm_per_s;     ///< velocity of a wall, without a component across a face of the image
  /// The condition applies only to voxels with centres in this box and this ball. Positions are in mm from the low corner
  /// of the image. A condition on a part of a face overrides a condition on the whole face.
  vector3 low_mm{-unlimited, -unlimited, -unlimited}, high_mm{unlimited, unlimited, unlimited}, centre_mm;
  double radius_mm = unlimited;
  std::string name;  ///< for messages: the key of the job
  /// Factors of value and slide_mm_per_s in transient flow. Without points, the condition is constant.
  time_table factor;

  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  bool is_everywhere() const {
    bool all = radius_mm == unlimited && only_side < 0;
    for (int a = 0; a < 3; ++a) all = all && low_mm[a] == -unlimited && high_mm[a] == unlimited;
    return all;
  }
  /// Returns true if the centre of a voxel is in the box and the ball. @param across_axis axis normal to the disc that
  /// replaces the ball; -1: a ball
  bool holds(index3 voxel, vector3 spacing_mm, int across_axis) const {
    double square = 0;
    bool is_in = true;
    for (int a = 0; a < 3; ++a) {
      const double centre = (static_cast<double>(voxel[a]) + 0.5) * spacing_mm[a];
      is_in = is_in && centre >= low_mm[a] && centre <= high_mm[a];
      if (a != across_axis) square += (centre - centre_mm[a]) * (centre - centre_mm[a]);
    }
    return is_in && (radius_mm == unlimited || square <= radius_mm * radius_mm);
  }
  /// Side of the image with this condition.
  std::uint8_t side() const { return static_cast<std::uint8_t>(2 * static_cast<int>(across) + (high ? 1 : 0)); }
  /// Returns true if the normal velocity is prescribed and may be nonzero.
  bool gives_velocity() const { return kind == face_flow::velocity || kind == face_flow::flow_rate; }
  bool gives_pressure() const { return kind == face_flow::pressure || kind == face_flow::outlet; }
  bool passes() const { return gives_velocity() || gives_pressure(); }
};

/// Solid voxels distinguished by labels.
struct labelled_solid {
  voxel::run_set cells;                 ///< solid voxels of where.owned
  std::vector<material_number> number;  ///< label number of each voxel, from 1
  std::vector<std::string> names{};     ///< names of the labels 1, 2, ... with a requested force; other labels have no name
};

struct through_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned
  labelled_solid labelled{};
  std::array<bool, 3> periodic{};          ///< periodic axes of the image
  std::array<double, 3> period_drop_Pa{};  ///< pressure drop over each period from the low face to the high face
  /// Flow rate towards the high face of one periodic axis, instead of a pressure drop. The solver computes the drop.
  std::array<std::optional<double>, 3> period_rate_mm3_per_s{};
  std::array<time_table, 3> period_factor{};  ///< transient flow: factors of the drops and rates over the periods
  std::vector<flow_boundary> boundaries;
  /// Factors of all given velocities, flow rates, pressures and drops; one flow per factor.
  std::vector<double> multiples{1};
  double viscosity_Pa_s = 1e-3;
  double density_kg_per_m3 = 1000;
  bool has_inertia = false;  ///< Navier-Stokes
  bool is_central = false;   ///< convection without upwinding: less diffusive, may oscillate
  bool is_limited = false;  ///< convection with van Leer's limiter, second order for smooth velocities; requires !is_central
  bool is_buoyant = false;  ///< buoyancy also drives the flow; all fluid moves, except single voxels

  /// Return true if labelled voxels have an effect. The result is equal on all ranks.
  bool has_labels() const {
    bool any = !labelled.names.empty();
    for (const flow_boundary& b : boundaries) any = any || b.is_inside;
    return any;
  }
};

}  // namespace osteon::physics
