#pragma once
/// @file
/// Line integral convolution: texture of a plane of a vector field with streaks along the field. @cite [CabralLeedom1993]
#include <cstdint>
#include <vector>

namespace osteon::render {

/// Two components of a vector field in a plane, at voxel centres, shape (rows, columns); zero without a field.
struct plane_field {
  std::int64_t rows = 0, columns = 0;
  std::int64_t first_row = 0;        ///< first row of the plane that is stored: parts suffice for parts of a picture
  double row_mm = 1, column_mm = 1;  ///< edge lengths of a voxel
  std::vector<float> along_rows;     ///< component in the direction of increasing row number
  std::vector<float> along_columns;  ///< component in the direction of increasing column number
};

/// Pixels of a picture of a plane: squares, with rows from the last row of the plane to its first.
struct plane_picture {
  int width = 0, height = 0;
  double pixel_mm = 1;
  double reach_pixels = 24;  ///< length of a streak to each side
};

/// Rows of the plane on which pixels of rows [first, last) depend. @return first and last row, not clipped to the plane
struct plane_rows {
  std::int64_t begin = 0, end = 0;
};
plane_rows rows_needed(const plane_picture& what, double row_mm, int first, int last);

/// White noise, averaged along the field line through each pixel of the rows [first, last).
///
/// Lines follow the bilinear interpolant of the field by the midpoint rule in steps of one pixel and end at zeros of the
/// field. The average of n pixels has 1 / sqrt(n) of the standard deviation of one pixel; it is rescaled, so that short and
/// long lines have the same contrast. A pixel depends on the field only, not on the set of rows computed together.
/// @return shape (last - first, width), values in [0, 1] with a mean of about 0.5; NaN at zeros of the field
/// @collective local
std::vector<float> line_convolution(const plane_field& field, const plane_picture& what, int first, int last);

}  // namespace osteon::render
