// A program with the `join` command of the bridge. A missing cluster file is a usage error.
#include <bridge/command/join.hpp>
#include <cstdio>

int main() {
  try {
    osteon::bridge::command::join({.name = "joiner", .file = "absent.toml", .program = {"true"}});
  } catch (const osteon::bridge::error& e) {
    std::printf("exit code %d\n", e.exit_code());
    return e.exit_code() == 2 ? 0 : 1;
  }
  return 1;
}
