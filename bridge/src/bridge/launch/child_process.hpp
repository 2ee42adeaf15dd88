#pragma once
/// @file
/// A child process in a process group of its own, whose lines of output are handed on with a prefix.
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace osteon::bridge::launch {

class child_process {
 public:
  /// Hears each line before it is handed on. @return shall it be handed on?
  using listener = std::function<bool(const std::string& line)>;

  /// Start `words` and give it `input` on its standard input.
  /// @param inherited a descriptor that it keeps open; -1 for none
  /// @throws machine_error
  child_process(std::string name, const std::vector<std::string>& words, const std::string& input, listener heard = {},
                int inherited = -1);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  /// Read the output that has arrived and print whole lines, each after "[name] ". @return false once both outputs have
  /// ended
  bool hand_on();
  /// Print the rest of an unfinished last line.
  void hand_on_rest();
  int output() const { return out_.fd; }
  int errors() const { return err_.fd; }

  /// Has it ended? Sets `status` (as from waitpid) then.
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

/// The signal by which a process of a job was killed, if this line of a launcher says so; else 0.
int signal_told(const std::string& line);

/// "exited with code 3", "was killed by signal 9 (Killed)".
/// @param told signal that the launcher has named: MPICH's says "code 9" for it, others 137
std::string fate(int status, int told = 0);

/// The exit code of a child as a shell has it: 128 and the signal for a killed one.
int code_of(int status, int told = 0);

}  // namespace osteon::bridge::launch
