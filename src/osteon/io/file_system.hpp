#pragma once
/// @file
/// Kind of the file system of a path.
#include <string>

namespace osteon::io {

/// `local`: on one host; `network`: served by another host, for one writer at a time; `parallel`: designed for many writers.
enum class file_system_kind { local, network, parallel };

struct file_system {
  std::string name;  ///< e.g. `ext4`, `nfs`, `lustre`; `unknown 0x...`
  file_system_kind kind = file_system_kind::network;
};

/// File system by its kernel number (statfs). Unknown numbers are treated as `network`, the conservative choice.
file_system file_system_of_type(unsigned long type);

/// File system of an existing or new file. Does not check whether the file can be opened.
file_system file_system_of(const std::string& path);

}  // namespace osteon::io
