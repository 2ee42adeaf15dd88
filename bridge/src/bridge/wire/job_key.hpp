#pragma once
/// @file
/// The secret that all processes of a job have.
#include <string>

namespace osteon::bridge::wire {

/// Read a key from the first line of a file. Only the owner of the file may be able to read the file. @throws usage_error
std::string read_key_file(const std::string& path);

/// The fault of a key. If the key is valid, the text is empty. An attacker who has recorded handshakes can try keys offline.
/// A key that a person has chosen is therefore too weak.
std::string fault_of_key(const std::string& key);

/// A new random key. @throws machine_error
std::string new_key();

}  // namespace osteon::bridge::wire
