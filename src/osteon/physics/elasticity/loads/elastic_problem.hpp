#pragma once
/// @file
/// Creation of the elasticity problem of a specimen, and removal of unsupported parts.
#include <memory>
#include <osteon/physics/elasticity/loads/load_cases.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <string_view>

namespace osteon::physics {

/// The elasticity problem of a specimen, without its prescribed displacements. Borrows the table of materials.
/// @collective on part.where.comm
std::shared_ptr<numerics::elasticity_problem> make_problem(const local_model& part);

/// Reject parts without sufficient prescribed displacements.
/// @param remedy action for the user, end of the message
/// @throws data_error with number, size and position of the parts @collective
void require_supported(const numerics::elasticity_problem& problem, const vector3& origin_mm,
                       std::string_view remedy =
                           "add a [[support]], keep the largest part only (segment.keep = \"largest\"), or remove "
                           "unsupported parts (segment.drop_unsupported = true)");

/// If segment.drop_unsupported is set, remove the parts that are loose in at least one load case.
/// @return number of removed voxels, all ranks @collective on part.where.comm
std::int64_t drop_unsupported(const spec& job, local_model& part, log_sink& log);

/// Largest Poisson's ratio at which the eight-node hexahedron does not lock.
inline constexpr double largest_poisson_ratio = 0.49;

/// Return true if the element locks. The comparison is in single precision, the precision of images of ratios: the value
/// 0.49 of an image becomes 0.49000001 in double precision.
inline bool locks_at(double poisson_ratio) {
  return static_cast<float>(poisson_ratio) > static_cast<float>(largest_poisson_ratio);
}

/// Return a warning for a Poisson's ratio above largest_poisson_ratio. The warning is one sentence.
std::string locking_at(double poisson_ratio);

/// Return the largest Poisson's ratio of the voxels of all ranks. @collective on part.where.comm
double highest_poisson_ratio(const local_model& part);

/// Warn if the element locks at a Poisson's ratio of [poisson_image]. The function warn_of_loads() checks Poisson's ratios
/// given by keys.
/// @collective on part.where.comm
void warn_of_locking(const spec& job, const local_model& part, log_sink& log);

}  // namespace osteon::physics
