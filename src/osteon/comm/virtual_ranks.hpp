#pragma once
/// @file
/// Virtual ranks: threads of one process that run one at a time and exchange data in memory. The set-up of neighbours on
/// them yields the messages of that many ranks without their machine.
///
/// A virtual rank has a separate communicator with its comm::rank and comm::size, on which comm::neighbours and the
/// functions below communicate. For MPI functions it is a communicator of one rank.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace osteon::comm {

class message_ledger;
struct rehearsed_parts;

/// Run `body` as each of `ranks` ranks, one at a time. Each counts its messages.
/// @return the ledgers by rank
/// @throws errors of a rank, and machine_error on deadlock
/// @collective local; MPI has to be initialised with MPI_THREAD_SERIALIZED
std::vector<message_ledger> run_virtual_ranks(int ranks, const std::function<void(MPI_Comm)>& body);

class virtual_world;
/// World of the communicator of a virtual rank; null for MPI communicators.
struct virtual_place {
  virtual_world* world = nullptr;
  int rank = 0;
};

/// Object attached to a communicator (internal to comm).
struct attachment {
  message_ledger* ledger = nullptr;
  virtual_place place;
  rehearsed_parts* parts = nullptr;  ///< virtual rank: parts by `sent_part`
  bool has_values = true;            ///< false: virtual rank that only counts messages (without_values)
};
/// Null if there is none. @collective local
attachment* attachment_of(MPI_Comm comm);
void attach(MPI_Comm comm, attachment* what);

/// Send to, and receive from, another virtual rank. Messages are ordered by sender, receiver and tag.
void virtual_send(const virtual_place& from, int to, int tag, std::span<const std::byte> bytes);
std::vector<std::byte> virtual_receive(const virtual_place& to, int from, int tag);

/// True for the communicator of a virtual rank. @collective local
bool is_virtual(MPI_Comm comm);
/// During its lifetime, the virtual rank has no values of unknowns: a solver runs with empty vectors, its messages of values
/// are counted and not sent, and sums of values over the ranks are one. Neighbours are set up as usual. No effect on MPI
/// ranks.
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
/// Gather bytes of each virtual rank on rank 0; empty elsewhere. Also broadcast from rank 0, and scatter of a list.
/// @collective on comm, of virtual ranks
std::vector<std::vector<std::byte>> virtual_gather(MPI_Comm comm, std::span<const std::byte> own);
std::vector<std::byte> virtual_broadcast(MPI_Comm comm, std::span<const std::byte> of_first);
std::vector<std::byte> virtual_scatter(MPI_Comm comm, const std::vector<std::vector<std::byte>>& of_first);

/// Maximum, and sum, over all ranks, virtual or not. @collective on comm
int largest_of(MPI_Comm comm, int value);
std::int64_t sum_of(MPI_Comm comm, std::int64_t value);
/// Value of each rank on rank 0; empty elsewhere. @collective on comm
std::vector<int> gathered_counts(MPI_Comm comm, int value);

}  // namespace osteon::comm
