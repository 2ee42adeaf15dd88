#include <bridge/command/join.hpp>

#include <fmt/format.h>
#include <sched.h>

#include <bridge/launch/joined_job.hpp>
#include <bridge/launch/srun_advice.hpp>
#include <bridge/wire/servers/relay.hpp>
#include <bridge/wire/socket.hpp>
#include <common/printable.hpp>
#include <cstdio>
#include <filesystem>

namespace osteon::bridge::command {

namespace {

namespace fs = std::filesystem;

fs::path own_path() { return fs::canonical("/proc/self/exe"); }

// Folders of libmpi_abi.so.1 relative to this program. The folders are those of the build tree of the bridge, the build tree
// of osteon, and an installation.
std::string own_library() {
  const fs::path here = own_path().parent_path();
  for (const char* folder : {"../lib", "../../bridge/lib", "../lib/osteon-bridge/lib"})
    if (fs::exists(here / folder / "libmpi_abi.so.1")) return fs::canonical(here / folder);
  return "";
}

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

int join(const join_request& request) {
  std::vector<problem> problems;
  const launch::join_plan plan = launch::read_join_plan(request.file, problems);
  if (!problems.empty()) {
    std::string text = fmt::format("{} cannot be used:", request.file);
    for (const problem& p : problems) text += fmt::format("\n  {}: {}", p.where, p.text);
    throw usage_error(text);
  }
  launch::job_settings job;
  job.program = request.program;
  job.grace_s = request.grace_s;
  job.shows_scripts = request.shows_scripts;
  job.osteon = own_path();
  job.library = own_library();
  job.cores = usable_cores();
  // If standard error is full or closed, the job must not end.
  job.note = [&](const std::string& text) {
    std::fputs(printable(fmt::format("{}: {}\n", request.name, text)).c_str(), stderr);
  };
  for (const std::string& advice : launch::srun_advice(plan)) job.note(advice);
  const launch::outcome ended = launch::run(plan, job);
  if (!ended.reason.empty()) job.note(ended.reason);
  return ended.exit_code;
}

int relay(const relay_request& request) {
  wire::relay_settings s;
  s.link = wire::settings_from_environment();
  wire::validate(s.link);
  s.cluster = request.cluster;
  s.hub = request.hub;
  s.ports = std::to_string(wire::split_address(request.listen).port);
  wire::relay(s).run();
  return 0;
}

}  // namespace osteon::bridge::command
