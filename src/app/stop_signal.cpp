#include <app/stop_signal.hpp>

#include <signal.h>

namespace osteon::app {

namespace {

// Handlers cannot be given arguments.
volatile sig_atomic_t requested = 0;

void note(int) { requested = 1; }

}  // namespace

void note_stop_signals() {
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_was_requested() { return requested != 0; }

}  // namespace osteon::app
