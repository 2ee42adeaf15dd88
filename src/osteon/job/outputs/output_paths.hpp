#pragma once
/// @file
/// Names of the files written by a job, and formatting of its JSON.
#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

/// Paths of the files of a job.
struct output_paths {
  explicit output_paths(const spec& job);
  std::string directory, model, results, vtkhdf, xdmf, picture, cut, summary, manifest, report;
};

/// A JSON document as text with a final newline; invalid UTF-8 is replaced.
std::string to_text(const nlohmann::ordered_json& document);

/// Create a hard link to a results file, because a hard link occupies no additional disk space. The link replaces an
/// existing file with the name `name`.
/// @return false, with a note in the log, if the file system has no hard links @collective local
bool create_second_name(const std::string& results, const std::string& name, log_sink& log);

}  // namespace osteon::job
