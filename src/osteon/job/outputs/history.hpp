#pragma once
/// @file
/// The history of a transient job as a table for other programs.
#include <nlohmann/json.hpp>
#include <string>

namespace osteon::job {

/// The table as text: a column for each key, whose name ends with the unit, and a row for each record. Each member of an
/// object or vector is a column, `opening_inflow_mm3_per_s.z_low`, `force_on_solid_N.y`; components are z, y, x.
/// @param history lists of equal length by key
std::string history_table(const nlohmann::ordered_json& history);

}  // namespace osteon::job
