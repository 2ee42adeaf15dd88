#include <osteon/job/variants/variant.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/compute.hpp>
#include <osteon/job/pipeline/directory_lock.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

solved_variant solve_variant(MPI_Comm comm, const variant& v, const variant_factory& make,
                             const std::function<bool(const spec&)>& import, log_sink& log,
                             const checkpoint_options& options) {
  const bool root = comm::rank(comm) == 0;
  std::optional<directory_lock> lock;
  solved_variant solved;
  try {
    variant_job other;
    int is_computed = 0;
    comm::collectively(comm, [&] {
      other = make(v.keys, v.folder);
      if (!root) return;
      lock.emplace(v.folder);
      is_computed = import(other.job) ? 1 : 0;
    });
    MPI_Bcast(&is_computed, 1, MPI_INT, 0, comm);
    stop_together_if_requested(comm, options.is_to_stop, other.job, v.importing);
    if (is_computed) {
      checkpoint_options of_other = options;
      of_other.replace = true;  // no other job uses this folder
      solved.summary = compute(comm, other.job, other.command, utc_now(), log, of_other);
    } else if (lock) {
      lock->remove_without_results(true);
    }
    const output_paths paths(other.job);
    std::error_code ignored;
    if (root && !v.keeps_fields)
      for (const std::string& path : {paths.model, paths.results, paths.vtkhdf, paths.xdmf})
        std::filesystem::remove(path, ignored);
  } catch (const interrupted_error& e) {
    throw interrupted_error(
        fmt::format("{} (the results of the job are written; the stop affects {})", e.what(), v.stopped));
  } catch (const error& e) {  // all ranks throw the same error
    solved.fault = e.what();
    log.warn(fmt::format("{} could not be computed: {}", v.description, solved.fault));
    if (lock) lock->remove_without_results(true);
  }
  return solved;
}

}  // namespace osteon::job
