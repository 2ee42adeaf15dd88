#pragma once
/// @file
/// Conversion of Fortran arguments to C. In Fortran, all arguments are references, handles are integers, and strings have a
/// length.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#define OSTEON_EXPORT __attribute__((visibility("default")))

extern "C" {
// Constants of mpif.h that are identified by their addresses. The linker merges these constants with the COMMON blocks of
// the program.
extern int osteon_mpi_bottom_, osteon_mpi_in_place_, osteon_mpi_unweighted_[1], osteon_mpi_weights_empty_[1];
extern MPI_Status osteon_mpi_status_ignore_, osteon_mpi_statuses_ignore_;
/// Function of libmpi_abi with which the integer of a freed handle can be reused.
void osteon_mpi_forget(int kind, int integer);
}

namespace osteon::bridge::fortran {

inline void* address(void* p) {
  if (p == &osteon_mpi_bottom_) return MPI_BOTTOM;
  return p == &osteon_mpi_in_place_ ? MPI_IN_PLACE : p;
}

inline MPI_Status* status_or_ignore(MPI_Status* s) {
  return s == &osteon_mpi_status_ignore_ || s == &osteon_mpi_statuses_ignore_ ? MPI_STATUS_IGNORE : s;
}

inline const int* weights(int* w) {
  if (w == osteon_mpi_unweighted_) return MPI_UNWEIGHTED;
  return w == osteon_mpi_weights_empty_ ? MPI_WEIGHTS_EMPTY : w;
}

template <class H, H (*from)(int)>
std::vector<H> from_integers(const int* integers, int n) {
  std::vector<H> handles(static_cast<std::size_t>(std::max(n, 0)));
  for (std::size_t i = 0; i < handles.size(); ++i) handles[i] = from(integers[i]);
  return handles;
}

/// Write a handle back. If the handle is null, release its integer.
template <auto to, class H>
void to_integer(H handle, int* integer, bool had_value) {
  const int before = *integer;
  *integer = to(handle);
  constexpr bool is_request = std::is_same_v<H, MPI_Request>;
  if (is_request && had_value && before >= 4096 && *integer < 4096) osteon_mpi_forget(4, before);
}

template <auto to, class H>
void to_integers(const std::vector<H>& handles, int* integers) {
  for (std::size_t i = 0; i < handles.size(); ++i) to_integer<to>(handles[i], integers + i, true);
}

inline std::string trimmed(const char* text, std::size_t length) {
  while (length > 0 && text[length - 1] == ' ') --length;
  return {text, length};
}

inline void padded(const char* from, char* to, std::size_t length) {
  const std::size_t n = std::min(std::strlen(from), length);
  std::memcpy(to, from, n);
  std::memset(to + n, ' ', length - n);
}

}  // namespace osteon::bridge::fortran
