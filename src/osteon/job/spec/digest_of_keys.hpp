#pragma once
/// @file
/// The keys of a job that its digests contain (the digest of a solver's state: checkpoint.hpp).
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

enum class key_digest : unsigned;

/// The values of all keys that a digest contains (key_use in key_entry.hpp), by table, defaults included.
nlohmann::ordered_json values_of_keys(const spec& job, key_digest digest);

/// SHA-256 of all keys of a job that its results depend on, picture and name included; not of where they go, nor of ranks,
/// threads, ways to files and checkpoints, which the answers do not depend on.
std::string digest_of_result_keys(const spec& job);

}  // namespace osteon::job
