#include <osteon/job/pipeline/same_job.hpp>

#include <fmt/format.h>

#include <array>
#include <osteon/base/digest.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/spec/digest_of_keys.hpp>
#include <span>
#include <string>

namespace osteon::job {

void require_same_job(MPI_Comm comm, const spec& job) {
  constexpr std::size_t hex_length = 64;
  std::string mine;
  comm::collectively(comm, [&] {
    const std::string text = digest_of_result_keys(job) + job.output_directory;
    mine = sha256_of(std::as_bytes(std::span(text)));
  });
  std::array<char, hex_length> first{};
  mine.copy(first.data(), first.size());
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, comm);
  comm::collectively(comm, [&] {
    if (mine == std::string_view(first.data(), first.size())) return;
    throw usage_error(
        fmt::format("rank {} has another job than rank 0 ('{}', results in '{}'), but the launcher started one MPI world of "
                    "{} ranks for one job; start each job with a separate launcher, or without a launcher",
                    comm::rank(comm), job.name, job.output_directory, comm::size(comm)));
  });
}

}  // namespace osteon::job
