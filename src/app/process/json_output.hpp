#pragma once
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/system_info.hpp>
#include <string>
#include <string_view>

namespace osteon::app {

/// Reserve standard output for the JSON text of `--json -`. All other output of this process, its libraries and its children
/// is redirected to standard error.
void keep_stdout();
/// Descriptor of the reserved standard output, or of the ordinary standard output.
int answer_descriptor();
/// @throws machine_error
void write_to_reserved_stdout(std::string_view text);

/// Write an answer to the target of --json: a file, or standard output if the target is `-`; empty: no output.
inline void write_json(const std::string& target, const nlohmann::ordered_json& answer) {
  if (target == "-") {
    write_to_reserved_stdout(job::to_text(answer));
  } else if (!target.empty()) {
    job::write_file(target, job::to_text(answer));
  }
}

}  // namespace osteon::app
