#pragma once
/// @file
/// Line integral convolution: texture of a plane of a vector field with streaks along the field. @cite [CabralLeedom1993]
#include <cstdint>
#include <vector>

namespace osteon::render {

/// Two components of a vector field in a plane at voxel centres, shape (rows, columns). Components in voxels without a field
/// are 0.
struct plane_field {
  std::int64_t rows = 0, columns = 0;
  std::int64_t first_row = 0;  ///< first stored row of the plane; a part of a picture requires only some rows of the plane
  double row_mm = 1, column_mm = 1;  ///< edge lengths of a voxel
  std::vector<float> along_rows;     ///< component in the direction of increasing row number
  std::vector<float> along_columns;  ///< component in the direction of increasing column number
};

/// Picture of a plane with square pixels. The upper row of the picture shows the last row of the plane.
struct plane_picture {
  int width = 0, height = 0;
  double pixel_mm = 1;
  double reach_pixels = 24;  ///< length of a streak to each side
};

struct plane_rows {
  std::int64_t begin = 0, end = 0;
};
/// Rows of the plane required for rows [first, last) of the picture. The result is not clipped to the plane.
plane_rows rows_needed(const plane_picture& picture, double row_mm, int first, int last);

/// Compute rows [first, last) of the picture: white noise, averaged along the field line through each pixel.
///
/// Field lines are integrated in the bilinear interpolant of the field by the midpoint rule, in steps of one pixel. Field
/// lines end at zeros of the field. The standard deviation of the average of n pixels is 1 / sqrt(n) times the standard
/// deviation of one pixel. Therefore the deviation of the average from the mean is multiplied by sqrt(n): short and long
/// lines have the same contrast. The values of a row do not depend on `first` and `last`.
/// @return shape (last - first, width), values in [0, 1] with a mean of about 0.5; NaN at zeros of the field
/// @collective local
std::vector<float> line_convolution(const plane_field& field, const plane_picture& picture, int first, int last);

}  // namespace osteon::render
