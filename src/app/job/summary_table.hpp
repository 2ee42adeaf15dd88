#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace osteon::app {

/// The answers of a job as a table for a terminal, from summary.json.
/// @param report path of the report, or empty
std::string summary_table(const nlohmann::ordered_json& summary, const std::string& report);

}  // namespace osteon::app
