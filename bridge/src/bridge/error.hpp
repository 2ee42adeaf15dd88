#pragma once
/// @file
/// The errors of the bridge. Each message contains the fault, the value, the limit and the remedy.
#include <common/problem.hpp>
#include <stdexcept>
#include <string>

namespace osteon::bridge {

/// Base class of all errors that the bridge throws deliberately.
class error : public std::runtime_error {
 public:
  error(int exit_code, const std::string& text) : std::runtime_error(text), exit_code_(exit_code) {}
  /// Exit status of a program that ends with this error.
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// The request is invalid, because an option, a key or a value is wrong. Exit code 2.
struct usage_error : error {
  explicit usage_error(const std::string& text) : error(2, text) {}
};
/// MPI, the network or the machine has failed. Exit code 5.
struct machine_error : error {
  explicit machine_error(const std::string& text) : error(5, text) {}
};

}  // namespace osteon::bridge
