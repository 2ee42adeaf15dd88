#pragma once
/// @file
/// A child process in a process group of its own. The output lines of the process are forwarded with a prefix.
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

class child_process {
 public:
  /// Function that receives each line before the line is forwarded. @return true if the line must be forwarded
  using listener = std::function<bool(const std::string& line)>;

  /// Start `command`. The standard input of the command is `input`.
  /// @param inherited descriptor that the child keeps open; -1: no descriptor
  /// @throws machine_error
  child_process(std::string name, const std::vector<std::string>& command, const std::string& input, listener heard = {},
                int inherited = -1);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  /// Read the available output, and print complete lines. "[name] " precedes each line. @return false after the end of both
  /// outputs
  bool flush();
  /// Print the rest of an incomplete last line.
  void hand_on_rest();
  int output() const { return out_.fd; }
  int errors() const { return err_.fd; }

  /// True if the process has ended. In this case, the function sets `status` (as waitpid).
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

/// The signal that has killed a process of a job, if this line of a launcher reports the signal. Otherwise, the result is 0.
int reported_signal(const std::string& line);

/// Text for messages, for example "exited with code 3" or "was killed by signal 9 (Killed)".
/// @param reported signal that the launcher has reported. For a process that signal 9 has killed, MPICH reports "code 9".
/// Other MPI libraries report 137.
std::string fate(int status, int reported = 0);

/// The exit code of a child in the convention of shells. For a killed process, the code is 128 plus the signal.
int code_of(int status, int reported = 0);

}  // namespace osteon::bridge::launch
