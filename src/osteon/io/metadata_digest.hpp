#pragma once
/// @file
/// Digest of the metadata of a file: everything except the planes (internal to io).
#include <string>

namespace osteon::io {

inline constexpr const char* metadata_attribute = "metadata_sha256";  ///< attribute of the group `integrity`

/// SHA-256 of all dimensions, attributes and small variables of an open file. The order of creation has no influence, so
/// that a copy by another program has the same digest (docs/reference/format.md).
/// @throws data_error if metadata cannot be read, or exceed the limits of the format @collective local
std::string metadata_digest(int file);

}  // namespace osteon::io
