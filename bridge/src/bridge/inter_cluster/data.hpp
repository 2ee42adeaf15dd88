#pragma once
/// @file
/// Data of messages. The file describes locations in memory and bytes in transfer.
#include <cstddef>
#include <vector>

#include "mpi.h"

namespace osteon::bridge {

/// Number of bytes of `count` elements. The second member is true if the bytes can be read and written directly in the
/// memory of the program.
struct layout {
  std::size_t bytes = 0;
  bool contiguous = false;
};
/// The bytes have the representation of this process, or the representation of messages between clusters. A message between
/// clusters may need a conversion.
layout layout_of(MPI_Count count, MPI_Datatype type) noexcept;
layout layout_of_message(MPI_Count count, MPI_Datatype type) noexcept;

/// Elements without gaps in the representation of this process.
std::vector<std::byte> pack(const void* buffer, MPI_Count count, MPI_Datatype type) noexcept;
void unpack(const std::byte* from, std::size_t bytes, void* buffer, MPI_Count count, MPI_Datatype type) noexcept;

/// Convert elements to the bytes of a message between clusters, and convert such bytes to elements. @returns size of the
/// elements in this process
std::vector<std::byte> pack_message(const void* buffer, MPI_Count count, MPI_Datatype type) noexcept;
std::size_t unpack_message(const std::byte* from, std::size_t bytes, void* buffer, MPI_Count count,
                           MPI_Datatype type) noexcept;

/// Retains a type while pending operations use the type. The program may free its handle immediately.
class kept_type {
 public:
  kept_type() = default;
  explicit kept_type(MPI_Datatype type) noexcept;
  kept_type(kept_type&& other) noexcept;
  kept_type& operator=(kept_type&& other) noexcept;
  ~kept_type();
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
};

/// Memory for `count` elements of a type.
struct typed_memory {
  std::vector<std::byte> bytes;
  void* address = nullptr;  ///< address that is passed as a buffer of this type
};
typed_memory memory_for(MPI_Count count, MPI_Datatype type);

}  // namespace osteon::bridge
