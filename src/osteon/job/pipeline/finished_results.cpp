#include <osteon/job/pipeline/finished_results.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/import/model_key.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/spec/digest_of_keys.hpp>
#include <span>

namespace osteon::job {

namespace {

// Return the text of a key in a document. If the document is damaged or does not contain the key, the text is empty.
std::string text_in(const std::string& path, const char* key) {
  const auto document = json_from_file<nlohmann::json>(path);
  if (!document.is_object()) return {};
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

}  // namespace

std::string identity_of_results(const spec& job, const std::string& model_key) {
  if (model_key.empty() || job.from) return {};
  try {
    const std::string text = digest_of_result_keys(job) + model_key + key_of_label_images(job);
    return sha256_of(std::as_bytes(std::span(text)));
  } catch (const std::exception&) {  // other processes may create and remove files concurrently
    return {};
  }
}

bool has_finished_results(const spec& job, const stop_query& is_to_stop) {
  if (job.from) return false;
  const output_paths paths(job);
  const std::string before = text_in(paths.manifest, "identity_sha256");
  if (before.empty() || text_in(paths.summary, "status") != "done" || !std::filesystem::is_regular_file(paths.results))
    return false;
  if (!check_image_files(job).empty()) return false;  // the import will report the faults
  const auto poll = [&] { stop_if_requested(is_to_stop, job, "searching for finished results"); };
  return identity_of_results(job, key_of_model(job, poll)) == before;
}

}  // namespace osteon::job
