#pragma once
/// @file
/// The implementations of an all-to-all exchange (comm/exchange/exchange.hpp): messages, shared memory, both.
#include <osteon/comm/exchange/exchange.hpp>

namespace osteon::comm {

/// Messages as a plan has them, round by round; on one host without waiting after each round, unless there are barriers.
/// @param comm, options are used until the object goes
std::unique_ptr<all_to_all::backend> exchange_by_messages(MPI_Comm comm, const plan::plan& what,
                                                          const all_to_all_options& options, bool one_host);

/// The messages of a plan that brings each parcel straight to its receiver, as copies through boxes in shared memory, in the
/// order of its rounds but without waiting for the end of one.
/// @throws machine_error if there is too little shared memory
/// @collective on host
std::unique_ptr<all_to_all::backend> exchange_in_shared_memory(MPI_Comm host, const plan::plan& what);

/// The plan `hierarchical:members` with shared memory inside groups. @return nothing if groups are of unequal size or not on
/// one host each: then it is messages throughout
/// @collective on comm
std::unique_ptr<all_to_all::backend> exchange_hierarchically(MPI_Comm comm, int members, const all_to_all_options& options);

/// Requests for the pieces of a message that may be longer than MPI counts.
void send_in_pieces(const std::byte* from, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                    std::vector<MPI_Request>& requests);
void receive_in_pieces(std::byte* into, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                       std::vector<MPI_Request>& requests);

}  // namespace osteon::comm
