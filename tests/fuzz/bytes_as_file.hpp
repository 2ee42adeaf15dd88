#pragma once
/// @file
/// A file in memory for readers that require a path.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace osteon::fuzz {

class bytes_as_file {
 public:
  bytes_as_file(const std::uint8_t* data, std::size_t size) : file_(memfd_create("input", 0)) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = write(file_, data + done, size - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
  }
  bytes_as_file(const bytes_as_file&) = delete;
  bytes_as_file& operator=(const bytes_as_file&) = delete;
  ~bytes_as_file() { close(file_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace osteon::fuzz
