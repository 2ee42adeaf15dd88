#pragma once
/// @file
/// An element of some bytes as one unit of a message: counts are then elements, so that the limit of an int is far away.
#include <mpi.h>

#include <cstddef>

namespace osteon::comm {

class element_type {
 public:
  explicit element_type(std::size_t bytes) {
    MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
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
