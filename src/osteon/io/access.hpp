#pragma once
/// @file
/// Which ranks touch a file, and how.
#include <mpi.h>

#include <cstdint>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/file_system.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::io {

/// `serial`: the first rank alone, without MPI-IO; `aggregated`: one rank of each host (or of each
/// access::ranks_per_writer); `parallel`: all ranks. The others send or receive their planes in bounded pieces. The file
/// does not depend on it. `automatic` depends on the file system, see choose_mode().
enum class access_mode { automatic, serial, aggregated, parallel };

/// The name of a mode on the command line, and back. @throws usage_error for another name
std::string name_of(access_mode mode);
access_mode access_mode_of(const std::string& name);

/// File access of the ranks.
struct access {
  access_mode mode = access_mode::automatic;
  int ranks_per_writer = 0;  ///< aggregated: ranks of a host that share one which touches the file; 0: all of the host
  std::vector<std::pair<std::string, std::string>> hints{};  ///< of MPI-IO, e.g. striping_factor; for writing
  std::int64_t alignment_bytes = 0;                          ///< where chunks may begin in a new file; 0: anywhere
  bool read_back = true;  ///< compare a written file with its digests before it is renamed
  /// Bytes of all ranks together in one collective call, at least a chunk each; this free space is checked before each call,
  /// so that a full disk is detected before the libraries fail.
  std::int64_t bytes_per_call = std::int64_t{256} << 20;
  std::int64_t bytes_per_message = std::int64_t{1} << 30;  ///< MPI counts in an int: larger ones are split
};

enum class direction { read, write };

/// The access that `automatic` chooses. Ranks of several hosts cannot share a local file system: serial. A network file
/// system has no safe concurrent writes: serial; one reader a host is enough for it: aggregated. Else parallel, with one
/// rank serial.
access_mode choose_mode(file_system_kind kind, int ranks, int hosts, direction way);

/// The ranks that touch a file.
struct file_team {
  access_mode mode = access_mode::serial;  ///< never automatic
  file_system system;
  int hosts = 1;
  std::vector<int> ranks;   ///< of the whole communicator, ascending; the first is 0
  bool contiguous = true;   ///< true if each of them serves the ranks up to the next one
  comm::communicator comm;  ///< of those ranks; null elsewhere. Never with a topology, which breaks MPI-IO
  bool member() const { return comm.get() != MPI_COMM_NULL; }

  /// @collective on all
  static file_team make(MPI_Comm all, const std::string& path, const access& how, direction way);
};

/// The hints of a parallel file, those of the user last. Free it by MPI_Info_free.
MPI_Info make_info(const access& how, const file_team& team);

/// @throws usage_error for an invalid hint
void check_hints(const access& how);

}  // namespace osteon::io
