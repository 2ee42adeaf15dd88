/// @file
/// The adapter of one vendor. The compiler wrapper of the vendor compiles the adapter, and the front loads the adapter
/// (callbacks.hpp, convert.hpp).
#include <bridge/adapter/interface.hpp>

#include "convert.hpp"

// The following files are generated for this vendor, and begin with its conversions.
namespace {
#include OSTEON_GENERATED
}  // namespace

#include "callbacks.hpp"

namespace {

#include OSTEON_GENERATED_TABLE

}  // namespace

extern "C" const osteon_mpi_adapter* osteon_mpi_adapter_of_vendor() {
  static const osteon_mpi_adapter adapter = [] {
    known_codes = code_pairs;
    known_keyvals = keyval_pairs;
    fill_predefined();
    null_request = raw(MPI_REQUEST_NULL);
    return osteon_mpi_adapter{OSTEON_VENDOR_NAME, static_cast<int>(sizeof(table) / sizeof(table[0])), table};
  }();
  return &adapter;
}
