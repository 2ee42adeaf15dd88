#pragma once
/// @file
/// The names of the files that a job writes, and how its JSON is put down.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

/// Where the files of a job are.
struct output_paths {
  explicit output_paths(const spec& job);
  std::string directory, model, results, xdmf, picture, cut, summary, manifest, report;
};

/// A JSON document as text, with a line end; bytes that are no UTF-8 are replaced.
std::string to_text(const nlohmann::ordered_json& document);

}  // namespace osteon::job
