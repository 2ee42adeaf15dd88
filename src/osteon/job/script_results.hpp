#pragma once
/// @file
/// The text results that a VOX-FE script asks for.
#include <osteon/job/elastic_output.hpp>

namespace osteon::job {

/// Write the files that the script names into a directory; folders in their names are left out.
/// @param reaction_N as elasticity_solution has it
/// @return the files, by what they hold
/// @throws machine_error @collective on part.where.comm
nlohmann::ordered_json write_script_results(const spec& job, const specimen& part, const elastic_state& state,
                                            const std::vector<double>& reaction_N, const std::string& directory, sink& log);

}  // namespace osteon::job
