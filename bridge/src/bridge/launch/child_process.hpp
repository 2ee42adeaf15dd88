#pragma once
/// @file
/// A child process in its own process group. The output lines of the process are forwarded with a prefix.
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

class child_process {
 public:
  /// Function that receives each line before it is forwarded. @return true to forward the line
  using listener = std::function<bool(const std::string& line)>;

  /// Start `command` with `input` as standard input.
  /// @param inherited a descriptor that the child keeps open; -1: no descriptor
  /// @throws machine_error
  child_process(std::string name, const std::vector<std::string>& command, const std::string& input, listener heard = {},
                int inherited = -1);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  /// Read available output and print complete lines, each after "[name] ". @return false after the end of both outputs
  bool flush();
  /// Print the rest of an incomplete last line.
  void hand_on_rest();
  int output() const { return out_.fd; }
  int errors() const { return err_.fd; }

  /// True if the process has ended; in this case, the function sets `status` (as waitpid).
  bool ended();
  int status() const { return status_; }
  /// Send a signal to the whole process group.
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

/// The signal that killed a process of a job, if this line of a launcher reports a signal; otherwise 0.
int reported_signal(const std::string& line);

/// Text for messages, for example "exited with code 3" or "was killed by signal 9 (Killed)".
/// @param reported_signal the signal reported by the launcher. For a process killed by signal 9, MPICH reports "code 9", and
/// other MPIs report 137
std::string fate(int status, int reported = 0);

/// The exit code of a child in shell convention: 128 plus the signal for a killed process.
int code_of(int status, int reported = 0);

}  // namespace osteon::bridge::launch
