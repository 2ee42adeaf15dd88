#pragma once
/// @file
/// The front: libmpi_abi.so.1. Every MPI function jumps through a slot of `active`.
///
/// At load time, the slots contain the functions of the vendor. These functions are called through the adapter. In a job of
/// several clusters, inter_cluster/ replaces those functions that involve other clusters. The replacements call the
/// functions of the vendor through `vendor()`.
#include "slots.hpp"

#include <string>

#define OSTEON_EXPORT __attribute__((visibility("default")))

namespace osteon::bridge {

/// The functions that the program calls.
extern slots active;
/// Functions that return MPI_ERR_UNSUPPORTED_OPERATION.
extern const slots absent;
extern const char* const slot_names[slot_count];

/// The functions of the vendor with values of the standard ABI.
extern slots vendor_slots;
inline const slots& vendor() noexcept { return vendor_slots; }
/// Name of the MPI library: "ompi4", "mpich4", or the path of a library with the standard ABI.
const std::string& vendor_name() noexcept;

/// Report a missing function or case through the error handler of MPI_COMM_SELF. The standard requires this handler for
/// errors without an object. MPI_Error_string returns the text of the error.
/// @returns MPI_ERR_UNSUPPORTED_OPERATION
int missing(const char* function) noexcept;
int refuse(MPI_Comm comm, const std::string& text) noexcept;

/// Value of an environment variable. If the variable is unset, the text is empty.
std::string variable(const char* name);

/// Print a fault. Each line has a prefix. The other ranks of this cluster probably detect the same fault. The first rank
/// prints the fault immediately, and ends. Its end terminates all ranks. The other ranks wait, and print the fault only if
/// nothing terminates these ranks.
/// @param text text of the fault; empty: only wait
void report_once(const std::string& text, int rank) noexcept;

/// Call these functions before and after loading libraries with RTLD_DEEPBIND. The libraries then use the `environ` of the
/// program instead of the `environ` of libc (environ.cpp).
void share_environ() noexcept;

/// Fill slots with functions of this layer. These functions are functions of the standard that no vendor provides yet, and
/// functions for texts of errors.
void install_without_vendor(slots& into) noexcept;

}  // namespace osteon::bridge
