#pragma once
/// @file
/// The history of a job in time as a table that other programs read.
#include <nlohmann/json.hpp>
#include <string>

namespace osteon::job {

/// The table as text: a column for each key, whose name has the unit at its end, a row for each record. Of objects and
/// vectors each member is a column, `opening_inflow_mm3_per_s.z_low`, `force_on_solid_N.y`; components are z, y, x.
/// @param history lists of equal length by key
std::string history_table(const nlohmann::ordered_json& history);

}  // namespace osteon::job
