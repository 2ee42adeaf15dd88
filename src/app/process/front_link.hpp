#pragma once
/// @file
/// The line between the process that a user starts and its ranks, beside the launcher: launchers differ in the signals and
/// exit codes that they hand on, and none tells the ranks that the process has gone.
#include <app/process/parent_process.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

/// The end of the process that starts the ranks: a socket that only this machine sees.
class rank_line {
 public:
  /// Listen. If the system has no such socket, launchers have to do.
  rank_line();
  ~rank_line();
  rank_line(const rank_line&) = delete;
  rank_line& operator=(const rank_line&) = delete;

  /// Put its address into what the ranks are told.
  void describe(parent_process& parent) const;
  /// Wait for news from the ranks, or until `also` can be read (-1: nothing).
  void wait(int also, std::chrono::milliseconds longest);
  /// Take in what has come.
  void listen();
  /// Tell the ranks, also those that come later, how urgently they are to stop.
  void tell(int urgency);
  /// True if a rank of this host has connected; the present number of connected ranks.
  bool has_ranks() const { return had_ranks_; }
  std::size_t connected() const { return ranks_.size(); }
  /// What a rank reported: the first failure, or 0.
  std::optional<int> exit_code() const { return code_; }

 private:
  void send_urgency(int rank) const;

  int listening_ = -1;
  std::string name_;  // of the socket
  std::vector<int> ranks_;
  bool had_ranks_ = false;
  int urgency_ = 0;
  std::optional<int> code_;
};

/// Stop in order when the pipe closes whose number is in OSTEON_LIFELINE: a program that is used by another, such as Python
/// in a notebook, ends with it.
void follow_lifeline();

/// Follow the process that started this rank, if there is one on this host: stop when it asks, and stop when it has
/// gone. Call it before MPI begins. A command that does not note stop requests is ended.
/// @throws interrupted_error if that process is gone already
void follow_front();

/// Tell it the exit code. @return whether it knows, so that the launcher need not: they talk about any code but 0
bool report_to_front(int code);

}  // namespace osteon::app
