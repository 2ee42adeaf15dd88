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

/// `serial`: the first rank alone, without MPI-IO; `aggregated`: one rank of each host (or of each
/// access::ranks_per_writer); `parallel`: all ranks. The others send or receive their planes in bounded pieces. The file is
/// independent of the mode. `automatic` depends on the file system, see choose_mode().
enum class access_mode { automatic, serial, aggregated, parallel };

/// Conversion between a mode and its name on the command line. @throws usage_error for unknown names
std::string name_of(access_mode mode);
access_mode access_mode_of(const std::string& name);

/// File access of the ranks.
struct access {
  access_mode mode = access_mode::automatic;
  int ranks_per_writer = 0;  ///< aggregated: number of ranks of a host per accessing rank; 0: all of the host
  std::vector<std::pair<std::string, std::string>> hints{};  ///< of MPI-IO, e.g. striping_factor; for writing
  std::int64_t alignment_bytes = 0;                          ///< alignment of chunks in a new file; 0: none
  bool read_back = true;  ///< compare a written file with its digests before it is renamed
  /// Total bytes of all ranks in one collective call, at least a chunk each; this free space is checked before each call, so
  /// that a full disk is detected before the libraries fail.
  std::int64_t bytes_per_call = std::int64_t{256} << 20;
  std::int64_t bytes_per_message = std::int64_t{1} << 30;  ///< MPI counts are int: larger messages are split
};

enum class direction { read, write };

/// Mode selected by `automatic`. A local file system is not shared by several hosts: serial. A network file system has no
/// safe concurrent writes: serial; one reader per host is sufficient: aggregated. Otherwise parallel, or serial with one
/// rank.
access_mode choose_mode(file_system_kind kind, int ranks, int hosts, direction way);

/// Team of ranks that access a file.
struct file_team {
  access_mode mode = access_mode::serial;  ///< never automatic
  file_system system;
  int hosts = 1;
  std::vector<int> ranks;   ///< ranks in the full communicator, ascending; the first is 0
  bool contiguous = true;   ///< true if each of them serves the ranks up to the next one
  comm::communicator comm;  ///< communicator of those ranks; null elsewhere. Without a topology, which breaks MPI-IO
  bool member() const { return comm.get() != MPI_COMM_NULL; }

  /// @collective on all
  static file_team make(MPI_Comm all, const std::string& path, const access& how, direction way);
};

/// MPI-IO hints of a parallel file, those of the user last. Free by MPI_Info_free.
MPI_Info make_info(const access& how, const file_team& team);

/// @throws usage_error for an invalid hint
void check_hints(const access& how);

}  // namespace osteon::io
