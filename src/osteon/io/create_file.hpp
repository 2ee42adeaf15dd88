#pragma once
/// @file
/// A netCDF file under definition, by the team that writes it (internal to io).
#include <osteon/io/access.hpp>
#include <osteon/io/netcdf.hpp>
#include <span>
#include <string>

namespace osteon::io {

/// Create the file, over one that is there: plainly if the team writes serially, else with MPI-IO.
/// @param id receives its number @return status of netCDF @collective on team.comm
int create_file(const std::string& name, const file_team& team, const access& how, int& id);

/// End the definitions and make access to the variables collective. @return status of netCDF @collective on team.comm
int end_definitions(int id, const file_team& team, std::span<const plane_variable> variables);

}  // namespace osteon::io
