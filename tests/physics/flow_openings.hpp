#pragma once
/// @file
/// Openings of small images, for the tests of flow between openings.
#include <osteon/physics/flow/solver/openings/flow_through.hpp>

#include "physics/flow_images.hpp"

namespace flow_images {

using physics::face_flow;
using physics::flow_boundary;

inline flow_boundary on(axis across, bool high, face_flow kind, double value = 0, bool is_developed = false) {
  flow_boundary b;
  b.across = across;
  b.high = high;
  b.kind = kind;
  b.value = value;
  b.is_developed = is_developed;
  b.name = std::string("boundary on ") + "zyx"[static_cast<int>(across)] + (high ? "_high" : "_low");
  return b;
}

inline physics::through_problem make_through(MPI_Comm comm, const image& img, std::vector<flow_boundary> boundaries,
                                             vector3 spacing = {1, 1, 1}) {
  const auto like = make_problem(comm, img, {axis::z}, physics::flow_surroundings::closed, spacing);
  physics::through_problem problem;
  problem.where = like.where;
  problem.spacing_mm = spacing;
  problem.cells = like.cells;
  problem.boundaries = std::move(boundaries);
  problem.viscosity_Pa_s = 1;
  problem.density_kg_per_m3 = 1e6;  // the Reynolds number then is velocity * length / viscosity in mm, s, Pa s
  return problem;
}

}  // namespace flow_images
