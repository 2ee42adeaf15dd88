#pragma once
/// @file
/// Names of the files that a job writes, and format of JSON in these files.
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

/// A JSON document as text with a newline at the end. Invalid UTF-8 is replaced.
std::string to_text(const nlohmann::ordered_json& document);

/// Create a hard link to a results file. A hard link occupies no additional disk space. The link replaces an existing file
/// with the name `name`.
/// @return false if the file system has no hard links; the log then contains a note @collective local
bool create_second_name(const std::string& results, const std::string& name, log_sink& log);

}  // namespace osteon::job
