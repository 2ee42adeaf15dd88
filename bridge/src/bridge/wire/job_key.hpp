#pragma once
/// @file
/// The secret that all processes of a job share.
#include <string>

namespace osteon::bridge::wire {

/// The first line of a file that nobody but its owner can read. @throws usage_error
std::string read_key_file(const std::string& path);

/// The fault of a key; empty if there is none. A listener of the handshakes can try keys offline, so a word that a person
/// chose is too weak.
std::string fault_of_key(const std::string& key);

/// A new key that nobody can guess. @throws machine_error
std::string new_key();

}  // namespace osteon::bridge::wire
