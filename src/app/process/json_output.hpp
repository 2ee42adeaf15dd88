#pragma once
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/system_info.hpp>
#include <string>
#include <string_view>

namespace osteon::app {

/// Keep standard output for the one JSON text that `--json -` asks for: whatever else this process and its children print
/// there, be it a library, goes to standard error from now on.
void keep_stdout();
/// The descriptor of the standard output that was kept; the ordinary one if none was.
int answer_descriptor();
/// @throws machine_error
void write_to_kept_stdout(std::string_view text);

/// Write an answer to where --json points: a file, `-` for standard output, or nowhere if empty.
inline void write_json(const std::string& target, const nlohmann::ordered_json& answer) {
  if (target == "-") {
    write_to_kept_stdout(job::to_text(answer));
  } else if (!target.empty()) {
    job::write_file(target, job::to_text(answer));
  }
}

}  // namespace osteon::app
