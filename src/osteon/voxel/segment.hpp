#pragma once
/// @file
/// Segmentation of a scan: solid voxels, kept parts and the material of each voxel.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/components.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::voxel {

/// Selection of connected parts.
enum class keep_rule {
  largest,      ///< the largest part
  percolating,  ///< parts that connect both faces of an axis, or touch a face: `through` and `touching`
  all,
};

/// Grey values of empty and of solid voxels.
struct phase_greys {
  double empty = 0, solid = 1;
};

struct segmentation_options {
  std::optional<double> threshold;  ///< lower limit of the grey values of solid voxels; absent: computed from `greys`, or by
                                    ///< Otsu's method
  std::optional<phase_greys> greys;
  std::optional<double> upper;         ///< upper limit of the grey values of solid voxels
  std::vector<std::int64_t> labels{};  ///< integer values of solid voxels; replaces the thresholds
  bool inverted = false;               ///< the solid is the complement of the selected voxels
  keep_rule keep = keep_rule::largest;
  connectivity connected_by = connectivity::faces;
  axis load_axis = axis::z;
  bool must_connect_faces = true;  ///< throw if the solid does not connect the two faces of the load axis
  std::string remedy_for_faces{};  ///< remedy in the message for a solid that does not reach a face; ends in ", "
  /// `percolating` keeps parts that connect both faces of an axis in `through` (z, y, x), and parts that touch a face in
  /// `touching` (low, high). If `through` and `touching` select nothing, `percolating` keeps parts that connect both faces
  /// of load_axis.
  std::array<bool, 3> through{};
  std::array<std::array<bool, 2>, 3> touching{};
  bool may_keep_all_parts = false;  ///< if no part is `percolating`, keep all parts instead of throwing an error
  /// Periodic axes (z, y, x): parts are also connected across the faces of these axes.
  std::array<bool, 3> periodic{};
};

/// Results of the segmentation, for the report.
struct segmentation_report {
  std::string method;  ///< "otsu", "volume", "given" or "labels"
  std::optional<double> threshold;
  grey_range grey;
  std::int64_t solid_voxels = 0, kept_voxels = 0, dropped_voxels = 0;
  /// Number of voxels of each material in kept and dropped parts; empty if each voxel has its own modulus.
  std::vector<std::int64_t> voxels_of_material{};
  std::int64_t parts = 0, dropped_islands = 0;
  /// Dropped voxels that edges or corners connect to kept parts; `connectivity::corners` would keep these voxels.
  std::int64_t hanging_voxels = 0, hanging_islands = 0;
  std::vector<std::int64_t> largest_islands;  ///< voxels of the largest dropped parts, at most ten
  double volume_fraction = 0;                 ///< kept voxels divided by all voxels
  std::array<bool, 3> percolates{};           ///< per axis (z, y, x): a kept part connects both faces
};

/// The material of voxels with the label `label`.
struct labelled_material {
  std::int64_t label = 0;
  material properties;
};

/// The density of a grey value is slope * grey + intercept.
struct calibration {
  double slope = 1, intercept = 0;
  double largest_residual = 0;  ///< largest distance of a point from the line, in units of the density
};

/// Least-squares line through points (grey, density).
/// @param points points with at least two different grey values
calibration calibrate(std::span<const std::pair<double, double>> points);

/// Young's modulus is E = coefficient rho^exponent or a polynomial in the density rho. E is clipped to the two limits, and
/// negative densities are replaced by zero.
struct density_law {
  double slope = 1, intercept = 0;  ///< rho = slope grey + intercept
  double coefficient_MPa = 1, exponent = 1;
  std::vector<double> polynomial_MPa{};  ///< coefficients of 1, rho, rho^2 ...; empty: the power law
  double min_modulus_MPa = 1, max_modulus_MPa = 1e5;
  double poisson_ratio = 0.3;
  double modulus_MPa(double grey) const;
};

/// Computes the material numbers of the planes [first, first + planes), 0 = empty, shape (planes, y, x).
using material_planes = std::function<void(std::int64_t first, std::int64_t planes, std::span<material_number> numbers)>;

/// A segmented, classified image. Its memory is proportional to the number of runs; the materials of voxels are computed
/// from the images on request.
struct segmented {
  index3 shape;
  index3 begin{};            ///< voxel of the image at the low corner of the model; not 0 after crop_to_solid()
  image_runs solid;          ///< kept voxels
  material_planes material;  ///< called by one thread at a time
  material_table materials;  ///< [0] is empty space
  segmentation_report report;
  double modulus_error = 0;  ///< largest relative error of E from the classification into at most 4096 materials
  double poisson_error = 0;  ///< largest absolute error of Poisson's ratio
};

/// Material numbers of all voxels, shape (z, y, x).
std::vector<material_number> all_materials(const segmented& model);

/// One material for all solid voxels. @throws data_error if there are no solid voxels, or if labels are not integers
segmented segment(const image_planes& scan, const segmentation_options& options, const material& solid);

/// One modulus per grey value. sort_into_materials describes the classification of more than 4096 different moduli.
segmented segment(const image_planes& scan, const segmentation_options& options, const density_law& law);

/// Elastic constants of each voxel, as images with the shape of the scan. Only the values of solid voxels are used.
struct elastic_images {
  image_planes modulus_MPa;
  std::optional<image_planes> poisson_ratio{};  ///< absent: uniform
  double same_poisson_ratio = 0.3;
};

/// A modulus and a Poisson's ratio per voxel. sort_into_materials describes the classification of more than 4096 different
/// pairs.
/// @throws data_error if the images differ in shape, or a solid voxel has E <= 0 or nu outside (-1, 0.5)
segmented segment(const image_planes& scan, const segmentation_options& options, const elastic_images& constants);

/// One material per label.
/// @throws data_error with all labels of the image that have no material, or if labels are not integers
segmented segment(const image_planes& labels, const segmentation_options& options,
                  const std::vector<labelled_material>& table, const std::vector<std::int64_t>& void_labels);

/// Segmentation into two phases without void. Solid voxels according to `options` have the first material and are reported;
/// all other voxels have the second material. All parts are kept. @throws data_error as the `segment` function with one
/// material
segmented segment_phases(const image_planes& scan, const segmentation_options& options, const material& phase,
                         const material& others);

/// Segmentation of a label image into two phases. Voxels of other labels have a material by label, or no material.
/// @param options.labels labels of the phase, at least one @throws data_error with the labels that have no material
segmented segment_phases(const image_planes& labels, const segmentation_options& options, const material& phase,
                         const std::vector<labelled_material>& others, const std::vector<std::int64_t>& void_labels);

/// Otsu's threshold is the grey value that best separates an image into two classes. Solid grey values are above the
/// threshold.
///
/// The threshold maximises the between-class variance. The result is exact for integer images of at most 16 bits; other
/// images are binned into 65,536 bins over their range.
/// @cite [Otsu1979], eq. 18
/// @throws data_error if the image has only one grey value
/// @param counts counts of all grey values, if they are known
double otsu_threshold(const image_planes& scan, grey_range range, const grey_counts& counts = {});

/// Threshold that preserves the solid volume. The fraction of voxels above the threshold equals the mean of (grey -
/// empty)/(solid - empty). This mean is invariant under blurring. To limit the effect of metal, grey values are clipped at a
/// distance from the two values equal to the difference of these values. The result is exact for integer images of at most
/// 16 bits; other images are binned into 65,536 bins over their range.
/// @throws data_error if the image has only one grey value, or if its mean implies a fraction outside of (0, 1)
/// @param counts counts of all grey values, if they are known
double volume_threshold(const image_planes& scan, grey_range range, phase_greys greys, const grey_counts& counts = {});

/// Select the kept parts of the solid, and report all parts.
/// @throws data_error if the kept parts do not connect the required faces
image_runs keep_parts(image_runs cells, const segmentation_options& options, segmentation_report& report);

}  // namespace osteon::voxel
