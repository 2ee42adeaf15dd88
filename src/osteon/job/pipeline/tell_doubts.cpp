#include <osteon/job/pipeline/tell_doubts.hpp>

#include <nlohmann/json.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/spec/doubts.hpp>

namespace osteon::job {

void tell_doubts(const spec& job, const local_model& part, warning_record& told) {
  for (const problem& p : doubts(job)) told.keep(line_of(p));
  for (const std::string& text : warnings_of_import(part.header.provenance_json)) told.keep(text);
  for (const problem& p : doubts_of_model(job, part.header)) told.warn(line_of(p));
}

void add_warnings(const spec& job, std::span<const std::string> texts) {
  if (texts.empty()) return;
  nlohmann::ordered_json summary = read_summary(job);
  for (const std::string& text : texts) summary["warnings"].push_back(text);
  write_file(output_paths(job).summary, to_text(summary));
}

}  // namespace osteon::job
