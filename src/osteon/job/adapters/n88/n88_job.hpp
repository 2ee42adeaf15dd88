#pragma once
/// @file
/// Jobs that are models of FAIM and n88tools (.n88model): a file becomes a spec, and the source of its model.
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The job of a model file: its active problem. The file is not opened before its model is read.
/// @param problems receives what is wrong with the path
spec spec_of_n88(const std::string& path, std::vector<problem>& problems);

}  // namespace osteon::job
