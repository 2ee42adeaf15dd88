#pragma once
/// @file
/// Uncertainty of answers, from solutions on images with another threshold, larger voxels or more noise.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/variants/variant.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// Largest tolerance of the repeated solves. The answers of these solves have errors of at most a tenth of the tolerance.
/// Only two digits of the differences from the answers of the job are used.
inline constexpr double tolerance_of_differences = 1e-4;

/// Half-width of the stated interval in combined standard uncertainties. A factor of 2 covers 95 % of normally distributed
/// errors, and contained the true value for 95 % of the specimens of `./run bench uncertainty`.
/// @cite [GUM2008]
inline constexpr double coverage_factor = 2;

/// A changed image on which a job is solved again.
struct changed_image {
  enum class cause { threshold, voxel_size, noise };
  cause of = cause::threshold;
  std::string name;               ///< name of the folder of the results, for example `threshold_low`
  std::string description;        ///< description, for example "a threshold of 132"
  std::int64_t coarsen = 1;       ///< edge length of the voxels relative to the voxels of the job
  std::vector<std::string> keys;  ///< changes of keys that define the job, in the form of `--set`
};

/// The changed images of a job's [uncertainty]; none if the table is absent or not enabled.
/// @param threshold with which the job has been solved; none: threshold of the job, if specified
std::vector<changed_image> changed_images(const spec& job, std::optional<double> threshold = {});

/// Solve the job on its changed images, and add `uncertainty` to the summary of the finished job. Each solution is in a
/// subfolder of `uncertainty` in the output directory. Only summary and manifest of each solution are stored. The summary
/// reports faults of single solutions; the results of the job remain valid.
/// @throws interrupted_error if a solve was stopped on request, machine_error if the summary cannot be written
/// @collective on comm
void report_uncertainty(MPI_Comm comm, const spec& job, const variant_factory& make, log_sink& log,
                        const checkpoint_options& options);

/// Estimate of the discretisation error of a number from its values at voxel edges h, 2h, 4h: Richardson's extrapolation
/// with the observed order. @cite [Roache1994]
struct extrapolation {
  std::optional<double> order, value;  ///< none: no convergence with an order from 0.5 to 2.5
  double difference =
      0;  ///< difference from the value at h; without an order: difference between h and 2h, or between 2h and 4h if larger
};
extrapolation extrapolate(double at_h, double at_2h, double at_4h);

/// `uncertainty` of a summary. @param computed the summaries of `images`; null: the solve failed
nlohmann::ordered_json describe_uncertainty(const spec& job, const nlohmann::ordered_json& summary,
                                            std::span<const changed_image> images,
                                            std::span<const nlohmann::ordered_json> computed);

}  // namespace osteon::job
