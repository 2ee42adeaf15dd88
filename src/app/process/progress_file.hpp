#pragma once
/// @file
/// What a job tells, for programs that watch it: one JSON object a line (docs/run.md, docs/schemas/progress.json).
#include <osteon/base/log_sink.hpp>
#include <osteon/base/stopwatch.hpp>
#include <string>
#include <string_view>

namespace osteon::app {

/// Appends lines to a file, and hands all on to another sink. Each line is written at once and whole, so that a process and
/// the rank that follows it can write to one file. That it cannot be written is no reason for a job to fail.
class progress_file : public log_sink {
 public:
  /// Borrows `to`. @param path empty: no file
  progress_file(std::string path, log_sink& to) : path_(std::move(path)), to_(to) {}

  void note(std::string_view text) override;
  void warn(std::string_view text) override;
  void stage(std::string_view name) override;
  void progress(double fraction, std::string_view detail) override;

 private:
  std::string path_, stage_;
  log_sink& to_;
  stopwatch since_stage_, since_line_;
  bool first_ = true;
};

/// Begin such a file: empty, unless a job goes on. @throws machine_error if it cannot be written
void begin_progress(const std::string& path, bool goes_on);

/// The last line of a job: its exit code, and the text of its error. Nothing if `path` is empty.
void end_progress(const std::string& path, int exit_code, std::string_view text);

}  // namespace osteon::app
