#pragma once
/// @file
/// Progress events of a job for other programs, as JSON lines (docs/reference/run.md, docs/schemas/progress.json).
#include <osteon/base/log_sink.hpp>
#include <osteon/base/stopwatch.hpp>
#include <string>
#include <string_view>

namespace osteon::app {

/// Appends events to a file and forwards them to another sink. Each line is written by one call, so that a process and its
/// ranks can share the file. Write errors are ignored, so that the job continues.
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

/// Create the file. The file is empty unless a job continues. @throws machine_error if the file is not writable
void begin_progress(const std::string& path, bool resumes);

/// Write the last event of a job: exit code and error text. No effect if `path` is empty.
void end_progress(const std::string& path, int exit_code, std::string_view text);

}  // namespace osteon::app
