#pragma once
/// @file
/// What a person sees while a job runs: stages, progress with ETA, notes. Written to standard error by one rank.
#include <osteon/base/log_sink.hpp>
#include <osteon/base/stopwatch.hpp>
#include <string>
#include <string_view>

namespace osteon::app {

/// How much is said. Warnings and errors always are.
enum class loudness {
  quiet,  ///< nothing else
  usual,
  all,  ///< every report of progress too; stages and reports are lines with the time since the start
};

/// Progress on a terminal, one line every ten seconds otherwise.
class terminal_sink : public log_sink {
 public:
  /// @param interactive rewrite one line in place instead of printing new ones
  explicit terminal_sink(bool interactive, loudness how = loudness::usual)
      : interactive_(interactive && how != loudness::all), loudness_(how) {}
  ~terminal_sink() override { clear(); }
  void note(std::string_view text) override;
  void warn(std::string_view text) override;
  void stage(std::string_view name) override;
  void progress(double fraction, std::string_view detail) override;

 private:
  void clear();
  std::string time_of_line() const;
  bool interactive_;
  loudness loudness_;
  bool line_open_ = false;
  std::string stage_;
  stopwatch since_start_, since_stage_, since_line_;
  bool first_line_ = true;
};

/// Whether progress may rewrite its line: standard error is a terminal, or the parent that starts the ranks says it has one.
bool is_interactive();

/// Write to standard error, so that no text of others acts on the terminal. That it is closed or full is no reason for a job
/// to fail.
void say(std::string_view text);

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string duration(double seconds);

}  // namespace osteon::app
