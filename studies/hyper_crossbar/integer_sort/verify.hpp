#pragma once
/// @file
/// The full verification of a sort.
#include <string>
#include <studies/hyper_crossbar/integer_sort/radix_sort.hpp>

namespace osteon::studies::integer_sort {

/// Compare an arrangement with the keys that it was made of: ascending, equal keys in the order of their indices, and each
/// key there once (by a sum of hashes of key and index).
///
/// NPB checks the first only.
/// @param keys of this rank, from index `first` of the sequence on
/// @return what is wrong, in words; empty if nothing is
/// @collective on comm
std::string fault_of(MPI_Comm comm, std::span<const std::int32_t> keys, std::int64_t first, const arrangement& sorted);

}  // namespace osteon::studies::integer_sort
