#pragma once
/// @file
/// Digest of the metadata of a file: everything except the planes (internal to io).
#include <string>

namespace osteon::io {

inline constexpr const char* metadata_attribute = "metadata_sha256";  ///< attribute of the group `integrity`

/// SHA-256 of all dimensions, attributes and small variables of an open file (docs/reference/format.md). The digest does not
/// depend on the order of creation. Therefore a copy by another program has the same digest.
/// @throws data_error if metadata cannot be read, or exceed the limits of the format @collective local
std::string metadata_digest(int file);

}  // namespace osteon::io
