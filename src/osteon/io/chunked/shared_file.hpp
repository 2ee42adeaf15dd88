#pragma once
/// @file
/// Concurrent writing of a file by a team of ranks (internal to io).
#include <mpi.h>

#include <osteon/io/access.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::io {

/// A part of a file.
struct extent {
  std::int64_t address = 0;
  std::span<const std::byte> bytes;
};

/// True if members use plain writes without MPI-IO: a single writer, or several on a local file system, in which the kernel
/// separates their writes and, unlike MPI-IO, reports each failure. Equal on all ranks.
bool writes_plainly(const file_team& team, const access& how);

/// Members use plain writes or MPI-IO: independent writes, or collective writes on a parallel file system or with user
/// hints, so that collective buffering is effective.
class shared_file {
 public:
  /// Open the file. MPI-IO creates it if it does not exist or striping is requested; for plain writes it must exist, so that
  /// a host with a different disk reports an error. On members of the team only.
  /// @throws machine_error on this rank: agree afterwards @collective on team.comm
  shared_file(const std::string& name, const file_team& team, const access& how);
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;
  ~shared_file();

  /// @param parts ascending; may be none @throws machine_error on this rank @collective on team.comm
  void write(std::span<const extent> parts);
  /// @throws machine_error on this rank @collective on team.comm
  void close();

 private:
  void write_together(std::span<const extent> parts);

  std::string name_;
  bool together_ = false, in_turns_ = false, starts_early_ = false;
  std::int64_t most_bytes_;  ///< maximum bytes per call
  int descriptor_ = -1;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace osteon::io
