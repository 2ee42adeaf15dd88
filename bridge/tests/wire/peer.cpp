// A program for `osteon join` without MPI. Every process sends its number to all processes of the other clusters. Usage:
// peer [leave|abort|hang|alone]. The argument is the action of the last process of the last cluster after the first
// exchange.
#include <unistd.h>

#include <bridge/wire/link.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace osteon::bridge::wire;

namespace {

int number(const char* a, const char* b, int otherwise) {
  for (const char* name : {a, b}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return otherwise;
}

message next(endpoint& link) {
  for (;;) {
    const auto seen = link.events();
    if (auto m = link.take()) return std::move(*m);
    link.wait_event(seen, 1);
  }
}

void exchange(endpoint& link) {
  const world_info& world = link.world();
  int sum = 0, others = 0;
  for (int r = 0; r < world.size(); ++r) {
    if (world.processes[static_cast<std::size_t>(r)].cluster == world.cluster) continue;
    link.send(r, {}, std::as_bytes(std::span(&world.rank, 1)));
    sum -= r;
    ++others;
  }
  for (; others > 0; --others) {
    message m = next(link);
    int value = 0;
    link.accept(m, std::as_writable_bytes(std::span(&value, 1)));
    sum += value;
  }
  std::printf("rank %d of %d: %s\n", world.rank, world.size(), sum == 0 ? "good" : "wrong");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  try {
    settings s = settings_from_environment();
    s.local_rank = number("PEER_RANK", "OMPI_COMM_WORLD_RANK", 0);
    s.local_size = kind == "alone" ? 1 : number("PEER_SIZE", "OMPI_COMM_WORLD_SIZE", 1);
    if (kind == "alone") s.local_rank = 0;
    if (kind == "keyless") s.key = "quite another key, and long";
    auto link = endpoint::join(s, "");
    exchange(*link);
    std::fflush(stdout);
    if (link->world().rank == link->world().size() - 1) {
      if (kind == "leave") _exit(7);
      if (kind == "abort") link->abort("this test says so");
      if (kind == "hang") pause();
    } else if (kind == "leave" || kind == "hang" || kind == "abort") {
      for (;;) link->wait_event(link->events(), 10);  // the loop ends when the link breaks
    }
    link->close();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "peer: %s\n", e.what());
    return 5;
  }
}
