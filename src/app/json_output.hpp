#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/compute.hpp>
#include <osteon/job/manifest.hpp>
#include <string>

namespace osteon::app {

/// Write an answer to where --json points: a file, `-` for standard output, or nowhere if empty.
inline void write_json(const std::string& target, const nlohmann::ordered_json& answer) {
  if (target == "-") {
    fmt::print("{}", job::to_text(answer));
    if (std::fflush(stdout) != 0) throw machine_error("cannot write the answer to standard output");
  } else if (!target.empty()) {
    job::write_file(target, job::to_text(answer));
  }
}

}  // namespace osteon::app
