#pragma once
/// @file
/// Statistics of reading or writing a file.
#include <cstdint>
#include <osteon/io/access.hpp>
#include <string>

namespace osteon::io {

struct file_report {
  std::int64_t bytes = 0;   ///< size of the file
  std::int64_t values = 0;  ///< size of the values before compression, in bytes
  double seconds = 0;       ///< duration of the calls
  access_mode mode = access_mode::serial;
  std::string system;  ///< name of the file system; on the first rank
};

}  // namespace osteon::io
