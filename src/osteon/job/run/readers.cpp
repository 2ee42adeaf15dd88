#include <array>
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/job/adapters/n88/n88_job.hpp>
#include <osteon/job/adapters/voxfe/script_job.hpp>

namespace osteon::job {

std::span<const job_reader* const> all_readers() {
  static const std::array table{&n88_reader(), &script_reader()};
  return table;
}

}  // namespace osteon::job
