// osteon-bridge: `osteon join` and `osteon relay` for users who have only the bridge of osteon.
#include <CLI/CLI.hpp>
#include <bridge/command/join.hpp>
#include <common/printable.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  namespace command = osteon::bridge::command;
  CLI::App program("osteon-bridge: one MPI job over several clusters, each with its own MPI");
  program.set_version_flag("--version", OSTEON_BRIDGE_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 success, 2 usage or file of clusters, 5 MPI, network or machine; otherwise that of the program.");

  command::join_request job;
  CLI::App* join = program.add_subcommand("join", "Run one MPI program over several clusters");
  join->add_option("clusters", job.file, "The clusters (TOML)")->required();
  join->add_option("program", job.program, "Program and its arguments, after --")->required();
  join->add_option("--grace", job.grace_s, "Seconds for other clusters to end by themselves after a failure")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  join->add_flag("--print-scripts", job.shows_scripts, "Print the script of each cluster's shell, including the job key");
  join->footer("Example:\n  osteon-mpicc ring.c -o ring && osteon-bridge join clusters.toml -- ./ring 100");

  command::relay_request node;
  CLI::App* relay = program.add_subcommand("relay", "Forward the packets of a cluster's processes (started by join)");
  relay->add_option("--cluster", node.cluster, "Index of the cluster of the processes behind it")->check(CLI::Range(0, 31));
  relay->add_option("--hub", node.hub, "host:port of the hub; without it, this is the hub");
  relay->add_option("--listen", node.listen, "host:port for connections of the processes")->required();
  relay->footer("Example:\n  osteon-bridge relay --cluster 0 --listen gateway:7001 --hub login.example.org:7000");

  try {
    program.parse(argc, argv);
    return join->parsed() ? command::join(job) : command::relay(node);
  } catch (const CLI::ParseError& e) {
    return program.exit(e) == 0 ? 0 : 2;
  } catch (const osteon::bridge::error& e) {
    std::fprintf(stderr, "osteon-bridge: %s\n", osteon::printable(e.what()).c_str());
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "osteon-bridge: %s\n", osteon::printable(e.what()).c_str());
    return 5;
  }
}
