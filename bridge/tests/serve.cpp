/// @file
/// Usage: serve SIZE SIZE ... The program runs the start-up server of a job, and prints the port of the server. The job has
/// clusters with these numbers of processes. OSTEON_SERVE_HOST is the address of the server for the processes.
/// OSTEON_SERVE_S is the lifetime of the server. OSTEON_WIRE_TLS has the same meaning as for the processes.
#include <bridge/wire/servers/server.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  const char *host = std::getenv("OSTEON_SERVE_HOST"), *limit = std::getenv("OSTEON_SERVE_S"),
             *tls = std::getenv("OSTEON_WIRE_TLS");
  osteon::bridge::wire::server_settings settings;
  settings.key = std::getenv("OSTEON_WIRE_KEY");
  settings.host = host ? host : "127.0.0.1";
  settings.tls = !tls || std::string(tls) != "off";
  for (int i = 1; i < argc; ++i) settings.clusters.push_back({"cluster" + std::to_string(i - 1), std::atoi(argv[i]), ""});
  osteon::bridge::wire::startup_server server(settings);
  std::printf("%d\n", server.port());
  std::fflush(stdout);
  if (!server.wait(limit ? std::atof(limit) : 300)) return 2;
  if (server.failure().empty()) return 0;
  std::fprintf(stderr, "serve: %s\n", server.failure().c_str());
  return 1;
}
