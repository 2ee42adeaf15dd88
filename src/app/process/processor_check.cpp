/// @file
/// Error message in place of SIGILL on a processor that does not support the target of the build. The check runs before all
/// other code, including constructors of libraries. This file is compiled for the baseline of the architecture, so that
/// every processor can execute the check.
#include <unistd.h>

#include <cstring>
#include <osteon/base/error.hpp>

namespace {

void require_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports(OSTEON_LEVEL)) return;
  static const char text[] = "osteon: this processor does not support " OSTEON_LEVEL
                             ", the target of this build; build from source on this machine (docs/start/install.md)\n";
  // A write error cannot be reported.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(static_cast<int>(osteon::error_kind::machine));
}

using start_function = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] const start_function ask_first = &require_processor;

}  // namespace
