/// @file
/// A sentence in place of SIGILL on a processor that is older than what the program is compiled for. It is asked before
/// anything else runs, constructors of libraries included. This file is compiled for any processor of the kind.
#include <unistd.h>

#include <cstring>
#include <osteon/base/error.hpp>

namespace {

void require_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports(OSTEON_LEVEL)) return;
  static const char text[] =
      "osteon: this processor is older than " OSTEON_LEVEL
      ", for which this program is compiled; build it from its source on this machine (docs/install.md)\n";
  // There is nobody to tell that it could not be written.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(static_cast<int>(osteon::error_kind::machine));
}

using start_function = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] const start_function ask_first = &require_processor;

}  // namespace
