#pragma once
/// @file
/// Interface of an adapter to the front: its functions in the order of abi/functions.txt, null if missing in the vendor.
struct osteon_mpi_adapter {
  const char* vendor;
  int count;
  void* const* functions;
};

extern "C" {
using osteon_mpi_adapter_function = const osteon_mpi_adapter*();
__attribute__((visibility("default"))) osteon_mpi_adapter_function osteon_mpi_adapter_of_vendor;
}
