#pragma once
/// @file
/// MPI datatypes of C++ types.
#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace osteon::comm {

/// MPI datatype of an arithmetic type T.
template <class T>
MPI_Datatype datatype() {
  if constexpr (std::is_same_v<T, float>)
    return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return MPI_UINT8_T;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return MPI_UINT16_T;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return MPI_INT32_T;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return MPI_UINT32_T;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return MPI_UINT64_T;
  else {
    static_assert(std::is_same_v<T, std::int64_t>, "add the type to comm/datatype.hpp");
    return MPI_INT64_T;
  }
}

}  // namespace osteon::comm
