#pragma once
/// @file
/// Implementations of the all-to-all exchange (comm/exchange/exchange.hpp) by messages, in shared memory, and by groups.
#include <osteon/comm/exchange/exchange.hpp>

namespace osteon::comm {

/// Executes the messages of a plan round by round. On one host, ranks do not wait between rounds, unless the options request
/// barriers.
/// @param comm, options must outlive the object
std::unique_ptr<all_to_all::backend> exchange_by_messages(MPI_Comm comm, const plan::plan& plan,
                                                          const all_to_all_options& options, bool one_host);

/// Executes a plan that sends each parcel directly to its receiver. Ranks copy parcels through buffers in shared memory in
/// the order of the rounds. Ranks do not wait for the end of a round.
/// @throws machine_error if shared memory is insufficient
/// @collective on host
std::unique_ptr<all_to_all::backend> exchange_in_shared_memory(MPI_Comm host, const plan::plan& plan);

/// Executes the plan `hierarchical:members` with shared memory inside groups. @return null if groups have unequal sizes or
/// span several hosts. Use exchange_by_messages in this case.
/// @collective on comm
std::unique_ptr<all_to_all::backend> exchange_hierarchically(MPI_Comm comm, int members, const all_to_all_options& options);

/// Start the MPI requests for the pieces of a message. The size of the message may exceed the range of MPI counts.
void send_in_pieces(const std::byte* from, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                    std::vector<MPI_Request>& requests);
void receive_in_pieces(std::byte* into, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                       std::vector<MPI_Request>& requests);

}  // namespace osteon::comm
