#pragma once
/// @file
/// The history of a transient job, as a table for other programs.
#include <nlohmann/json.hpp>
#include <string>

namespace osteon::job {

/// The table as text. The table has a column for each key, and a row for each record. The name of a key ends with the unit
/// of its values. Each member of an object or vector has a column, for example `opening_inflow_mm3_per_s.z_low` or
/// `force_on_solid_N.y`. Components are in the order z, y, x.
/// @param history lists of equal length for each key
std::string history_table(const nlohmann::ordered_json& history);

}  // namespace osteon::job
