#pragma once
/// @file
/// Flow problems as plain values. The problems are flow through a sample between its outer faces, and flow between openings.
/// The problems are the input of the cells, the operators and the solvers. permeability.hpp and flow_through.hpp, the
/// interfaces of the solvers, define the units.
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

/// Condition outside of the outer faces of the box. All solid voxels are no-slip walls.
enum class flow_surroundings {
  periodic,  ///< the image is periodic along all axes; a uniform pressure gradient drives the flow
  /// the image is mirrored at each face; pressures are given at the two faces of the direction, and the sides are slip walls
  mirrored,
  closed  ///< pressures are given at the two faces of the direction, and the sides are no-slip walls
};

struct flow_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned
  flow_surroundings surroundings = flow_surroundings::periodic;
  std::vector<axis> directions{axis::z};  ///< one to three different directions of flow
  double viscosity_Pa_s = 1e-3;
  double density_kg_per_m3 = 1000;  ///< used only for the Reynolds number
  /// Pressure drop over the length of the box. The fields and the Reynolds number are those for this pressure drop.
  double pressure_drop_Pa = 1;
};

/// Return the voxels with one of the labels, as runs of the block.
/// @param active voxels with a label other than 0 @param label label of each active voxel
/// @param fluid labels of the fluid; 0 represents all inactive voxels
/// @collective local
voxel::run_set fluid_cells(const voxel::run_set& active, std::span<const material_number> label,
                           std::span<const material_number> fluid);

/// Counts of the voxels and faces on all ranks.
struct flow_counts {
  std::int64_t voxels = 0;   ///< number of voxels in the box
  std::int64_t fluid = 0;    ///< number of fluid voxels
  std::int64_t flowing = 0;  ///< number of fluid voxels in parts that percolate in one of the directions
  std::int64_t parts = 0;    ///< number of face-connected parts of the fluid
  std::int64_t flowing_parts = 0;
  /// number of flowing voxels that are on a fluid chord with a length of less than 4 voxels along at least one axis
  std::int64_t thin = 0;
  std::int64_t wetted_faces = 0;  ///< number of faces between flowing fluid and solid
  double porosity() const { return static_cast<double>(fluid) / static_cast<double>(voxels); }
  double thin_share() const { return flowing == 0 ? 0 : static_cast<double>(thin) / static_cast<double>(flowing); }
};

/// Boundary condition on a part of an outer face of the image.
enum class face_flow {
  wall,       ///< no slip; a wall may slide with a tangential velocity
  slip,       ///< no normal flow and no friction, as on a plane of symmetry
  velocity,   ///< given mean velocity into the image
  flow_rate,  ///< given flow rate into the image through the complete opening
  pressure,   ///< given pressure; the flow is normal to the face
  outlet      ///< given pressure and zero viscous traction (do-nothing condition)
};

/// A function of time. Between given times, the function is linear. Before the first time and after the last time, the
/// function is constant.
struct time_table {
  std::vector<std::array<double, 2>> points;  ///< time [s] and value, in ascending order of time; empty: 1 at all times
  double period_s = 0;                        ///< period in s; 0: not periodic

  bool varies() const { return !points.empty(); }
  double at(double time_s) const;
  /// Largest magnitude over all times.
  double most() const;
};

/// A boundary condition. On openings with a given velocity, the tangential velocity is zero.
struct flow_boundary {
  axis across = axis::z;
  bool high = false;  ///< true: the condition applies to the high face of the axis
  /// True: the condition applies to the surface of solid voxels inside the image, instead of a face. These solid voxels have
  /// the label of the condition, and their centres are in the box and the ball. Labels are numbered as in labelled_solid; 0
  /// means any label. The flow through such an opening is normal to the faces of the voxels. A wall slides along the faces
  /// of the voxels.
  bool is_inside = false;
  material_number label = 0;
  std::int8_t only_side = -1;  ///< if is_inside: orientation of the faces with the condition, 2 axis + (1 on the high side)
  face_flow kind = face_flow::wall;
  double value = 0;  ///< mean velocity [mm/s] or flow rate [mm3/s] into the image; pressure [Pa]
  /// For a velocity or flow rate: the profile is that of developed flow in a straight channel with the cross-section of the
  /// opening.
  bool is_developed = false;
  /// for a velocity or flow rate: the profile is a product of two parabolas over the rectangle around the opening
  bool is_parabolic = false;
  vector3 slide_mm_per_s;  ///< velocity of a wall; on a face of the image, the component normal to the face is zero
  /// The condition applies only to voxels that have their centres in this box and in this ball. Positions are in mm,
  /// measured from the low corner of the image. A condition on a part of a face has priority over a condition on the whole
  /// face.
  vector3 low_mm{-unlimited, -unlimited, -unlimited}, high_mm{unlimited, unlimited, unlimited}, centre_mm;
  double radius_mm = unlimited;
  std::string name;  ///< key of the job for messages
  /// Factor of `value` and slide_mm_per_s in transient flow. Without points, the condition is constant.
  time_table factor;

  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  bool is_everywhere() const {
    bool all = radius_mm == unlimited && only_side < 0;
    for (int a = 0; a < 3; ++a) all = all && low_mm[a] == -unlimited && high_mm[a] == unlimited;
    return all;
  }
  /// Return true if the centre of a voxel is in the box and in the ball. @param across_axis axis normal to the disc that
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
  /// Return true if the normal velocity is prescribed and may differ from zero.
  bool gives_velocity() const { return kind == face_flow::velocity || kind == face_flow::flow_rate; }
  bool gives_pressure() const { return kind == face_flow::pressure || kind == face_flow::outlet; }
  bool passes() const { return gives_velocity() || gives_pressure(); }
};

/// Solid voxels with labels.
struct labelled_solid {
  voxel::run_set cells;                 ///< solid voxels of where.owned
  std::vector<material_number> number;  ///< number of the label of each voxel, from 1
  /// names of the labels 1, 2, ... for which the force is requested; other labels have no names
  std::vector<std::string> names{};
};

struct through_problem {
  grid::block where;
  vector3 spacing_mm;
  voxel::run_set cells;  ///< fluid voxels of where.owned
  labelled_solid labelled{};
  std::array<bool, 3> periodic{};          ///< true for periodic axes of the image
  std::array<double, 3> period_drop_Pa{};  ///< pressure drop over each period, from the low face to the high face
  /// Flow rate towards the high face of one periodic axis. The flow rate replaces a pressure drop. The solver computes the
  /// corresponding pressure drop.
  std::array<std::optional<double>, 3> period_rate_mm3_per_s{};
  /// for transient flow: factors of the pressure drops and flow rates over the periods
  std::array<time_table, 3> period_factor{};
  std::vector<flow_boundary> boundaries;
  /// Factors of all given velocities, flow rates, pressures and pressure drops. The solver computes one flow per factor.
  std::vector<double> multiples{1};
  double viscosity_Pa_s = 1e-3;
  double density_kg_per_m3 = 1000;
  bool has_inertia = false;  ///< true: Navier-Stokes flow
  bool is_central = false;   ///< true: convection without upwinding, which is less diffusive but may oscillate
  /// true: convection with van Leer's limiter, of second order for smooth velocities; requires !is_central
  bool is_limited = false;
  bool is_buoyant = false;  ///< true: buoyancy also drives the flow, and all fluid except single voxels can move

  /// Return true if labelled voxels affect the flow. The result is equal on all ranks.
  bool has_labels() const {
    bool any = !labelled.names.empty();
    for (const flow_boundary& b : boundaries) any = any || b.is_inside;
    return any;
  }
};

}  // namespace osteon::physics
