#pragma once
/// @file
/// Jobs that are models of FAIM and n88tools (.n88model): a file becomes a spec, and the source of its model.
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// The reader of n88 models. The job of a file is its active problem; the file is not opened before its model is read.
const job_reader& n88_reader();

}  // namespace osteon::physics
