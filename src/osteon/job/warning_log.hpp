#pragma once
/// @file
/// A log that stores warnings as problems.
#include <osteon/base/error.hpp>
#include <osteon/base/log_sink.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::job {

class warning_log : public log_sink {
 public:
  /// The object borrows `to`. @param where key of the warnings
  warning_log(std::vector<problem>& to, const char* where) : to_(to), where_(where) {}
  void warn(std::string_view text) override { to_.push_back({where_, std::string(text)}); }

 private:
  std::vector<problem>& to_;
  const char* where_;
};

}  // namespace osteon::job
