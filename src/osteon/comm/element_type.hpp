#pragma once
/// @file
/// MPI datatype of an element of several bytes. With this datatype, the count of a message is a number of elements and fits
/// into an int.
#include <mpi.h>

#include <cstddef>

namespace osteon::comm {

class element_type {
 public:
  explicit element_type(std::size_t bytes) {
    constexpr std::size_t piece = std::size_t{1} << 20;  // the number of bytes of an image plane may exceed the range of int
    if (bytes < (std::size_t{1} << 31)) {
      MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
    } else {
      MPI_Datatype large = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(static_cast<int>(piece), MPI_BYTE, &large);
      const int counts[2] = {static_cast<int>(bytes / piece), static_cast<int>(bytes % piece)};
      const MPI_Aint at[2] = {0, static_cast<MPI_Aint>(bytes / piece * piece)};
      const MPI_Datatype parts[2] = {large, MPI_BYTE};
      MPI_Type_create_struct(2, counts, at, parts, &type_);
      MPI_Type_free(&large);
    }
    MPI_Type_commit(&type_);
  }
  ~element_type() { MPI_Type_free(&type_); }
  element_type(const element_type&) = delete;
  element_type& operator=(const element_type&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace osteon::comm
