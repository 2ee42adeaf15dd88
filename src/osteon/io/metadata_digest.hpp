#pragma once
/// @file
/// One digest of all that a file holds beside its planes (internal to io).
#include <string>

namespace osteon::io {

inline constexpr const char* metadata_attribute = "metadata_sha256";  ///< of the group `integrity`

/// SHA-256 of all dimensions, attributes and small variables of an open file, in an order that does not depend on how
/// the file came about, so that a copy by another program keeps it (docs/reference/format.md).
/// @throws data_error if they cannot be read, or are larger than any that osteon writes @collective local
std::string metadata_digest(int file);

}  // namespace osteon::io
