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

/// True if members use plain writes without MPI-IO: for a single writer, or for several writers on a local file system. The
/// kernel separates concurrent writes to a local file system and, unlike MPI-IO, reports each failure. The result is equal
/// on all ranks.
bool writes_plainly(const file_team& team, const access& options);

/// A file written by the members of a team, with plain writes or MPI-IO. On a parallel file system, or with user hints,
/// MPI-IO writes are collective, because collective buffering requires collective writes. Otherwise MPI-IO writes are
/// independent.
class shared_file {
 public:
  /// Open the file on members of the team. MPI-IO creates the file if the file does not exist, or if striping is requested.
  /// For plain writes the file must exist. Otherwise a host with a different disk would create a second file instead of
  /// reporting an error.
  /// @throws machine_error on this rank; the caller must agree on errors @collective on team.comm
  shared_file(const std::string& name, const file_team& team, const access& options);
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;
  ~shared_file();

  /// Write parts of the file. @param parts ascending; may be empty @throws machine_error on this rank @collective on
  /// team.comm
  void write(std::span<const extent> parts);
  /// Close the file. @throws machine_error on this rank @collective on team.comm
  void close();

 private:
  void write_collectively(std::span<const extent> parts);

  std::string name_;
  bool collective_ = false, serialised_ = false, flushes_early_ = false;
  std::int64_t most_bytes_;  ///< maximum bytes per call
  int descriptor_ = -1;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace osteon::io
