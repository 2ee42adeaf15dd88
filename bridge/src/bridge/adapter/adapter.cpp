/// @file
/// The adapter of one vendor: compiled with that vendor's wrapper, loaded by the front. See callbacks.hpp, convert.hpp.
#include <bridge/adapter/interface.hpp>

#include "convert.hpp"

// Code generated for this vendor, first its conversions.
namespace {
#include OSTEON_GENERATED
}  // namespace

#include "callbacks.hpp"

namespace {

#include OSTEON_GENERATED_TABLE

std::vector<int> user_codes;  // codes and classes that the program added, in the vendor's numbers

int code_new(int vendor) {
  const auto at = std::find(user_codes.begin(), user_codes.end(), vendor);
  const auto index = at - user_codes.begin();
  if (at == user_codes.end()) user_codes.push_back(vendor);
  return first_user_code + static_cast<int>(index);
}

int code_out(int vendor) {
  for (const auto& [abi, own] : code_pairs)
    if (own == vendor) return abi;
  const auto at = std::find(user_codes.begin(), user_codes.end(), vendor);
  if (at != user_codes.end()) return first_user_code + static_cast<int>(at - user_codes.begin());
  int own_class = MPI_ERR_UNKNOWN;
  if (MPI_Error_class(vendor, &own_class) != MPI_SUCCESS || own_class == vendor) return 14;  // MPI_ERR_UNKNOWN
  return code_out(own_class);
}

int code_in(int abi) {
  if (abi >= first_user_code && abi < first_user_code + static_cast<int>(user_codes.size()))
    return user_codes[static_cast<std::size_t>(abi - first_user_code)];
  for (const auto& [known, own] : code_pairs)
    if (known == abi) return own;
  return MPI_ERR_UNKNOWN;
}

int last_code_out(int) { return first_user_code - 1 + static_cast<int>(user_codes.size()); }

/// Open MPI counts its keys from zero, so the program's are moved above the predefined ones of the standard.
#ifdef OPEN_MPI
constexpr int keyval_shift = 4096;
#else
constexpr int keyval_shift = 0;
#endif

int keyval_in(int abi) {
  if (abi < 0 || abi >= 4096) return abi - keyval_shift;  // MPICH's are negative
  for (const auto& [known, own] : keyval_pairs)
    if (known == abi) return own;
  return MPI_KEYVAL_INVALID;
}

int keyval_out(int vendor) {
  for (const auto& [known, own] : keyval_pairs)
    if (own == vendor) return known;
  return vendor + keyval_shift;
}

}  // namespace

extern "C" const osteon_mpi_adapter* osteon_mpi_adapter_of_vendor() {
  static const osteon_mpi_adapter adapter = [] {
    fill_predefined();
    null_request = raw(MPI_REQUEST_NULL);
    return osteon_mpi_adapter{OSTEON_VENDOR_NAME, static_cast<int>(sizeof(table) / sizeof(table[0])), table};
  }();
  return &adapter;
}
