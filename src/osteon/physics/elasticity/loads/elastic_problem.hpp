#pragma once
/// @file
/// The elasticity problem of a specimen, and its unsupported parts.
#include <memory>
#include <osteon/physics/elasticity/loads/load_cases.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <string_view>

namespace osteon::physics {

/// The elasticity problem of a specimen, without its prescribed displacements. Borrows the table of materials.
/// @collective on part.where.comm
std::shared_ptr<numerics::elasticity_problem> make_problem(const local_model& part);

/// Reject parts that are not held by prescribed displacements.
/// @param remedy action for the user, the end of the sentence
/// @throws data_error with number, size and position of the parts @collective
void require_supported(const numerics::elasticity_problem& problem, const vector3& origin_mm,
                       std::string_view remedy =
                           "hold them by a [[support]], keep less (segment.keep = \"largest\"), or let "
                           "them be dropped (segment.drop_unsupported = true)");

/// Remove the parts that are not held in every load case, if the job requests it.
/// @return number of removed voxels, all ranks @collective on part.where.comm
std::int64_t drop_unsupported(const spec& job, local_model& part, log_sink& log);

/// Largest Poisson's ratio at which the eight-node hexahedron does not lock.
inline constexpr double largest_poisson_ratio = 0.49;

/// Return true if the element locks. Compared in single precision, in which images of ratios are stored: their 0.49 is
/// 0.49000001 in double.
inline bool locks_at(double poisson_ratio) {
  return static_cast<float>(poisson_ratio) > static_cast<float>(largest_poisson_ratio);
}

/// Fault of results with a Poisson's ratio above that limit: a sentence.
std::string locking_at(double poisson_ratio);

/// The largest Poisson's ratio of the voxels, all ranks. @collective on part.where.comm
double highest_poisson_ratio(const local_model& part);

/// Warn if the hexahedron locks at a Poisson's ratio of [poisson_image]; `doubts` warns of ratios given by keys of the job.
/// @collective on part.where.comm
void warn_of_locking(const spec& job, const local_model& part, log_sink& log);

}  // namespace osteon::physics
