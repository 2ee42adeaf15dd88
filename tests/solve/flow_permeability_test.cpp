#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <osteon/base/error.hpp>
#include <osteon/solve/flow/permeability.hpp>

#include "solve/flow_images.hpp"

namespace flow_permeability_test {

using namespace osteon;
using namespace flow_images;

// Oracle: on this grid the profile of a slit is the parabola but for a constant, k = (g^2 + 2) / 12 of the open area.
TEST(flow_permeability, of_a_slit_has_the_exact_value_of_the_grid) {
  for (const std::int64_t g : {1, 2, 5, 10})
    for (const axis across : {axis::z, axis::y, axis::x})
      for (const axis along : {axis::z, axis::y, axis::x}) {
        if (along == across) continue;
        index3 shape{4, 4, 4};
        shape[static_cast<int>(across)] = g + 1;
        const image img(shape, [&](index3 p) { return p[static_cast<int>(across)] != 0; });
        for (const auto around : {solve::flow_surroundings::periodic, solve::flow_surroundings::mirrored}) {
          if (around == solve::flow_surroundings::mirrored) continue;
          const auto answer = solve_one(img, along, around);
          const double exact = static_cast<double>(g * g + 2) / 12 * static_cast<double>(g) / static_cast<double>(g + 1);
          EXPECT_NEAR(answer.permeability_mm2, exact, 1e-9 * exact) << g;
          EXPECT_NEAR(answer.from_flux_mm2, exact, 1e-7 * exact) << g;
        }
      }
}

}  // namespace flow_permeability_test
