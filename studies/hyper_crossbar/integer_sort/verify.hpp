#pragma once
/// @file
/// The full verification of a sort.
#include <string>
#include <studies/hyper_crossbar/integer_sort/radix_sort.hpp>

namespace osteon::studies::integer_sort {

/// Compare an arrangement with its original keys: ascending, equal keys in the order of their indices, and each
/// key exactly once (by a sum of hashes of key and index).
/// NPB checks the ascending order only.
/// @param keys of this rank, starting at index `first` of the sequence
/// @return description of the fault; empty without a fault
/// @collective on comm
std::string fault_of(MPI_Comm comm, std::span<const std::int32_t> keys, std::int64_t first, const arrangement& sorted);

}  // namespace osteon::studies::integer_sort
