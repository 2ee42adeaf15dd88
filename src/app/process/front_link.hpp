#pragma once
/// @file
/// Connection between the process that a user starts and its ranks, independent of the launcher. The connection is needed
/// because launchers differ in the signals and exit codes that they forward. No launcher notifies the ranks when the process
/// of the user has ended.
#include <app/process/parent_process.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

/// Endpoint of the process that starts the ranks: a socket that is visible only on this machine.
class rank_line {
 public:
  /// Create the socket. On a system without such sockets, only the launcher connects the processes.
  rank_line();
  ~rank_line();
  rank_line(const rank_line&) = delete;
  rank_line& operator=(const rank_line&) = delete;

  /// Store the address of the socket in the record for the ranks.
  void describe(parent_process& parent) const;
  /// Wait for messages from the ranks, or until `also` is readable (-1: none).
  void wait(int also, std::chrono::milliseconds longest);
  /// Process received messages.
  void listen();
  /// Send the urgency of a stop request to all present and future ranks.
  void tell(int urgency);
  /// True if a rank of this host has connected.
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

/// Request an orderly stop when the pipe with the descriptor number in OSTEON_LIFELINE closes. osteon then ends together
/// with the program that uses osteon, such as Python in a notebook.
void follow_lifeline();

/// Observe the process that started this rank, if that process is on this host. The rank stops when the process requests a
/// stop, or when the process has ended. Call this function before MPI_Init. If the command does not handle stop requests,
/// the rank ends immediately.
/// @throws interrupted_error if that process has already ended
void follow_front();

/// True if this rank is connected to the process that started it.
bool has_front();
/// Called in each rank if another rank of its world is connected and reports the exit code, which is equal on all ranks.
void leave_code_to_others();

/// Report the exit code to the process that started this rank. @return true if the process received the code from this rank,
/// or receives it from another rank. The rank then returns 0 to the launcher, because launchers print messages about other
/// codes.
bool report_to_front(int code);

}  // namespace osteon::app
