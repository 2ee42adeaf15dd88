#pragma once
/// @file
/// Error codes and keys of attributes: conversion between the standard ABI and the vendor. All functions have internal
/// linkage, as in convert.hpp.
#include <mpi.h>

#include <algorithm>
#include <span>
#include <vector>

namespace {

// Generated tables. A table contains pairs of a value of the standard and the corresponding value of the vendor. adapter.cpp
// sets these tables.
std::span<const int[2]> known_codes;
std::span<const int[2]> known_keyvals;

constexpr int first_user_code = 0x4000;  // this value is above MPI_ERR_LASTCODE
std::vector<int> user_codes;             // codes and classes that the program has added, as numbers of the vendor

int code_new(int vendor) {
  const auto at = std::find(user_codes.begin(), user_codes.end(), vendor);
  const auto index = at - user_codes.begin();
  if (at == user_codes.end()) user_codes.push_back(vendor);
  return first_user_code + static_cast<int>(index);
}

int code_out(int vendor) {
  for (const auto& [abi, own] : known_codes)
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
  for (const auto& [known, own] : known_codes)
    if (known == abi) return own;
  return MPI_ERR_UNKNOWN;
}

int last_code_out(int) { return first_user_code - 1 + static_cast<int>(user_codes.size()); }

/// Open MPI counts its keys from zero. The keys of the program are therefore shifted to numbers above the predefined keys of
/// the standard.
#ifdef OPEN_MPI
constexpr int keyval_shift = 4096;
#else
constexpr int keyval_shift = 0;
#endif

int keyval_in(int abi) {
  if (abi < 0 || abi >= 4096) return abi - keyval_shift;  // the keys of MPICH are negative
  for (const auto& [known, own] : known_keyvals)
    if (known == abi) return own;
  return MPI_KEYVAL_INVALID;
}

int keyval_out(int vendor) {
  for (const auto& [known, own] : known_keyvals)
    if (own == vendor) return known;
  return vendor + keyval_shift;
}

int code_result(int vendor) { return vendor == MPI_SUCCESS ? 0 : code_out(vendor); }
int t_code(int vendor) { return vendor == MPI_SUCCESS ? 0 : code_out(vendor); }

}  // namespace
