#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/allocation.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/pipeline/before_run.hpp>

namespace osteon::job {

void require_memory_of_allocation(const spec& job, std::int64_t ranks, std::int64_t ranks_on_host) {
  const std::optional<allocation> batch = allocation_of(own_variable);
  if (!batch || !batch->memory_bytes || !source_of(job).is_image()) return;
  const estimation predicted = estimate(job, size_of(job, true, null_log()), static_cast<int>(ranks));
  // The prediction is that of a rank without a launcher. Two ranks of Open MPI 4.1 on a host used 15 MB more each.
  constexpr double bytes_of_launched_rank = 15e6;
  // A checkpoint collects at most this number of points at a time (grid/plane_points.cpp).
  constexpr double most_points = 1 << 18, bytes_of_point = 64;
  const double of_checkpoint = bytes_of_point * std::min(most_points, static_cast<double>(predicted.voxels));
  const double of_rank = static_cast<double>(predicted.memory_bytes_per_rank) + bytes_of_launched_rank + of_checkpoint;
  const double needed = of_rank * static_cast<double>(ranks_on_host), limit = *batch->memory_bytes;
  if (needed <= limit) return;
  throw machine_error(fmt::format(
      "the job needs {:.0f} MB of memory on a host ({} ranks of {:.0f} MB), but {} has {:.0f} MB per host; request more "
      "memory, use more hosts, or coarsen or crop the image",
      needed / 1e6, ranks_on_host, of_rank / 1e6, title_of(*batch), limit / 1e6));
}

}  // namespace osteon::job
