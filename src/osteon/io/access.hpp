#pragma once
/// @file
/// File access modes: selection of the ranks that access a file.
#include <mpi.h>

#include <cstdint>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/file_system.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::io {

/// `serial`: only the first rank accesses the file, without MPI-IO. `aggregated`: one rank of each host, or of each group of
/// access::ranks_per_writer ranks, accesses the file. `parallel`: all ranks access the file. The other ranks send or receive
/// their planes in pieces of bounded size. The content of the file does not depend on the mode. `automatic` selects a mode
/// by the file system (choose_mode()).
enum class access_mode { automatic, serial, aggregated, parallel };

/// Conversion between a mode and its name on the command line. @throws usage_error for unknown names
std::string name_of(access_mode mode);
access_mode access_mode_of(const std::string& name);

/// File access of the ranks.
struct access {
  access_mode mode = access_mode::automatic;
  /// Aggregated mode: one rank accesses the file for this number of ranks of its host; 0: for all ranks of its host.
  int ranks_per_writer = 0;
  std::vector<std::pair<std::string, std::string>> hints{};  ///< MPI-IO hints for writing, for example striping_factor
  std::int64_t alignment_bytes = 0;                          ///< alignment of chunks in a new file; 0: none
  bool read_back = true;  ///< compare a written file with its digests before it is renamed
  /// Maximum number of bytes of all ranks in one collective call; each rank transfers at least one chunk. The free space is
  /// checked before each call, because the libraries may fail on a full disk.
  std::int64_t bytes_per_call = std::int64_t{256} << 20;
  std::int64_t bytes_per_message = std::int64_t{1} << 30;  ///< MPI counts are int: larger messages are split
};

enum class direction { read, write };

/// Mode selected by `automatic`. With one rank, or several hosts on a local file system, access is serial. On a network file
/// system, writing is serial, because concurrent writes are unsafe. Reading from a network file system is aggregated,
/// because one reader per host is sufficient. Access is parallel in all other cases.
access_mode choose_mode(file_system_kind kind, int ranks, int hosts, direction way);

/// Team of ranks that access a file.
struct file_team {
  access_mode mode = access_mode::serial;  ///< never automatic
  file_system system;
  int hosts = 1;
  std::vector<int> ranks;   ///< ranks of the members in the full communicator, ascending; the first member is rank 0
  bool contiguous = true;   ///< true if each member serves consecutive ranks, up to the rank of the next member
  comm::communicator comm;  ///< communicator of the members; null on other ranks; without a process topology, because a
                            ///< topology breaks MPI-IO
  bool member() const { return comm.get() != MPI_COMM_NULL; }

  /// @collective on all
  static file_team make(MPI_Comm all, const std::string& path, const access& options, direction way);
};

/// MPI-IO hints of a parallel file; hints of the user take precedence. The caller frees the object by MPI_Info_free.
MPI_Info make_info(const access& options, const file_team& team);

/// @throws usage_error for an invalid hint
void check_hints(const access& options);

}  // namespace osteon::io
