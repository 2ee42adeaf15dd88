#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/json_output.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <osteon/io/verify.hpp>
#include <osteon/job/io_options.hpp>

namespace osteon::app {

namespace {

using json = nlohmann::ordered_json;

// CPU seconds that HDF5 may take before it counts as caught in a damaged index; a slow disk costs no CPU.
constexpr double seconds_at_least = 4, bytes_per_second = 20e6;

void allow_cpu(std::int64_t bytes) {
  const double seconds = seconds_at_least + static_cast<double>(bytes) / bytes_per_second;
  itimerval limit{};
  limit.it_value.tv_sec = static_cast<time_t>(seconds) + 1;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

json examine(const std::string& path) {
  json answer = {{"faults", json::array()}};
  const auto add = [&](const io::fault& f) {
    json entry = {{"variable", f.variable}, {"text", io::to_text(f)}};
    if (f.last >= f.first) entry["planes"] = {f.first, f.last};
    answer["faults"].push_back(entry);
  };
  try {
    allow_cpu(0);
    const io::verification found = io::verify_file(path, allow_cpu);
    answer["schema"] = found.schema;
    answer["variables"] = found.variables;
    answer["bytes"] = found.bytes;
    answer["filter_missing"] = found.filter_missing;
    for (const io::fault& f : found.faults) add(f);
  } catch (const std::exception& e) {
    add({"", 0, -1, e.what()});
  }
  return answer;
}

[[noreturn]] void answer_and_leave(const std::string& path, int to) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const std::string text = examine(path).dump(-1, ' ', false, json::error_handler_t::replace);
  const char* at = text.data();
  for (std::size_t left = text.size(); left > 0;) {
    const ssize_t written = write(to, at, left);
    if (written < 0) _exit(1);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  _exit(0);
}

// A damaged file may crash HDF5 or keep it busy for ever, so it is opened by a process that may be lost.
json examine_in_another_process(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) throw machine_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) throw machine_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    answer_and_leave(path, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) != 0;) {
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  json answer = json::parse(text, nullptr, false);
  if (!answer.is_discarded() && WIFEXITED(status) && WEXITSTATUS(status) == 0) return answer;
  const char* how = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "does not return" : "crashes";
  return {{"faults", {{{"variable", ""}, {"text", fmt::format("it is damaged so that the HDF5 library {} on it", how)}}}}};
}

json verify_one(const std::string& path, bool add_seal) {
  if (!std::filesystem::is_regular_file(path))
    throw data_error(fmt::format("cannot verify '{}': there is no such file", path));
  io::seal_state seal = io::read_seal(path);
  json answer = {{"file", path}, {"size", std::filesystem::file_size(path)}};
  json found = examine_in_another_process(path);
  if (found.value("filter_missing", false) && !std::getenv("HDF5_PLUGIN_PATH") && job::find_filters())
    found = examine_in_another_process(path);
  found.erase("filter_missing");
  answer.update(found);
  json& faults = answer["faults"];
  if (seal == io::seal_state::wrong)
    faults.push_back({{"variable", ""}, {"text", "its bytes do not match its seal: something in it has changed"}});
  if (seal == io::seal_state::none && faults.empty() && add_seal) {
    io::append_seal(path);
    seal = io::seal_state::good;
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
    for (const json& f : answer["faults"]) fmt::print("{}: {}\n", path, f["text"].get<std::string>());
    if (answer["faults"].empty())
      fmt::print("{}: whole; {}, {} {}, {:.1f} MB of values{}\n", path, answer["schema"].get<std::string>(),
                 answer["variables"].get<std::int64_t>(), answer["variables"] == 1 ? "field" : "fields",
                 answer["bytes"].get<double>() * 1e-6,
                 answer["sealed"].get<bool>() ? "" : "; without a seal, as another program wrote it");
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
  command c = commands.add("verify", "Check models and results: does each value match the digests in the file?",
                           [o] { return verify(o->files, o->seal, o->json); });
  c.add_option("file", o->files, "Files of osteon (model.nc, results.nc), or copies of them by nccopy").required();
  c.add_flag("--seal", o->seal, "Seal a copy that is whole, so that it can be used as a model");
  add_json(c, o->json);
  c.footer(std::string("Tells which field and which planes are damaged.\n\nExamples:\n  osteon verify bone.out/results.nc\n"
                       "  nccopy -d 9 model.nc small.nc && osteon verify --seal small.nc\n\n") +
           exit_codes);
}

}  // namespace osteon::app
