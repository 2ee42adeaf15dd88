#pragma once
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <osteon/job/manifest.hpp>
#include <string>

namespace osteon::app {

/// Write an answer to where --json points: a file, `-` for standard output, or nowhere if empty.
inline void write_json(const std::string& target, const nlohmann::ordered_json& answer) {
  if (target == "-")
    fmt::print("{}\n", answer.dump(2));
  else if (!target.empty())
    job::write_file(target, answer.dump(2) + "\n");
}

}  // namespace osteon::app
