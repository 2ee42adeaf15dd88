#pragma once
/// @file
/// The area by which a force becomes an apparent stress.
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>
#include <string>

namespace osteon::physics {

/// An area and how it is defined.
struct apparent_area {
  double area_mm2 = 0;
  std::string definition;  ///< a phrase without a verb
};

/// The first and the last voxel of a row of a plane; last < first: the row is empty.
struct row_ends {
  std::int64_t first = 0, last = -1;
};

/// The voxels of a plane with centres in the convex hull of the centres of some voxels: exactly these for a voxelised convex
/// shape. @param rows of the plane, one after another, with their outermost voxels @collective local
std::int64_t voxels_in_outline(std::span<const row_ends> rows);

/// Area across `across` of the definition that the load chooses.
/// @param encloses the test itself holds the sides of the box, so that a load without a choice takes the box
/// @param box_mm edges of the box whose faces are loaded @collective on part.where.comm
apparent_area area_of(const load_spec& load, const local_model& part, axis across, bool encloses, const vector3& box_mm);

}  // namespace osteon::physics
