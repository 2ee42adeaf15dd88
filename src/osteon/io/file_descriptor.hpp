#pragma once
/// @file
/// POSIX file access at given offsets.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace osteon::io {

/// An open file, closed by the destructor.
class file_descriptor {
 public:
  /// Open a file. After an error, the file descriptor is negative and errno is set.
  file_descriptor(const std::string& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~file_descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

/// Read up to `size` bytes at an offset.
/// @return number of bytes, which is less than `size` only at the end of the file; -1 after an error (errno)
inline std::int64_t read_at(int descriptor, void* to, std::int64_t size, std::int64_t at) {
  std::int64_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(descriptor, static_cast<char*>(to) + done, static_cast<std::size_t>(size - done), at + done);
    if (n == 0) break;
    if (n > 0)
      done += n;
    else if (errno != EINTR)
      return -1;
  }
  return done;
}

/// Write `size` bytes at an offset. @return false after an error (errno)
inline bool write_at(int descriptor, const void* from, std::int64_t size, std::int64_t at) {
  for (std::int64_t done = 0; done < size;) {
    const ssize_t n =
        ::pwrite(descriptor, static_cast<const char*>(from) + done, static_cast<std::size_t>(size - done), at + done);
    if (n > 0) done += n;
    if (n == 0) errno = EIO;  // POSIX permits a write of no bytes without an error
    if (n <= 0 && errno != EINTR) return false;
  }
  return true;
}

}  // namespace osteon::io
