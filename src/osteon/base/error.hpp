#pragma once
/// @file
/// Exceptions of osteon. Each type corresponds to one exit code of the command line (function `exit_code`).
///
/// A message contains the problem, the value, the limit and the remedy:
///
///     throw data_error(fmt::format("threshold {} leaves no voxel of {}: its grey values are in [{}, {}]; "
///                                  "choose a threshold inside that range", ...));
///
/// Local functions throw these exceptions directly. In collective functions, all ranks agree on one error
/// (comm::collectively). All ranks then throw this error with the same text.
#include <common/problem.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace osteon {

enum class error_kind { usage = 2, data = 3, solve = 4, machine = 5, interrupted = 75 };

/// Base class of the errors thrown by osteon.
class error : public std::runtime_error {
 public:
  error(error_kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

/// Invalid request, for example a wrong option, a wrong key or an impossible combination of keys. Exit code 2.
struct usage_error : error {
  explicit usage_error(const std::string& text) : error(error_kind::usage, text) {}
};
/// Invalid input, for example an unreadable file, a NaN, or an image without voxels above the threshold. Exit code 3.
struct data_error : error {
  explicit data_error(const std::string& text) : error(error_kind::data, text) {}
};
/// The solver does not reach the requested tolerance. Exit code 4.
struct solve_error : error {
  explicit solve_error(const std::string& text) : error(error_kind::solve, text) {}
};
/// MPI, the file system or the machine fails. For example, the disk is full or the device does not exist. Exit code 5.
struct machine_error : error {
  explicit machine_error(const std::string& text) : error(error_kind::machine, text) {}
};

/// A signal stops the job after a checkpoint. `osteon resume` continues the job. Exit code 75 (EX_TEMPFAIL: try again).
struct interrupted_error : error {
  explicit interrupted_error(const std::string& text) : error(error_kind::interrupted, text) {}
};

/// Exit code of the program for an error of this kind.
inline int exit_code(error_kind kind) { return static_cast<int>(kind); }

/// Throw the exception type of an error kind. This function throws the errors that other ranks have reported.
[[noreturn]] inline void throw_error(error_kind kind, const std::string& text) {
  switch (kind) {
    case error_kind::usage:
      throw usage_error(text);
    case error_kind::data:
      throw data_error(text);
    case error_kind::solve:
      throw solve_error(text);
    case error_kind::machine:
      throw machine_error(text);
    case error_kind::interrupted:
      throw interrupted_error(text);
  }
  throw machine_error(text);
}

}  // namespace osteon
