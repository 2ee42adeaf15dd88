#include <array>
#include <osteon/job/elasticity/elasticity.hpp>
#include <osteon/job/failure/failure.hpp>
#include <osteon/job/flow/stage/flow.hpp>
#include <osteon/job/heat/heat.hpp>
#include <osteon/job/physics.hpp>
#include <osteon/job/thermo_elasticity/thermo_elasticity.hpp>

namespace osteon::job {

std::span<const physics_entry* const> all_physics() {
  static const std::array table{&elasticity(), &failure(), &heat(), &thermo_elasticity(), &flow()};
  return table;
}

}  // namespace osteon::job
