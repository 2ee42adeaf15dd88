#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <bridge/command/join.hpp>
#include <memory>

namespace osteon::app {

namespace {

namespace bridge_command = bridge::command;

// The bridge knows nothing of osteon, hence has errors of its own.
template <class F>
int with_errors_of_osteon(F work) {
  try {
    return work();
  } catch (const bridge::error& e) {
    throw_error(static_cast<error_kind>(e.exit_code()), e.what());
  }
}

}  // namespace

namespace bridge_commands {
void add_commands(registry& commands);
}

void add_join(registry& commands) {
  const auto o = std::make_shared<bridge_command::join_request>();
  o->name = "osteon join";
  command c = commands.add("join", "Run one MPI program over several clusters, each with its own MPI",
                           [o] { return with_errors_of_osteon([&] { return bridge_command::join(*o); }); });
  c.add_option("clusters", o->file, "The clusters (TOML; bridge/docs/wire.md)").required();
  c.add_option("program", o->program, "Program and its arguments, after --").required();
  c.add_option("--grace", o->grace_s,
               "Seconds that the others have to end by themselves when one side has died (default 10)")
      .between(0.0, 3600.0);
  c.add_flag("--print-scripts", o->shows_scripts, "Show what each cluster's shell is given, the job key included");
  c.footer(std::string(
               "Each cluster is started by its own launcher; what it prints stands after its name in brackets. Signals are\n"
               "passed on. When one side dies, all end, with a message that says who, where and why.\n\n"
               "Example:\n  osteon join clusters.toml -- ./ring 100\n\n") +
           exit_codes);
}

void add_relay(registry& commands) {
  const auto o = std::make_shared<bridge_command::relay_request>();
  command c = commands.add("relay", "Forward the packets of a cluster's processes (osteon join starts it)",
                           [o] { return with_errors_of_osteon([&] { return bridge_command::relay(*o); }); });
  c.add_option("--cluster", o->cluster, "Index of the cluster whose processes are behind it").between(0, 31);
  c.add_option("--hub", o->hub, "host:port of the hub; without it, this is the hub");
  c.add_option("--listen", o->listen, "host:port that the processes dial").required();
  c.footer(
      "Server, key and the rest come from the variables OSTEON_WIRE_... (bridge/docs/wire.md).\n\n"
      "Example:\n  osteon relay --cluster 0 --listen gateway:7001 --hub login.example.org:7000");
}

void bridge_commands::add_commands(registry& commands) {
  add_join(commands);
  add_relay(commands);
}

}  // namespace osteon::app
