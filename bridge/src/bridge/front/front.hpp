#pragma once
/// @file
/// The front: libmpi_abi.so.1. Every MPI function jumps through one slot of `active`.
///
/// At load time the slots contain the vendor's functions, behind its adapter. In a job of several clusters, inter_cluster/
/// replaces the functions that involve other clusters, and calls the vendor's through `vendor()`.
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
/// "ompi4", "mpich4", or the path of a library with the standard ABI.
const std::string& vendor_name() noexcept;

/// Report a missing function or case through the error handler of MPI_COMM_SELF, as the standard requires for errors without
/// an object. MPI_Error_string returns the text.
/// @returns MPI_ERR_UNSUPPORTED_OPERATION
int missing(const char* function) noexcept;
int refuse(MPI_Comm comm, const std::string& text) noexcept;

/// A variable of the environment; empty if it is unset.
std::string variable(const char* name);

/// Print a fault with a prefix on each line. The other ranks of this cluster probably have the same fault. The first rank
/// prints it immediately and ends, which ends all ranks; the other ranks wait, and print it only if they survive.
/// @param text empty: only wait
void report_once(const std::string& text, int rank) noexcept;

/// Before and after loading libraries with RTLD_DEEPBIND: make them use the program's `environ`, not libc's. See
/// environ.cpp.
void share_environ() noexcept;

/// Fill slots with functions of this layer: functions of the standard that no vendor provides yet, and error texts.
void install_without_vendor(slots& into) noexcept;

}  // namespace osteon::bridge
