#pragma once
/// @file
/// How far answers are known: a job, and the same on images with another threshold, larger voxels or more noise.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/variants/variant.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// What is solved again goes to this residual, if the job goes further: its answers are only subtracted from those of the
/// job, are off by a tenth of it or less, and the differences are looked at to two digits.
inline constexpr double tolerance_of_differences = 1e-4;

/// The stated interval reaches so many combined standard uncertainties to both sides of an answer. Two are for 95 % of
/// errors that are normally distributed, and held the truth of 95 % of the specimens of `./run bench uncertainty`.
/// @cite [GUM2008]
inline constexpr double coverage_factor = 2;

/// An image that a job is solved on again.
struct changed_image {
  enum class cause { threshold, voxel_size, noise };
  cause of = cause::threshold;
  std::string name;               ///< of the folder of its results, `threshold_low`
  std::string words;              ///< what it is, "a threshold of 132"
  std::int64_t coarsen = 1;       ///< edge of its voxels over that of the job's
  std::vector<std::string> keys;  ///< that make the job of it, as `--set` takes them
};

/// Those of a job's [uncertainty]; none if it has no such table, or one that is not enabled.
/// @param threshold that the job has been solved with; none: that of the job, if it says one
std::vector<changed_image> changed_images(const spec& job, std::optional<double> threshold = {});

/// Solve the job on its changed images, each in a folder of its own below `uncertainty` in that of the job, of which
/// summary and manifest stay, and put `uncertainty` into the summary of the job, which is done. A fault of one of them is
/// told there; this job keeps its results.
/// @throws interrupted_error if it was stopped on request, machine_error if the summary cannot be written
/// @collective on comm
void tell_uncertainty(MPI_Comm comm, const spec& job, const maker_of_jobs& make, log_sink& log,
                      const checkpoint_options& how);

/// By how much a number may differ from what it would be in voxels of no size, of its values in voxels of edge h, 2h, 4h:
/// Richardson's extrapolation with the order that they show. @cite [Roache1994]
struct extrapolation {
  std::optional<double> order, value;  ///< none: they converge with no order from 0.5 to 2.5
  double difference = 0;               ///< of the value at h; without an order of those at h and 2h, or 2h and 4h if larger
};
extrapolation extrapolate(double at_h, double at_2h, double at_4h);

/// `uncertainty` of a summary. @param computed the summaries of `images`; null: it has a fault
nlohmann::ordered_json describe_uncertainty(const spec& job, const nlohmann::ordered_json& summary,
                                            std::span<const changed_image> images,
                                            std::span<const nlohmann::ordered_json> computed);

}  // namespace osteon::job
