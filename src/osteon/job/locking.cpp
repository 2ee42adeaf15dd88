#include <osteon/job/locking.hpp>

#include <fmt/format.h>

namespace osteon::job {

std::string locking_at(double poisson_ratio) {
  return fmt::format(
      "Poisson's ratio {:g} is above {:g}: the eight-node hexahedron locks in a nearly incompressible material, and the "
      "result is too stiff; {:g} is the usable limit until an element without locking is available",
      poisson_ratio, largest_poisson_ratio, largest_poisson_ratio);
}

}  // namespace osteon::job
