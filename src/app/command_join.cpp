#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/launcher.hpp>
#include <bridge/launch/joined_job.hpp>
#include <bridge/wire/relay.hpp>
#include <bridge/wire/socket.hpp>
#include <filesystem>
#include <memory>
#include <osteon/job/manifest.hpp>

namespace osteon::app {

namespace {

namespace wire = bridge::wire;
namespace launch = bridge::launch;

struct join_options {
  std::string file;
  launch::job_settings job;
};

/// The folder of our libmpi_abi.so.1 beside this program, in the build tree or installed.
std::string own_library() {
  const auto here = std::filesystem::path(own_path()).parent_path();
  for (const char* folder : {"../bridge/lib", "../lib/osteon", "../lib"}) {
    if (std::filesystem::exists(here / folder / "libmpi_abi.so.1")) return std::filesystem::canonical(here / folder);
  }
  return "";
}

int join(join_options o) {
  std::vector<problem> problems;
  const launch::join_plan plan = launch::read_join_plan(o.file, problems);
  if (!problems.empty()) {
    std::string text = fmt::format("{} cannot be used:", o.file);
    for (const problem& p : problems) text += fmt::format("\n  {}: {}", p.where, p.text);
    throw usage_error(text);
  }
  o.job.osteon = own_path();
  o.job.library = own_library();
  o.job.cores = static_cast<int>(job::usable_cores());
  o.job.note = [](const std::string& text) { fmt::print(stderr, "osteon join: {}\n", text); };
  const launch::outcome ended = launch::run(plan, o.job);
  if (!ended.reason.empty()) fmt::print(stderr, "osteon join: {}\n", ended.reason);
  return ended.exit_code;
}

}  // namespace

void add_join(registry& commands) {
  const auto o = std::make_shared<join_options>();
  command c =
      commands.add("join", "Run one MPI program over several clusters, each with its own MPI", [o] { return join(*o); });
  c.add_option("clusters", o->file, "The clusters (TOML; docs/bridge_wire.md)").required();
  c.add_option("program", o->job.program, "Program and its arguments, after --").required();
  c.add_option("--grace", o->job.grace_s,
               "Seconds that the others have to end by themselves when one side has died (default 10)")
      .between(0.0, 3600.0);
  c.add_flag("--print-scripts", o->job.tell_scripts, "Show what each cluster's shell is given, the job key included");
  c.footer(std::string(
               "Each cluster is started by its own launcher; what it prints stands after its name in brackets. Signals are\n"
               "passed on. When one side dies, all end, with a message that says who, where and why.\n\n"
               "Example:\n  osteon join clusters.toml -- ./ring 100\n\n") +
           exit_codes);
}

void add_relay(registry& commands) {
  struct relay_options {
    int cluster = -1;
    std::string hub, listen;
  };
  const auto o = std::make_shared<relay_options>();
  command c = commands.add("relay", "Forward the packets of a cluster's processes (osteon join starts it)", [o] {
    wire::relay_settings s;
    s.link = wire::settings_from_environment();
    wire::validate(s.link);
    s.cluster = o->cluster;
    s.hub = o->hub;
    s.ports = std::to_string(wire::split_address(o->listen).port);
    wire::relay(s).run();
    return 0;
  });
  c.add_option("--cluster", o->cluster, "Index of the cluster whose processes are behind it").between(0, 31);
  c.add_option("--hub", o->hub, "host:port of the hub; without it, this is the hub");
  c.add_option("--listen", o->listen, "host:port that the processes dial").required();
  c.footer(
      "Server, key and the rest come from the variables OSTEON_WIRE_... (docs/bridge_wire.md).\n\n"
      "Example:\n  osteon relay --cluster 0 --listen gateway:7001 --hub login.example.org:7000");
}

}  // namespace osteon::app
