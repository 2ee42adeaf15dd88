#pragma once
/// @file
/// Digests of the keys of a job. The digest for a solver state is in checkpoint.hpp.
#include <nlohmann/json_fwd.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

enum class key_digest : unsigned;

/// Return the values of all keys that a digest contains, by table. The values include defaults (key_use in key_entry.hpp).
nlohmann::ordered_json values_of_keys(const spec& job, key_digest digest);

/// SHA-256 of all keys that affect the results of a job, including the picture and the name. The digest excludes output
/// paths, ranks, threads, file access and checkpoints, because these keys do not affect the answers.
std::string digest_of_result_keys(const spec& job);

}  // namespace osteon::job
