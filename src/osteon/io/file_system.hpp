#pragma once
/// @file
/// The kind of file system of a path.
#include <string>

namespace osteon::io {

/// `local`: of one host; `network`: served by another host, for one writer at a time; `parallel`: made for many writers.
enum class file_system_kind { local, network, parallel };

struct file_system {
  std::string name;  ///< e.g. `ext4`, `nfs`, `lustre`; `unknown 0x...`
  file_system_kind kind = file_system_kind::network;
};

/// The file system by its number in the kernel (statfs). One that is not known counts as `network`, the careful choice.
file_system file_system_of_type(unsigned long type);

/// The file system of a file that exists or would be made. Does not check whether the file can be opened.
file_system file_system_of(const std::string& path);

}  // namespace osteon::io
