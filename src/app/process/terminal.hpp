#pragma once
/// @file
/// Terminal output of a running job: stages, progress with remaining time, and notes. One rank writes the output to standard
/// error.
#include <osteon/base/log_sink.hpp>
#include <osteon/base/stopwatch.hpp>
#include <string>
#include <string_view>

namespace osteon::app {

/// Amount of output. Warnings and errors are always printed.
enum class verbosity {
  quiet,  ///< warnings and errors only
  usual,
  all,  ///< also every progress report; stages and reports are lines with elapsed time
};

/// Shows progress on a terminal. If the output is not a terminal, prints one line every ten seconds.
class terminal_sink : public log_sink {
 public:
  /// @param interactive rewrite one line in place instead of printing new lines
  explicit terminal_sink(bool interactive, verbosity level = verbosity::usual)
      : interactive_(interactive && level != verbosity::all), verbosity_(level) {}
  ~terminal_sink() override { clear(); }
  void note(std::string_view text) override;
  void warn(std::string_view text) override;
  void stage(std::string_view name) override;
  void progress(double fraction, std::string_view detail) override;

 private:
  void clear();
  std::string time_of_line() const;
  bool interactive_;
  verbosity verbosity_;
  bool line_open_ = false;
  std::string stage_;
  stopwatch since_start_, since_stage_, since_line_;
  bool first_line_ = true;
};

/// True if progress output may rewrite its line, because standard error is a terminal or the parent of the ranks has a
/// terminal.
bool is_interactive();

/// Write to standard error and escape control characters. Write errors are ignored, so that the job continues.
void print_message(std::string_view text);

/// Format a duration as "12 s", "3 min 20 s" or "2 h 5 min".
std::string duration(double seconds);

}  // namespace osteon::app
