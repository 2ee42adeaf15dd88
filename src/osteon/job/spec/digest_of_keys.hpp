#pragma once
/// @file
/// The keys included in the digests of a job (the digest of a solver's state: checkpoint.hpp).
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

enum class key_digest : unsigned;

/// The values of all keys included in a digest (key_use in key_entry.hpp), by table, including defaults.
nlohmann::ordered_json values_of_keys(const spec& job, key_digest digest);

/// SHA-256 of all keys that affect the results of a job, including picture and name; excluding output locations, ranks,
/// threads, file access and checkpoints, which do not affect the answers.
std::string digest_of_result_keys(const spec& job);

}  // namespace osteon::job
