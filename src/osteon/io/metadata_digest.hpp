#pragma once
/// @file
/// Digest of the complete content of a file except its planes (internal to io).
#include <string>

namespace osteon::io {

inline constexpr const char* metadata_attribute = "metadata_sha256";  ///< of the group `integrity`

/// SHA-256 of all dimensions, attributes and small variables of an open file, in an order independent of their creation, so
/// that a copy by another program has the same digest (docs/reference/format.md).
/// @throws data_error if they cannot be read, or exceed the sizes that osteon writes @collective local
std::string metadata_digest(int file);

}  // namespace osteon::io
