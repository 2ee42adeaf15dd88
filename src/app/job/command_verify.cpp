#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <common/printable.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <osteon/io/files/verify.hpp>
#include <osteon/job/outputs/io_options.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

json verify_one(const std::string& path, bool add_seal) {
  if (!std::filesystem::is_regular_file(path)) throw data_error(fmt::format("cannot verify '{}': no such file", path));
  io::seal_state seal = io::read_seal(path);
  json answer = {{"file", path}, {"size", std::filesystem::file_size(path)}};
  // A separate process opens the file, because a damaged file may crash HDF5 or cause an infinite loop.
  io::verification found = io::verify_apart(path);
  if (found.filter_missing && !std::getenv("HDF5_PLUGIN_PATH") && job::find_filters()) found = io::verify_apart(path);
  json faults = json::array();
  for (const io::fault& f : found.faults) {
    faults.push_back({{"variable", f.variable}, {"text", io::to_text(f)}});
    if (f.last >= f.first) faults.back()["planes"] = {f.first, f.last};
  }
  if (seal == io::seal_state::wrong)
    faults.push_back({{"variable", ""}, {"text", "the bytes do not match the seal; the file was changed after sealing"}});
  if (seal == io::seal_state::none && faults.empty() && add_seal) {
    io::append_seal(path);
    seal = io::seal_state::good;
  }
  answer["faults"] = std::move(faults);
  if (!found.schema.empty()) {
    answer["schema"] = found.schema;
    answer["variables"] = found.variables;
    answer["bytes"] = found.bytes;
  }
  answer["sealed"] = seal != io::seal_state::none;
  return answer;
}

int verify(const std::vector<std::string>& paths, bool seal, const std::string& target) {
  json all = {{"schema", "osteon.verify/1"}, {"files", json::array()}};
  bool good = true;
  for (const std::string& path : paths) {
    all["files"].push_back(verify_one(path, seal));
    const json& answer = all["files"].back();
    good = good && answer["faults"].empty();
    if (target == "-") continue;
    for (const json& f : answer["faults"]) fmt::print("{}\n", printable(path + ": " + f["text"].get<std::string>()));
    if (answer["faults"].empty())
      fmt::print("{}: intact; {}, {} {}, {:.1f} MB of values{}\n", printable(path), answer["schema"].get<std::string>(),
                 answer["variables"].get<std::int64_t>(), answer["variables"] == 1 ? "field" : "fields",
                 answer["bytes"].get<double>() * 1e-6,
                 answer["sealed"].get<bool>() ? "" : "; no seal: written by another program");
  }
  write_json(target, all);
  return good ? 0 : exit_code(error_kind::data);
}

}  // namespace

void add_verify(registry& commands) {
  struct options {
    std::vector<std::string> files;
    bool seal = false;
    std::string json;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("verify", "Check a model or result file against its digests",
                           [o] { return verify(o->files, o->seal, o->json); });
  c.add_option("file", o->files, "Model and result files (model.nc, results.nc), or their copies by nccopy").required();
  c.add_flag("--seal", o->seal, "Seal an intact copy, so that it is accepted as a model");
  add_json(c, o->json);
  c.footer(std::string("Reports damaged fields and planes.\n\nExamples:\n  osteon verify bone.out/results.nc\n  nccopy -d 9 "
                       "model.nc small.nc && osteon verify --seal small.nc\n\n") +
           exit_codes);
}

}  // namespace osteon::app
