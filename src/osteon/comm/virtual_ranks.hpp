#pragma once
/// @file
/// Virtual ranks: threads of one process that run one at a time and exchange data in memory. Virtual ranks determine the
/// messages of a run on many ranks. The run then needs no machine of that size.
///
/// Each virtual rank has its own communicator. comm::rank and comm::size return the number of the virtual rank and the
/// number of virtual ranks. comm::neighbours and the functions below communicate between virtual ranks. For functions of
/// MPI, the communicator of a virtual rank has one rank.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace osteon::comm {

class message_ledger;
struct message_parts;

/// Run `body` once as each of `ranks` ranks, one rank at a time. Count the messages of each rank.
/// @return the ledger of each rank
/// @throws the first error of a rank; machine_error on deadlock
/// @collective local; MPI must be initialised with MPI_THREAD_SERIALIZED
std::vector<message_ledger> run_virtual_ranks(int ranks, const std::function<void(MPI_Comm)>& body);

class virtual_world;
/// Position of a virtual rank. For communicators of MPI, `world` is null.
struct virtual_place {
  virtual_world* world = nullptr;
  int rank = 0;
};

/// Object attached to a communicator (internal to comm).
struct attachment {
  message_ledger* ledger = nullptr;
  virtual_place place;
  message_parts* parts = nullptr;  ///< messages of a virtual rank for each `sent_part`
  bool has_values = true;          ///< false for a virtual rank that only counts messages (without_values)
};
/// Object attached to `comm`. If no object is attached, the result is null. @collective local
attachment* attachment_of(MPI_Comm comm);
void attach(MPI_Comm comm, attachment* attached);

/// Send to or receive from another virtual rank. Messages with equal sender, receiver and tag arrive in the order of
/// sending.
void virtual_send(const virtual_place& from, int to, int tag, std::span<const std::byte> bytes);
std::vector<std::byte> virtual_receive(const virtual_place& to, int from, int tag);

/// True for the communicator of a virtual rank. @collective local
bool is_virtual(MPI_Comm comm);
/// While this object exists, the virtual rank has no values of unknowns. Vectors of a solver are empty, messages of the
/// solver are counted but not sent, and sums over ranks are 1. Neighbour exchanges are set up with their usual messages. The
/// object has no effect on MPI ranks.
/// @collective local
class without_values {
 public:
  explicit without_values(MPI_Comm comm);
  ~without_values();
  without_values(const without_values&) = delete;
  without_values& operator=(const without_values&) = delete;

 private:
  attachment* attached_ = nullptr;
};
/// True if the ranks of a communicator have values. @collective local
bool has_values(MPI_Comm comm);
/// Gather the bytes of each virtual rank on rank 0 (empty on other ranks), broadcast the bytes of rank 0, or scatter a list
/// of rank 0.
/// @collective on comm, the communicator of a virtual rank
std::vector<std::vector<std::byte>> virtual_gather(MPI_Comm comm, std::span<const std::byte> own);
std::vector<std::byte> virtual_broadcast(MPI_Comm comm, std::span<const std::byte> of_first);
std::vector<std::byte> virtual_scatter(MPI_Comm comm, const std::vector<std::vector<std::byte>>& of_first);

/// Maximum and sum over all ranks, for virtual ranks and for MPI. @collective on comm
int max_over_ranks(MPI_Comm comm, int value);
std::int64_t max_over_ranks(MPI_Comm comm, std::int64_t value);
double max_over_ranks(MPI_Comm comm, double value);
std::int64_t sum_over_ranks(MPI_Comm comm, std::int64_t value);
inline std::int64_t sum_over_ranks(MPI_Comm comm, int value) { return sum_over_ranks(comm, std::int64_t{value}); }
double sum_over_ranks(MPI_Comm comm, double value);
/// Gather one value per rank on rank 0. The result is empty on other ranks. @collective on comm
std::vector<int> gathered_counts(MPI_Comm comm, int value);

}  // namespace osteon::comm
