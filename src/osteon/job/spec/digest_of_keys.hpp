#pragma once
/// @file
/// A second digest of a job's keys, beside that of its checkpoints (checkpoint.hpp).
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

/// SHA-256 of all keys of a job that its results depend on, picture and name included; not of where they go, nor of ranks,
/// threads, ways to files and checkpoints, which the answers do not depend on.
std::string digest_of_result_keys(const spec& job);

}  // namespace osteon::job
