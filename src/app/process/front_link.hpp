#pragma once
/// @file
/// Connection between the process that a user starts and its ranks, independent of the launcher. Launchers differ in the
/// signals and exit codes that they forward, and none notifies the ranks when the process has ended.
#include <app/process/parent_process.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

/// Endpoint of the process that starts the ranks: a socket that is visible only on this machine.
class rank_line {
 public:
  /// Listen. Without such sockets, only the launcher connects the processes.
  rank_line();
  ~rank_line();
  rank_line(const rank_line&) = delete;
  rank_line& operator=(const rank_line&) = delete;

  /// Store its address in the record for the ranks.
  void describe(parent_process& parent) const;
  /// Wait for messages from the ranks, or until `also` is readable (-1: none).
  void wait(int also, std::chrono::milliseconds longest);
  /// Process received messages.
  void listen();
  /// Send the urgency of a stop request to all present and future ranks.
  void tell(int urgency);
  /// True if a rank of this host has connected; the present number of connected ranks.
  bool has_ranks() const { return had_ranks_; }
  std::size_t connected() const { return ranks_.size(); }
  /// Exit code of the first failed rank, or 0.
  std::optional<int> exit_code() const { return code_; }

 private:
  void send_urgency(int rank) const;

  int listening_ = -1;
  std::string name_;  // name of the socket
  std::vector<int> ranks_;
  bool had_ranks_ = false;
  int urgency_ = 0;
  std::optional<int> code_;
};

/// Stop in order when the pipe with the number in OSTEON_LIFELINE closes, so that osteon ends with the program that uses it,
/// such as Python in a notebook.
void follow_lifeline();

/// Follow the process that started this rank, if it is on this host: stop on its request and when it has ended. Call before
/// MPI_Init. A command that does not handle stop requests is ended.
/// @throws interrupted_error if that process has already ended
void follow_front();

/// Report the exit code to that process. @return true if it received the code; the launcher then gets 0, as launchers print
/// messages about other codes
bool report_to_front(int code);

}  // namespace osteon::app
