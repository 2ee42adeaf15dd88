#pragma once
/// @file
/// Implementations of the all-to-all exchange (comm/exchange/exchange.hpp): messages, shared memory, or both.
#include <osteon/comm/exchange/exchange.hpp>

namespace osteon::comm {

/// Executes the messages of a plan round by round; on one host without waiting after each round, unless barriers are
/// requested.
/// @param comm, options must outlive the object
std::unique_ptr<all_to_all::backend> exchange_by_messages(MPI_Comm comm, const plan::plan& what,
                                                          const all_to_all_options& options, bool one_host);

/// Executes a plan that sends each parcel directly to its receiver as copies through buffers in shared memory, in the order
/// of rounds but without waiting for a round to complete.
/// @throws machine_error if shared memory is insufficient
/// @collective on host
std::unique_ptr<all_to_all::backend> exchange_in_shared_memory(MPI_Comm host, const plan::plan& what);

/// Executes the plan `hierarchical:members` with shared memory inside groups. @return null if groups have unequal sizes or
/// span several hosts; messages are then used throughout
/// @collective on comm
std::unique_ptr<all_to_all::backend> exchange_hierarchically(MPI_Comm comm, int members, const all_to_all_options& options);

/// Start requests for the pieces of a message whose size may exceed the count of MPI.
void send_in_pieces(const std::byte* from, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                    std::vector<MPI_Request>& requests);
void receive_in_pieces(std::byte* into, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                       std::vector<MPI_Request>& requests);

}  // namespace osteon::comm
