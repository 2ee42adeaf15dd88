#include <app/process/terminal.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <app/process/parent_process.hpp>
#include <common/printable.hpp>
#include <cstdio>
#include <cstdlib>

namespace osteon::app {

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

namespace {

// Write without escaping, for text that moves the cursor.
void write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// Interval of progress lines in a log file. A program with its own progress bar requests a shorter interval.
double seconds_between_lines() {
  const char* given = std::getenv("OSTEON_PROGRESS_SECONDS");
  const double seconds = given ? std::atof(given) : 0;
  return seconds > 0 ? seconds : 10;
}

}  // namespace

void print_message(std::string_view text) { write(printable(text)); }

bool is_interactive() { return parent() ? parent()->interactive : isatty(STDERR_FILENO) != 0; }

std::string terminal_sink::time_of_line() const { return fmt::format("  [{:.3f} s]", since_start_.seconds()); }

void terminal_sink::clear() {
  if (line_open_) write("\r\033[K");
  line_open_ = false;
}

void terminal_sink::note(std::string_view text) {
  if (verbosity_ == verbosity::quiet) return;
  clear();
  print_message(fmt::format("  {}\n", text));
}

void terminal_sink::warn(std::string_view text) {
  clear();
  print_message(fmt::format("  warning: {}\n", text));
}

void terminal_sink::stage(std::string_view name) {
  if (verbosity_ == verbosity::quiet) return;
  clear();
  stage_ = name;
  since_stage_.restart();
  first_line_ = true;
  print_message(verbosity_ == verbosity::all ? fmt::format("{}{}\n", name, time_of_line()) : fmt::format("{}\n", name));
}

void terminal_sink::progress(double fraction, std::string_view detail) {
  if (verbosity_ == verbosity::quiet) return;
  const double wait = verbosity_ == verbosity::all ? 0 : interactive_ ? 0.1 : seconds_between_lines();
  if (since_line_.seconds() < wait && (interactive_ || !first_line_ || since_stage_.seconds() < wait)) return;
  since_line_.restart();
  first_line_ = false;
  const double elapsed = since_stage_.seconds();
  std::string line = fmt::format("  {:3.0f} %  {}", 100 * fraction, detail);
  if (fraction > 0.02 && fraction < 1 && elapsed > 1)
    line += fmt::format("  (about {} left)", duration(elapsed * (1 - fraction) / fraction));
  if (verbosity_ == verbosity::all) line += time_of_line();
  if (interactive_) {
    write("\r\033[K" + printable(line));
    line_open_ = true;
  } else {
    print_message(line + "\n");
  }
}

}  // namespace osteon::app
