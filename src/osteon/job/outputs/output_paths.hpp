#pragma once
/// @file
/// The names of the files that a job writes, and how its JSON is put down.
#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

/// Where the files of a job are.
struct output_paths {
  explicit output_paths(const spec& job);
  std::string directory, model, results, vtkhdf, xdmf, picture, cut, summary, manifest, report;
};

/// A JSON document as text, with a line end; bytes that are no UTF-8 are replaced.
std::string to_text(const nlohmann::ordered_json& document);

/// Give a results file a second name, by a hard link: the same bytes, on the disk once. What has that name is replaced.
/// @return whether it has it now; a file system without hard links is told in a note @collective local
bool give_second_name(const std::string& results, const std::string& name, log_sink& log);

}  // namespace osteon::job
