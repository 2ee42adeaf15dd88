#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <bridge/command/join.hpp>
#include <memory>

namespace osteon::app {

namespace {

namespace bridge_command = bridge::command;

// The bridge is independent of osteon and has its own error types.
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
  command c = commands.add("join", "Run one MPI program on several clusters",
                           [o] { return with_errors_of_osteon([&] { return bridge_command::join(*o); }); });
  c.add_option("clusters", o->file, "Description of the clusters (TOML; bridge/docs/wire.md)").required();
  c.add_option("program", o->program, "Program and arguments, after --").required();
  c.add_option("--grace", o->grace_s, "Seconds until the remaining sides are killed after one side has failed (default 10)")
      .between(0.0, 3600.0);
  c.add_flag("--print-scripts", o->shows_scripts, "Print the shell script of each cluster, including the job key");
  c.footer(std::string("Each cluster uses its own launcher and MPI. Output is prefixed by the cluster name in brackets. "
                       "Signals are forwarded. If one side fails, all sides end with a message that names the failed side "
                       "and the reason.\n\nExample:\n  osteon join clusters.toml -- ./ring 100\n\n") +
           exit_codes);
}

void add_relay(registry& commands) {
  const auto o = std::make_shared<bridge_command::relay_request>();
  command c = commands.add("relay", "Forward packets between clusters (started by `join`)",
                           [o] { return with_errors_of_osteon([&] { return bridge_command::relay(*o); }); });
  c.add_option("--cluster", o->cluster, "Index of the cluster that it serves").between(0, 31);
  c.add_option("--hub", o->hub, "HOST:PORT of the hub (default: this relay is the hub)");
  c.add_option("--listen", o->listen, "HOST:PORT on which it accepts connections of the processes").required();
  c.footer(
      "The variables OSTEON_WIRE_... set server, key and further settings (bridge/docs/wire.md).\n\nExample:\n  osteon "
      "relay --cluster 0 --listen gateway:7001 --hub login.example.org:7000");
}

void bridge_commands::add_commands(registry& commands) {
  add_join(commands);
  add_relay(commands);
}

}  // namespace osteon::app
