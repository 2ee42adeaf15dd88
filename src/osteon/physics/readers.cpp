#include <array>
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/physics/elasticity/adapters/script_job.hpp>

namespace osteon::job {

std::span<const job_reader* const> all_readers() {
  static const std::array table{&physics::n88_reader(), &physics::script_reader()};
  return table;
}

}  // namespace osteon::job
