#pragma once
/// @file
/// The field of the picture.
#include <mpi.h>

#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// Show a field, with a colour range from 0 to its 99th percentile (to its maximum if most values are equal).
/// @return statistics of the field @collective on comm
numerics::field_statistics show_scalar(physics_result& result, MPI_Comm comm, cell_values values, const std::string& name,
                                       const std::string& title, const std::string& units);

}  // namespace osteon::physics
