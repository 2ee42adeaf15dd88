#pragma once
/// @file
/// Interface between an adapter and the front. The functions have the order of abi/functions.txt. If the vendor does not
/// have a function, the pointer is null.
struct osteon_mpi_adapter {
  const char* vendor;
  int count;
  void* const* functions;
};

extern "C" {
using osteon_mpi_adapter_function = const osteon_mpi_adapter*();
__attribute__((visibility("default"))) osteon_mpi_adapter_function osteon_mpi_adapter_of_vendor;
}
