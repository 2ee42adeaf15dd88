#pragma once
/// @file
/// From a scan to a model: which voxels are solid, which parts of the solid are kept, and what each voxel is made of.
#include <array>
#include <cstdint>
#include <optional>
#include <osteon/voxel/components.hpp>
#include <osteon/voxel/image.hpp>
#include <osteon/voxel/material.hpp>
#include <string>
#include <vector>

namespace osteon::voxel {

/// Which connected parts to keep.
enum class keep_rule {
  largest,      ///< the largest part
  percolating,  ///< the parts that touch both faces of the load axis
  all,
};

struct segmentation_options {
  std::optional<double> threshold;  ///< solid lies above; Otsu's value if absent
  std::optional<double> upper;      ///< solid does not lie above this
  keep_rule keep = keep_rule::largest;
  axis load_axis = axis::z;
  bool load_joins_faces = true;  ///< the load acts between the two faces of the load axis, so the solid must reach both
};

/// What segmentation found, for the report.
struct segmentation_report {
  std::string method;  ///< "otsu", "given" or "labels"
  std::optional<double> threshold;
  grey_range grey;
  std::int64_t solid_voxels = 0, kept_voxels = 0, dropped_voxels = 0;
  std::int64_t parts = 0, dropped_islands = 0;
  std::vector<std::int64_t> largest_islands;  ///< voxels of the largest dropped parts, at most ten
  double volume_fraction = 0;                 ///< kept voxels over all
  std::array<bool, 3> percolates{};           ///< a kept part joins both faces, per axis (z, y, x)
};

/// Materials of labels: entry i belongs to the voxels with the label `label`.
struct labelled_material {
  std::int64_t label = 0;
  material properties;
};

/// rho = slope grey + intercept, E = coefficient rho^exponent, between the two limits.
struct density_law {
  double slope = 1, intercept = 0;
  double coefficient_MPa = 1, exponent = 1;
  double min_modulus_MPa = 1, max_modulus_MPa = 1e5;
  double poisson_ratio = 0.3;
  double modulus_MPa(double grey) const;
};

/// A segmented, classified image.
struct segmented {
  index3 shape;
  std::vector<std::uint8_t> material;  ///< number of the material, 0 = empty, shape (z, y, x)
  material_table materials;            ///< [0] is empty space
  segmentation_report report;
  double modulus_error = 0;  ///< largest relative error of E by sorting greys into at most 255 classes
};

/// One material for all solid voxels.
segmented segment(const image& scan, const segmentation_options& how, const material& solid);

/// A modulus for each grey value. Images with at most 255 different solid greys are exact; others are sorted into 255
/// classes of equal width, whose modulus is the mean of the class's ends, and `modulus_error` says how far off that is.
segmented segment(const image& scan, const segmentation_options& how, const density_law& law);

/// A material for each label.
/// @throws data_error naming all labels of the image that have no material, or if labels are not whole numbers
segmented segment(const image& labels, const segmentation_options& how, const std::vector<labelled_material>& table,
                  const std::vector<std::int64_t>& void_labels);

}  // namespace osteon::voxel
