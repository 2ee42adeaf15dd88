#include <app/process/stop_signal.hpp>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

namespace osteon::app {

namespace {

// These variables are global because signal handlers have no user arguments. All of the variables are lock-free.
std::atomic<int> urgency{0}, first_signal{0};
std::atomic<bool> is_noting{false}, has_ranks{false};
std::atomic<long long> raised_at_ms{0};

long long now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1000LL * now.tv_sec + now.tv_nsec / 1'000'000;
}

// `timeout` and batch systems send a signal to a process and to its group: signals within this time count as one request.
constexpr long long echo_ms = 200;

void note(int number) {
  if (urgency == 0) {
    first_signal = number;
    raised_at_ms = now_ms();
    urgency = 1;
    return;
  }
  if ((number != SIGINT && number != SIGTERM) || now_ms() - raised_at_ms < echo_ms) return;
  raised_at_ms = now_ms();
  if (has_ranks) {
    ++urgency;
    return;
  }
  constexpr std::string_view text = "osteon: ended immediately\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  _exit(128 + number);
}

}  // namespace

void note_stop_signals() {
  is_noting = true;
  struct sigaction action{}, before{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) sigaction(number, &action, nullptr);
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool are_stop_signals_noted() { return is_noting; }

int stop_urgency() { return urgency; }

void request_stop() {
  if (urgency == 0) urgency = 1;
}

void wait_for_ranks(bool waits) { has_ranks = waits; }

bool was_stopped_from_keyboard() { return first_signal == SIGINT; }

int program_exit_code(error_kind kind) {
  return kind == error_kind::interrupted && was_stopped_from_keyboard() ? 128 + SIGINT : exit_code(kind);
}

}  // namespace osteon::app
