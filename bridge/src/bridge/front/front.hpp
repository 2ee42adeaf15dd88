#pragma once
/// @file
/// The front: libmpi_abi.so.1. Every MPI function jumps through one slot of `active`.
///
/// At load time, the slots contain the functions of the vendor, called through its adapter. In a job of several clusters,
/// inter_cluster/ replaces the functions that involve other clusters. The replacements call the functions of the vendor
/// through `vendor()`.
#include "slots.hpp"

#include <string>

#define OSTEON_EXPORT __attribute__((visibility("default")))

namespace osteon::bridge {

/// The functions called by the program.
extern slots active;
/// Functions that return MPI_ERR_UNSUPPORTED_OPERATION.
extern const slots absent;
extern const char* const slot_names[slot_count];

/// The vendor's functions, in values of the standard ABI.
extern slots vendor_slots;
inline const slots& vendor() noexcept { return vendor_slots; }
/// Name of the MPI: "ompi4", "mpich4", or the path of a library with the standard ABI.
const std::string& vendor_name() noexcept;

/// Report a missing function or case through the error handler of MPI_COMM_SELF, as the standard requires for errors without
/// an object. MPI_Error_string returns the text.
/// @returns MPI_ERR_UNSUPPORTED_OPERATION
int missing(const char* function) noexcept;
int refuse(MPI_Comm comm, const std::string& text) noexcept;

/// Value of an environment variable; empty if the variable is unset.
std::string variable(const char* name);

/// Print a fault with a prefix on each line. The other ranks of this cluster probably detect the same fault. The first rank
/// prints the fault immediately and ends; its end terminates all ranks. The other ranks wait, and print the fault only if
/// they are not terminated.
/// @param text text of the fault; empty: only wait
void report_once(const std::string& text, int rank) noexcept;

/// Call these functions before and after loading libraries with RTLD_DEEPBIND. The libraries then use the `environ` of the
/// program, not the `environ` of libc (environ.cpp).
void share_environ() noexcept;

/// Fill slots with functions of this layer: functions of the standard that no vendor provides yet, and functions for error
/// texts.
void install_without_vendor(slots& into) noexcept;

}  // namespace osteon::bridge
