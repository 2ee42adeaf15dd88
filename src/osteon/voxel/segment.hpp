#pragma once
/// @file
/// From a scan to a model: which voxels are solid, which parts of the solid are kept, and what each voxel is made of.
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

/// Which connected parts to keep.
enum class keep_rule {
  largest,      ///< the largest part
  percolating,  ///< the parts that join both faces of an axis, or touch a face: `through` and `touching`
  all,
};

/// Grey values of voxels that hold nothing, and of such that are filled.
struct phase_greys {
  double empty = 0, solid = 1;
};

struct segmentation_options {
  std::optional<double> threshold;  ///< solid lies above; if absent that of `greys`, or Otsu's
  std::optional<phase_greys> greys;
  std::optional<double> upper;         ///< solid does not lie above this
  std::vector<std::int64_t> labels{};  ///< instead of greys: solid are the voxels with one of these whole numbers
  bool inverted = false;               ///< take the voxels that these rules leave empty
  keep_rule keep = keep_rule::largest;
  connectivity connected_by = connectivity::faces;
  axis load_axis = axis::z;
  bool must_join_faces = true;     ///< refuse a solid that does not join the two faces of the load axis
  std::string instead_of_faces{};  ///< advice to a user whose solid does not reach a face, for the message; ends in ", "
  /// `percolating` are the parts that join both faces of one of these axes (z, y, x), and the parts that touch one of these
  /// faces (low, high). Neither: the parts that join both faces of load_axis.
  std::array<bool, 3> through{};
  std::array<std::array<bool, 2>, 3> touching{};
  bool may_join_nothing = false;  ///< where no part is `percolating`, keep all instead of refusing the solid
  /// Axes (z, y, x) along which the image repeats itself: parts are connected through these faces, too.
  std::array<bool, 3> periodic{};
};

/// What segmentation found, for the report.
struct segmentation_report {
  std::string method;  ///< "otsu", "volume", "given" or "labels"
  std::optional<double> threshold;
  grey_range grey;
  std::int64_t solid_voxels = 0, kept_voxels = 0, dropped_voxels = 0;
  /// Voxels of each material in kept and dropped parts; empty if each voxel has a modulus of its own.
  std::vector<std::int64_t> voxels_of_material{};
  std::int64_t parts = 0, dropped_islands = 0;
  /// Of the dropped: what edges and corners connect with what is kept, so that `connectivity::corners` would keep it.
  std::int64_t hanging_voxels = 0, hanging_islands = 0;
  std::vector<std::int64_t> largest_islands;  ///< voxels of the largest dropped parts, at most ten
  double volume_fraction = 0;                 ///< kept voxels over all
  std::array<bool, 3> percolates{};           ///< a kept part joins both faces, per axis (z, y, x)
};

/// Materials of labels: entry i belongs to the voxels with the label `label`.
struct labelled_material {
  std::int64_t label = 0;
  material properties;
};

/// Density of a grey value: slope grey + intercept.
struct calibration {
  double slope = 1, intercept = 0;
  double largest_residual = 0;  ///< largest distance of a point from the line, in units of the density
};

/// The line through points (grey, density) with the least sum of squares.
/// @param points of at least two different greys
calibration calibrate(std::span<const std::pair<double, double>> points);

/// E = coefficient rho^exponent, or a polynomial in rho, between the two limits. Densities below zero count as zero.
struct density_law {
  double slope = 1, intercept = 0;  ///< rho = slope grey + intercept
  double coefficient_MPa = 1, exponent = 1;
  std::vector<double> polynomial_MPa{};  ///< coefficients of 1, rho, rho^2 ...; empty: the power law
  double min_modulus_MPa = 1, max_modulus_MPa = 1e5;
  double poisson_ratio = 0.3;
  double modulus_MPa(double grey) const;
};

/// Makes the numbers of the materials of the planes [first, first + planes), 0 = empty, shape (planes, y, x).
using material_planes = std::function<void(std::int64_t first, std::int64_t planes, std::span<material_number> numbers)>;

/// A segmented, classified image. Memory is per run of the solid: what its voxels are made of is read from the images
/// again when it is asked for.
struct segmented {
  index3 shape;
  run_set solid;             ///< the voxels that are kept, without numbers
  material_planes material;  ///< by one thread at a time
  material_table materials;  ///< [0] is empty space
  segmentation_report report;
  double modulus_error = 0;  ///< largest relative error of E by sorting the voxels into at most 4096 materials
  double poisson_error = 0;  ///< the same of Poisson's ratio, not relative
};

/// The numbers of all voxels at once, shape (z, y, x).
std::vector<material_number> all_materials(const segmented& model);

/// One material for all solid voxels. @throws data_error if there are none, or if labels are not whole numbers
segmented segment(const image_planes& scan, const segmentation_options& how, const material& solid);

/// A modulus for each grey value; see sort_into_materials for images with more than 4096 different moduli.
segmented segment(const image_planes& scan, const segmentation_options& how, const density_law& law);

/// Elastic constants of each voxel, in images of the scan's shape. Only the values at solid voxels matter.
struct elastic_images {
  image_planes modulus_MPa;
  std::optional<image_planes> poisson_ratio{};  ///< absent: the same everywhere
  double same_poisson_ratio = 0.3;
};

/// A modulus and a Poisson's ratio for each voxel; see sort_into_materials for more than 4096 different pairs.
/// @throws data_error if the images differ in shape, or a solid voxel has E <= 0 or nu outside (-1, 0.5)
segmented segment(const image_planes& scan, const segmentation_options& how, const elastic_images& constants);

/// A material for each label.
/// @throws data_error naming all labels of the image that have no material, or if labels are not whole numbers
segmented segment(const image_planes& labels, const segmentation_options& how, const std::vector<labelled_material>& table,
                  const std::vector<std::int64_t>& void_labels);

/// Two phases that both take part: the voxels that `how` finds are of the first material, and the report speaks of them; the
/// others are of the second. All are kept. @throws data_error as the first `segment`
segmented segment_phases(const image_planes& scan, const segmentation_options& how, const material& phase,
                         const material& others);

/// The same of a label image, where the other voxels have a material by their label, or none.
/// @param how.labels those of the phase, at least one @throws data_error naming labels without a material
segmented segment_phases(const image_planes& labels, const segmentation_options& how, const material& phase,
                         const std::vector<labelled_material>& others, const std::vector<std::int64_t>& void_labels);

/// The grey value that best separates an image into two classes; solid is what lies above it.
///
/// Maximises the between-class variance. Integer images of at most 16 bits are treated exactly, others in 65,536 bins
/// over their range.
/// @cite [Otsu1979], eq. 18
/// @throws data_error if the image has only one grey value
double otsu_threshold(const image_planes& scan, grey_range range);

/// The grey value above which lies as much of the image as is solid: the mean of (grey - empty)/(solid - empty), which what
/// blurs a scan does not change. Greys that are further off than the two are from each other count as that far, so that
/// metal does not. Integer images of at most 16 bits are treated exactly, others in 65,536 bins over their range.
/// @throws data_error if the image has only one grey value, or by its mean is all empty or all solid
double volume_threshold(const image_planes& scan, grey_range range, phase_greys greys);

/// The parts of the solid that are kept, and the report of all.
/// @param cells without numbers; as it is if nothing is dropped
/// @throws data_error if what is kept does not join the faces that it has to
run_set keep_parts(const run_set& cells, const segmentation_options& how, segmentation_report& report);

}  // namespace osteon::voxel
