#include <osteon/job/stop.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/checkpoint.hpp>

namespace osteon::job {

namespace {

std::string stopped_text(const spec& job, const std::string& during) {
  const std::string folder = checkpoint_directory(job);
  if (has_checkpoint(folder))
    return fmt::format("stopped on request while {}; continue with: osteon resume '{}'", during,
                       std::filesystem::absolute(folder).string());
  return fmt::format("stopped on request while {}; no checkpoint was needed; start the job again", during);
}

}  // namespace

void stop_if_requested(const stop_query& is_to_stop, const spec& job, const std::string& during) {
  if (is_to_stop && is_to_stop()) throw interrupted_error(stopped_text(job, during));
}

void stop_together_if_requested(MPI_Comm comm, const stop_query& is_to_stop, const spec& job, const std::string& during) {
  int asked = is_to_stop && is_to_stop();
  comm::all_reduce(comm, &asked, 1, MPI_MAX);
  if (!asked) return;
  comm::collectively(comm, [&] {
    if (comm::rank(comm) == 0) throw interrupted_error(stopped_text(job, during));
  });
}

}  // namespace osteon::job
