#pragma once
/// @file
/// The front: libmpi_abi.so.1. Every MPI function jumps through one slot of `active`.
///
/// At load the slots hold the vendor's functions, behind its adapter. In a job of several clusters, inter_cluster/ puts its
/// own functions over those that must know about other clusters, and calls the vendor's through `vendor()`.
#include "slots.hpp"

#include <string>

#define OSTEON_EXPORT __attribute__((visibility("default")))

namespace osteon::bridge {

/// The functions that the program calls.
extern slots active;
/// Functions that answer with MPI_ERR_UNSUPPORTED_OPERATION.
extern const slots absent;
extern const char* const slot_names[slot_count];

/// The vendor's functions, in values of the standard ABI.
extern slots vendor_slots;
inline const slots& vendor() noexcept { return vendor_slots; }
/// "ompi4", "mpich4", or the path of a library that speaks the standard ABI itself.
const std::string& vendor_name() noexcept;

/// Report that a function or a case is not there: through the error handler of MPI_COMM_SELF, as the standard has it for
/// errors that belong to no object. The text comes back from MPI_Error_string.
/// @returns MPI_ERR_UNSUPPORTED_OPERATION
int missing(const char* function) noexcept;
int refuse(MPI_Comm comm, const std::string& text) noexcept;

/// A variable of the environment; empty if it is not set.
std::string variable(const char* name);

/// Print a fault, each line after our name, which the other ranks of this cluster probably have too: its first rank does so
/// at once and then ends, which ends them all; the others wait for that, and print the error if it does not come.
/// @param text empty: only wait
void report_once(const std::string& text, int rank) noexcept;

/// Before libraries are loaded with RTLD_DEEPBIND and after: they use the program's `environ`, not libc's. See environ.cpp.
void share_environ() noexcept;

/// Put this layer's own functions into the slots: names of the standard that no vendor has yet, and error texts.
void install_without_vendor(slots& into) noexcept;

}  // namespace osteon::bridge
