#pragma once
/// @file
/// What the library says, to a function of Python.
#include <nanobind/nanobind.h>

#include <osteon/base/log_sink.hpp>
#include <string>

namespace osteon::native {

/// Calls a listener with stage, share of it that is done, and details; a warning becomes one of Python's. The calling thread
/// must not hold the lock of the interpreter.
class python_log final : public log_sink {
 public:
  /// @param listener a function, or None
  explicit python_log(nanobind::object listener) : listener_(std::move(listener)) {}

  void warn(std::string_view text) override;
  void stage(std::string_view name) override;
  void progress(double fraction, std::string_view detail) override;

  /// Tell nothing from here on: another rank does.
  void be_silent() { is_silent_ = true; }

  /// Whether Python wants us to end: by a signal (Ctrl-C), or because the listener raised. The exception stays set.
  bool is_interrupted();

 private:
  void tell(double fraction, std::string_view detail);

  nanobind::object listener_;
  std::string stage_;
  bool raised_ = false, is_silent_ = false;
};

}  // namespace osteon::native
