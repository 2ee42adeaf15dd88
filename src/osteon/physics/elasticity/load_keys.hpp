#pragma once
/// @file
/// Mechanical tests, and the keys of their loads, of sets, supports, forces and load cases.
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Tests that drive one face of the specimen.
std::vector<load_test> tests_of_one_face();

/// All mechanical tests.
std::vector<load_test> elastic_tests();

/// Register the keys. Each physics with mechanical loads does so.
void register_load_keys(key_table& job);

}  // namespace osteon::physics
