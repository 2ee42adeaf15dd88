#pragma once
/// @file
/// Log of the library. The library does not print messages. Instead, the library passes messages to a sink.
#include <string_view>

namespace osteon {

/// Receives messages and progress of a job. This base class discards messages and progress. The sink of the module `app`
/// writes messages and progress to a terminal.
class log_sink {
 public:
  virtual ~log_sink() = default;
  /// Information for the user, for example "removed 14 disconnected parts with 312 voxels".
  virtual void note(std::string_view) {}
  /// A warning for the user. The job continues.
  virtual void warn(std::string_view) {}
  /// Start of a stage, for example "solve".
  virtual void stage(std::string_view) {}
  /// Progress of the current stage as a fraction in [0, 1], with a short text such as the residual.
  virtual void progress(double /*fraction*/, std::string_view /*detail*/) {}
};

/// Sink that discards all messages.
inline log_sink& null_log() {
  static log_sink nothing;
  return nothing;
}

}  // namespace osteon
