#pragma once
/// @file
/// Uncertainty of answers. The uncertainty is computed from solutions on images with another threshold, larger voxels or
/// more noise.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/variants/variant.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// Largest tolerance of the repeated solves. With this tolerance, errors of the answers are at most a tenth of the
/// tolerance. Only two digits of the differences to the answers of the job are used.
inline constexpr double tolerance_of_differences = 1e-4;

/// Half-width of the reported interval, in combined standard uncertainties. The factor 2 covers 95 % of normally distributed
/// errors. In `./run bench uncertainty`, the intervals contained the true values of 95 % of the specimens.
/// @cite [GUM2008]
inline constexpr double coverage_factor = 2;

/// A changed image on which the job is solved again.
struct changed_image {
  enum class cause { threshold, voxel_size, noise };
  cause of = cause::threshold;
  std::string name;               ///< name of the folder with the results, for example `threshold_low`
  std::string description;        ///< description, for example "a threshold of 132"
  std::int64_t coarsen = 1;       ///< edge length of the voxels divided by the edge length of the job's voxels
  std::vector<std::string> keys;  ///< changes of keys that define the job, in the form of `--set`
};

/// The changed images of the table [uncertainty]. If the table is absent or not enabled, the list is empty.
/// @param threshold threshold with which the job has been solved; empty: threshold of the job, if the job contains a
/// threshold
std::vector<changed_image> changed_images(const spec& job, std::optional<double> threshold = {});

/// Solve the job on its changed images, and add `uncertainty` to the summary of the finished job. Each solution is in a
/// subfolder of the folder `uncertainty` in the output directory. Only the summary and the manifest of each solution are
/// stored. If single solutions fail, the summary contains the faults, and the results of the job remain valid.
/// @throws interrupted_error if a request stopped a solve; machine_error if the summary cannot be written
/// @collective on comm
void report_uncertainty(MPI_Comm comm, const spec& job, const variant_factory& make, log_sink& log,
                        const checkpoint_options& options);

/// Estimate of the discretisation error of a number from its values with voxel edges h, 2h and 4h. The method is the
/// extrapolation of Richardson with the observed order. @cite [Roache1994]
struct extrapolation {
  std::optional<double> order, value;  ///< empty: the values do not converge with an order between 0.5 and 2.5
  /// difference between the extrapolated value and the value at h; without an order: the larger of the differences
  /// between h and 2h, and between 2h and 4h
  double difference = 0;
};
extrapolation extrapolate(double at_h, double at_2h, double at_4h);

/// The object `uncertainty` of a summary. @param computed summaries of `images`; null: the solve has failed
nlohmann::ordered_json describe_uncertainty(const spec& job, const nlohmann::ordered_json& summary,
                                            std::span<const changed_image> images,
                                            std::span<const nlohmann::ordered_json> computed);

}  // namespace osteon::job
