#pragma once
/// @file
/// The shared secret of all processes of a job.
#include <string>

namespace osteon::bridge::wire {

/// Read a key from the first line of a file that only its owner can read. @throws usage_error
std::string read_key_file(const std::string& path);

/// The fault of a key; empty if the key is valid. An eavesdropper on handshakes can try keys offline. Therefore a key chosen
/// by a person is too weak.
std::string fault_of_key(const std::string& key);

/// A new random key. @throws machine_error
std::string new_key();

}  // namespace osteon::bridge::wire
