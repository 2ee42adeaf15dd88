#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace osteon::studies {

/// A row of a benchmark's answer: name, value and unit; the caller adds a peer to compare with, if there is one.
inline nlohmann::ordered_json bench_row(const std::string& name, double value, const std::string& unit) {
  return {{"name", name},     {"value", value},  {"unit", unit},  {"peer", nullptr},
          {"ratio", nullptr}, {"must", nullptr}, {"aim", nullptr}};
}

}  // namespace osteon::studies
