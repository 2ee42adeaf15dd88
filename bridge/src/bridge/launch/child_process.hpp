#pragma once
/// @file
/// A child process in its own process group, whose output lines are forwarded with a prefix.
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

class child_process {
 public:
  /// Receives each line before it is forwarded. @return true to forward it
  using listener = std::function<bool(const std::string& line)>;

  /// Start `command` with `input` as standard input.
  /// @param inherited a descriptor that it keeps open; -1 for none
  /// @throws machine_error
  child_process(std::string name, const std::vector<std::string>& command, const std::string& input, listener heard = {},
                int inherited = -1);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  /// Read available output and print complete lines, each after "[name] ". @return false after the end of both outputs
  /// ended
  bool flush();
  /// Print the rest of an incomplete last line.
  void hand_on_rest();
  int output() const { return out_.fd; }
  int errors() const { return err_.fd; }

  /// True if it has ended; sets `status` (as from waitpid).
  bool ended();
  int status() const { return status_; }
  /// Signal to its whole group.
  void signal(int number) const;
  const std::string& name() const { return name_; }

 private:
  struct stream {
    int fd = -1;
    std::string line;
  };
  bool read_from(stream& s, std::FILE* to);
  void print(const std::string& line, std::FILE* to) const;
  std::string name_;
  listener heard_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
  stream out_, err_;
};

/// The signal that killed a process of a job, if this line of a launcher reports one; otherwise 0.
int reported_signal(const std::string& line);

/// "exited with code 3", "was killed by signal 9 (Killed)".
/// @param reported_signal the signal reported by the launcher: MPICH reports "code 9" for it, others 137
std::string fate(int status, int reported = 0);

/// The exit code of a child in shell convention: 128 plus the signal for a killed one.
int code_of(int status, int reported = 0);

}  // namespace osteon::bridge::launch
