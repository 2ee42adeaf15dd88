#include <app/process/launcher_room.hpp>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/job/system_info.hpp>
#include <string>

namespace osteon::app {

namespace {

// As Open MPI chooses it.
std::string folder_for_temporaries() {
  for (const char* name : {"OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base", "TMPDIR", "TEMP", "TMP"})
    if (const char* folder = std::getenv(name); folder && *folder) return folder;
  return "/tmp";
}

}  // namespace

void require_room_for_launcher(int ranks) {
  if (job::this_build().mpi.find("Open MPI") == std::string::npos) return;
  const std::string folder = folder_for_temporaries();
  struct statvfs system{};
  if (statvfs(folder.c_str(), &system) != 0)
    throw machine_error(fmt::format(
        "the folder for temporary files '{}' cannot be used: {}; set TMPDIR to a folder that this user may write "
        "to",
        folder, std::strerror(errno)));
  // Measured with Open MPI 4.1: 8.2 MB for 2 to 16 ranks. Each further rank has sockets and small files.
  const double megabyte = 1e6, needed = 12 * megabyte + 0.064 * megabyte * ranks;
  const double free = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
  if (free < needed)
    throw machine_error(fmt::format(
        "the folder for temporary files '{}' has {:.1f} MB free, and mpirun needs {:.1f} MB for {} ranks; free some "
        "space, or set TMPDIR to another folder",
        folder, free / megabyte, needed / megabyte, ranks));
}

}  // namespace osteon::app
