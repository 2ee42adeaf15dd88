#include <fmt/format.h>

#include <algorithm>
#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <cctype>
#include <charconv>
#include <common/printable.hpp>
#include <memory>
#include <optional>
#include <osteon/base/counted.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/pipeline/deep_check.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

namespace {

struct check_options {
  std::string job, json;
  std::vector<std::string> set;
  job::reader_options script;
  std::int64_t most_voxels = job::most_voxels_to_check;
  bool deep = false;
  std::string volume, folder;
};

// Key path of a position in the job, such as ["force", 1, "on"] for `job.toml:7: force[2].on`; empty if `where` is not a
// position.
nlohmann::ordered_json path_in_job(const std::string& where) {
  const auto colon = where.rfind(": ");
  const std::string place = colon == std::string::npos ? where : where.substr(colon + 2);
  auto path = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < place.size();) {
    const auto end = std::min(place.find('.', at), place.size());
    std::string name = place.substr(at, end - at);
    std::optional<std::int64_t> number;
    if (const auto bracket = name.find('['); bracket != std::string::npos && name.ends_with(']')) {
      const std::string digits = name.substr(bracket + 1, name.size() - bracket - 2);
      std::int64_t n = 0;
      const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
      if (fault != std::errc{} || stop != digits.data() + digits.size() || n < 1) return nlohmann::ordered_json::array();
      number = n - 1;
      name.resize(bracket);
    }
    const bool is_key = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return c < 128 && (std::isalnum(c) || c == '_' || c == '-');
    });
    if (!is_key) return nlohmann::ordered_json::array();
    path.push_back(name);
    if (number) path.push_back(*number);
    at = end + 1;
  }
  return path;
}

nlohmann::ordered_json listed(const std::vector<problem>& problems) {
  auto list = nlohmann::ordered_json::array();
  for (const problem& p : problems) list.push_back({{"where", p.where}, {"text", p.text}, {"path", path_in_job(p.where)}});
  return list;
}

int check(const check_options& o) {
  if (!o.deep && !(o.volume.empty() && o.folder.empty()))
    throw usage_error("--set-volume and --keep-model require --deep; add --deep");
  const job::deep_check deep{o.deep, o.volume, o.folder};
  const std::int64_t most_voxels = o.deep ? std::int64_t{1} << 40 : o.most_voxels;
  job::image_check found;
  nlohmann::ordered_json loads;
  std::vector<problem> problems;
  const job::spec spec = job::read_job(o.job, o.script, problems, o.set);
  if (problems.empty()) {
    // The same code as on the ranks of a run determines the nodes of a set. This code requires MPI.
    const int code =
        on_all_ranks([&](MPI_Comm) { found = job::check_image(MPI_COMM_SELF, spec, most_voxels, deep, loads); });
    if (code != 0) return code;
  } else {
    const std::size_t of_job = problems.size();
    found.looked_at = job::add_faults_of_image(spec, problems, found.warnings);
    found.problems.assign(problems.begin() + static_cast<std::ptrdiff_t>(of_job), problems.end());
    problems.resize(of_job);
  }
  for (auto* list : {&found.problems, &found.warnings})
    for (problem& p : *list) p.where = o.job + ": " + p.where;
  problems.insert(problems.end(), found.problems.begin(), found.problems.end());
  nlohmann::ordered_json answer = {{"schema", "osteon.check/1"},   {"job", o.job},
                                   {"problems", listed(problems)}, {"warnings", listed(found.warnings)},
                                   {"image", found.facts},         {"looked_at", found.looked_at}};
  if (o.deep) answer["loads"] = loads;
  write_json(o.json, answer);
  if (o.json != "-") {
    for (const problem& p : problems) fmt::print("{}\n", printable(p.where + ": " + p.text));
    for (const problem& p : found.warnings) fmt::print("{}\n", printable(p.where + ": warning: " + p.text));
    if (!found.looked_at.empty()) fmt::print("{}\n", printable(o.job + ": " + found.looked_at));
    std::string verdict = problems.empty() ? o.job + ": no faults" : counted(std::ssize(problems), "fault");
    if (!found.warnings.empty()) verdict += ", " + counted(std::ssize(found.warnings), "warning");
    fmt::print("{}\n", printable(verdict));
  }
  return problems.empty() ? 0 : exit_code(error_kind::usage);
}

}  // namespace

void add_check(registry& commands) {
  const auto o = std::make_shared<check_options>();
  command c = commands.add("check", "Check a job file and its image without solving", [o] { return check(*o); });
  add_job(c, o->job);
  add_set(c, o->set);
  add_script(c, o->script);
  c.add_option("--most-voxels", o->most_voxels,
               "Read and segment images of at most this many voxels and test sets, supports and forces on them; check only "
               "the header and a sample of larger images")
      .between(std::int64_t{0}, std::int64_t{1} << 40)
      .show_default();
  c.add_flag(
      "--deep", o->deep,
      "Read and segment images of any size and report the nodes of each set, support and force (`loads` in the JSON)");
  c.add_option("--set-volume", o->volume, "With --deep: write a label image of the sets to this file (NRRD)");
  c.add_option("--keep-model", o->folder,
               "With --deep: keep the model in this folder and reuse it for the same image and segmentation");
  add_json(c, o->json);
  c.footer(
      "`osteon run` rejects jobs with faults (exit code 2). Warnings mark valid but improbable values.\n\nExample:\n  "
      "osteon check examples/bone.toml");
}

}  // namespace osteon::app
