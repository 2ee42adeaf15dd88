#pragma once
/// @file
/// Kind of the file system of a path.
#include <string>

namespace osteon::io {

/// `local`: storage of one host. `network`: storage of a server, safe for one writer at a time. `parallel`: designed for
/// many writers.
enum class file_system_kind { local, network, parallel };

struct file_system {
  std::string name;  ///< e.g. `ext4`, `nfs`, `lustre`; `unknown 0x...`
  file_system_kind kind = file_system_kind::network;
};

/// File system by its kernel number (statfs). Unknown numbers are treated as `network`, which is the safe choice.
file_system file_system_of_type(unsigned long type);

/// File system of an existing or new file. The function does not check access to the file.
file_system file_system_of(const std::string& path);

}  // namespace osteon::io
