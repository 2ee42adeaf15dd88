#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace osteon::studies {

/// A row in the result of a benchmark. The row has a name, a value and a unit. If there is a value for comparison, the
/// caller adds this value.
inline nlohmann::ordered_json bench_row(const std::string& name, double value, const std::string& unit) {
  return {{"name", name},     {"value", value},  {"unit", unit},  {"peer", nullptr},
          {"ratio", nullptr}, {"must", nullptr}, {"aim", nullptr}};
}

}  // namespace osteon::studies
