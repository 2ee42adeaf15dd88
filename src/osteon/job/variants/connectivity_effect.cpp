#include <osteon/job/variants/connectivity_effect.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/counted.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* key_of_effect = "effect_of_connectivity";

bool keeps_hanging(const spec& job) { return job.segment.connectivity == 26; }
int other_connectivity(const spec& job) { return keeps_hanging(job) ? 6 : 26; }

// Some voxels are removed with connectivity 6 and kept with connectivity 26. Only a job with connectivity 6 reports these
// voxels.
std::int64_t hanging_voxels(const json& segmentation) { return segmentation.value("hanging_voxels", std::int64_t{0}); }

void add_changes(json& list, const std::vector<answer>& all, const json& before, const json& after,
                 const std::string& load_case) {
  const std::vector<found_answer> others = answers_in(all, after);
  for (const found_answer& a : answers_in(all, before)) {
    const auto b = std::find_if(others.begin(), others.end(), [&](const found_answer& o) { return o.key == a.key; });
    if (!a.value.is_number() || b == others.end() || !b->value.is_number()) continue;
    const double from = a.value, to = b->value;
    json entry = {{"key", a.key}, {"title", a.title}, {"unit", a.definition->unit}, {"value", b->value}};
    entry["relative_change"] = from != 0 ? json(to / from - 1) : to == 0 ? json(0.0) : json(nullptr);
    entry["in_table"] = a.definition->in_table;
    if (!load_case.empty()) entry["case"] = load_case;
    list.push_back(std::move(entry));
  }
}

// Return the largest changes of answers in the table as text, for example "stiffness +0.03 %, ...".
std::string largest_changes(const json& answers) {
  constexpr std::size_t most = 3;
  std::vector<const json*> shown;
  for (const json& a : answers)
    if (a.at("in_table") && !a.at("relative_change").is_null()) shown.push_back(&a);
  const auto size = [](const json* a) { return std::abs(a->at("relative_change").get<double>()); };
  std::stable_sort(shown.begin(), shown.end(), [&](const json* a, const json* b) { return size(a) > size(b); });
  const bool are_all = shown.size() <= most;
  shown.resize(std::min(shown.size(), most));
  std::string text;
  for (const json* a : shown) {
    const std::string of_case = a->contains("case") ? ", case " + a->at("case").get<std::string>() : "";
    text += fmt::format("{}{}{} {:+.2g} %", text.empty() ? "" : ", ", a->at("title").get<std::string>(), of_case,
                        100 * a->at("relative_change").get<double>());
  }
  return text + (are_all ? "" : ", other answers less");
}

}  // namespace

std::vector<std::string> keys_of_other_connectivity(const spec& job) {
  const int connectivity = other_connectivity(job);
  std::vector<std::string> keys{fmt::format("segment.connectivity={}", connectivity), "segment.compare_connectivity=false",
                                "picture.enabled=false", "picture.every=0", "output.morphometry=false"};
  if (connectivity == 26 && accepts_key(job, "segment.drop_unsupported")) keys.push_back("segment.drop_unsupported=true");
  if (!job.checkpoint.directory.empty()) keys.push_back("checkpoint.directory=\"\"");
  return keys;
}

json compare_answers(const spec& job, const json& summary, const json& with) {
  json list = json::array();
  const std::vector<answer>& all = physics_of(job).answers;
  if (!summary.contains("cases")) {
    add_changes(list, all, summary, with, "");
    return list;
  }
  const json &cases = summary.at("cases"), &others = with.at("cases");
  for (std::size_t c = 0; c < std::min(cases.size(), others.size()); ++c)
    add_changes(list, all, cases[c], others[c], cases[c].at("name"));
  return list;
}

void report_connectivity_effect(MPI_Comm comm, const spec& job, const variant_factory& make, log_sink& log,
                                const checkpoint_options& options) {
  const bool root = comm::rank(comm) == 0;
  const int connectivity = other_connectivity(job);
  json summary, effect = {{"connectivity", connectivity}};
  comm::collectively(comm, [&] {
    if (root) summary = read_summary(job);
  });
  const std::string voxels =
      std::string(keeps_hanging(job) ? "without" : "with") + " the voxels connected by edges or corners only";
  log.note(fmt::format("solving with connectivity {}, for the effect of voxels connected by edges or corners only",
                       connectivity));
  const auto import = [&](const spec& other) {
    std::int64_t hanging = hanging_voxels(summary.at("segmentation"));
    if (keeps_hanging(job) || hanging > 0) {
      const imported_model model = import_model(other, output_paths(other).model, log, options.is_to_stop);
      if (keeps_hanging(job)) hanging = hanging_voxels(valid_json_from_text<json>(model.provenance_json).at("segmentation"));
    }
    effect["hanging_voxels"] = hanging;
    return hanging > 0;
  };
  const std::string name = fmt::format("connectivity_{}", connectivity);
  const variant other{keys_of_other_connectivity(job), (std::filesystem::path(job.output_directory) / name).string(),
                      "the job " + voxels, fmt::format("the effect of connectivity {}", connectivity),
                      "importing the image with the other connectivity"};
  const solved_variant solved = solve_variant(comm, other, make, import, log, options);
  comm::collectively(comm, [&] {
    if (!root) return;
    effect["computed"] = !solved.summary.is_null();
    if (!solved.fault.empty()) {
      effect["fault"] = solved.fault;
      effect["words"] = fmt::format("{} could not be computed: {}", other.description, solved.fault);
    } else if (solved.summary.is_null()) {
      effect["words"] = fmt::format("no voxel is connected by edges or corners only: connectivity {} gives the same results",
                                    connectivity);
    } else {
      effect["elements"] = solved.summary.at("elements");
      effect["summary"] = (std::filesystem::path(other.folder) / "summary.json").string();
      effect["answers"] = compare_answers(job, summary, solved.summary);
      effect["words"] = fmt::format("{}: {}", voxels, largest_changes(effect["answers"]));
    }
    summary[key_of_effect] = effect;
    write_file(output_paths(job).summary, to_text(summary));
  });
}

}  // namespace osteon::job
