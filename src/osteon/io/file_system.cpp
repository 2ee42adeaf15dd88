#include <osteon/io/file_system.hpp>

#include <fmt/format.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace osteon::io {
namespace {

struct known_type {
  unsigned long type;
  const char* name;
  file_system_kind kind;
};

// The numbers are defined in linux/magic.h, and in the headers of file systems outside of the kernel.
constexpr std::array known{
    known_type{0xEF53, "ext", file_system_kind::local},
    known_type{0x58465342, "xfs", file_system_kind::local},
    known_type{0x9123683E, "btrfs", file_system_kind::local},
    known_type{0x2FC12FC1, "zfs", file_system_kind::local},
    known_type{0xF2F52010, "f2fs", file_system_kind::local},
    known_type{0x01021994, "tmpfs", file_system_kind::local},
    known_type{0x858458F6, "ramfs", file_system_kind::local},
    known_type{0x794C7630, "overlay", file_system_kind::local},
    known_type{0x6969, "nfs", file_system_kind::network},
    known_type{0xFF534D42, "cifs", file_system_kind::network},
    known_type{0xFE534D42, "smb", file_system_kind::network},
    known_type{0x01021997, "9p", file_system_kind::network},
    known_type{0x5346414F, "afs", file_system_kind::network},
    known_type{0x65735546, "fuse", file_system_kind::network},
    known_type{0x0BD00BD0, "lustre", file_system_kind::parallel},
    known_type{0x47504653, "gpfs", file_system_kind::parallel},
    known_type{0x19830326, "beegfs", file_system_kind::parallel},
    known_type{0x00C36400, "ceph", file_system_kind::parallel},
    known_type{0x20030528, "orangefs", file_system_kind::parallel},
    known_type{0xAAD7AAEA, "panfs", file_system_kind::parallel},
};

}  // namespace

file_system file_system_of_type(unsigned long type) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const known_type& k) { return k.type == type; });
  if (found == known.end()) return {fmt::format("unknown {:#x}", type), file_system_kind::network};
  return {found->name, found->kind};
}

file_system file_system_of(const std::string& path) {
  std::filesystem::path place(path);
  std::error_code ignored;
  if (!std::filesystem::exists(place, ignored)) place = place.has_parent_path() ? place.parent_path() : ".";
  struct statfs status{};
  if (::statfs(place.c_str(), &status) != 0) return {"unknown", file_system_kind::network};
  return file_system_of_type(static_cast<unsigned long>(status.f_type) & 0xFFFFFFFFUL);
}

}  // namespace osteon::io
