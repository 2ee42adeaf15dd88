#pragma once
/// @file
/// Unusual values of the loads of a solid: strains and angles beyond linear elasticity, gravity of another planet.
#include <osteon/base/box.hpp>
#include <osteon/job/spec.hpp>
#include <vector>

namespace osteon::job {

/// Of [load], [[support]] and [[case]]. @param warnings receives key and text of each
void warn_of_loads(const spec& job, std::vector<problem>& warnings);

/// Displacements as strains of the image. @param size_mm of the image, z, y, x
void warn_of_displacements(const spec& job, const vector3& size_mm, std::vector<problem>& warnings);

/// Of [pistoia].
void warn_of_pistoia(const spec& job, std::vector<problem>& warnings);

}  // namespace osteon::job
