#pragma once
/// @file
/// A log that forwards all messages and records the warnings. The summary and the report can then also contain the warnings.
#include <algorithm>
#include <osteon/base/log_sink.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::job {

/// Each warning is forwarded and recorded only once, because a job that is computed several times repeats its warnings.
class warning_record final : public log_sink {
 public:
  /// The object borrows `to`.
  explicit warning_record(log_sink& to) : to_(&to) {}
  /// Forward all later messages to another log. The other log is borrowed.
  void forward_to(log_sink& to) { to_ = &to; }

  void note(std::string_view text) override { to_->note(text); }
  void warn(std::string_view text) override {
    if (keep(text)) to_->warn(text);
  }
  void stage(std::string_view name) override { to_->stage(name); }
  void progress(double fraction, std::string_view detail) override { to_->progress(fraction, detail); }

  /// Record a warning that has been printed by other code. @return true if the warning is new
  bool keep(std::string_view text) {
    if (std::find(texts_.begin(), texts_.end(), text) != texts_.end()) return false;
    texts_.emplace_back(text);
    return true;
  }

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  log_sink* to_;
  std::vector<std::string> texts_;
};

}  // namespace osteon::job
