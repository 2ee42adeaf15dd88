#pragma once
/// @file
/// The full verification of a sort.
#include <string>
#include <studies/hyper_crossbar/integer_sort/radix_sort.hpp>

namespace osteon::studies::integer_sort {

/// Compare an arrangement with its original keys. Keys must be ascending. Equal keys must be in the order of their indices.
/// Each key must occur exactly once. A sum of hashes of key and index checks this condition. NPB checks only the ascending
/// order.
/// @param keys keys of this rank, starting at index `first` of the sequence
/// @return description of the fault; empty if there is no fault
/// @collective on comm
std::string fault_of(MPI_Comm comm, std::span<const std::int32_t> keys, std::int64_t first, const arrangement& sorted);

}  // namespace osteon::studies::integer_sort
