#include <array>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/elasticity/entry.hpp>
#include <osteon/physics/failure/entry.hpp>
#include <osteon/physics/flow/entry.hpp>
#include <osteon/physics/heat/entry.hpp>
#include <osteon/physics/thermo_elasticity/entry.hpp>

namespace osteon::job {

std::span<const physics_entry* const> all_physics() {
  static const std::array table{&physics::elasticity(), &physics::failure(), &physics::heat(), &physics::thermo_elasticity(),
                                &physics::flow()};
  return table;
}

}  // namespace osteon::job
