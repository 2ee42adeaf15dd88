#pragma once
/// @file
/// The text results that a VOX-FE script asks for.
#include <memory>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// A script, and how its files are read and written.
struct script_reading {
  std::shared_ptr<const io::voxfe::script> text;
  io::voxfe::reading_options how;
  io::voxfe::text_access access = io::voxfe::text_access::parallel;
};

/// What a specimen of a script keeps in `of_source`: text results number all elements, also those that were dropped.
struct script_elements {
  std::vector<material_number> material;  ///< before anything was dropped, shape of where.owned
  int base = 1;                           ///< that indices are counted from
};

/// Write the files that the script names into a directory; folders in their names are left out.
/// @param reaction_N as elasticity_solution has it
/// @return the files, by what they hold
/// @throws machine_error @collective on part.where.comm
nlohmann::ordered_json write_script_results(const script_reading& script, const local_model& part,
                                            const derived_fields& state, const std::vector<double>& reaction_N,
                                            const std::string& directory, log_sink& log);

}  // namespace osteon::physics
