// osteon-bridge: `osteon join` and `osteon relay` for users of the bridge without the rest of osteon.
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
      "Exit codes: 0 done, 2 wrong usage or file of clusters, 5 MPI, network or machine; else that of the program.");

  command::join_request job;
  CLI::App* join = program.add_subcommand("join", "Run one MPI program over several clusters");
  join->add_option("clusters", job.file, "The clusters (TOML)")->required();
  join->add_option("program", job.program, "Program and its arguments, after --")->required();
  join->add_option("--grace", job.grace_s, "Seconds that the others have to end by themselves when one side has died")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  join->add_flag("--print-scripts", job.shows_scripts, "Show what each cluster's shell is given, the job key included");
  join->footer("Example:\n  osteon-mpicc ring.c -o ring && osteon-bridge join clusters.toml -- ./ring 100");

  command::relay_request node;
  CLI::App* relay = program.add_subcommand("relay", "Forward the packets of a cluster's processes (join starts it)");
  relay->add_option("--cluster", node.cluster, "Index of the cluster whose processes are behind it")
      ->check(CLI::Range(0, 31));
  relay->add_option("--hub", node.hub, "host:port of the hub; without it, this is the hub");
  relay->add_option("--listen", node.listen, "host:port that the processes dial")->required();
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
