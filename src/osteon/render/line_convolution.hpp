#pragma once
/// @file
/// Line integral convolution: texture of a plane of a vector field with streaks along the field. @cite [CabralLeedom1993]
#include <cstdint>
#include <vector>

namespace osteon::render {

/// Two components of a vector field in a plane, at the middles of voxels, shape (rows, columns); zero where there is none.
struct plane_field {
  std::int64_t rows = 0, columns = 0;
  std::int64_t first_row = 0;        ///< of the plane: parts of it suffice for parts of a picture
  double row_mm = 1, column_mm = 1;  ///< edge lengths of a voxel
  std::vector<float> along_rows;     ///< component in the direction in which the number of the row rises
  std::vector<float> along_columns;  ///< the same of columns
};

/// Pixels of a picture of a plane: squares, with rows from the last row of the plane to its first.
struct plane_picture {
  int width = 0, height = 0;
  double pixel_mm = 1;
  double reach_pixels = 24;  ///< a thread reaches so far to both sides
};

/// Rows of the plane that pixels of rows [first, last) depend on. @return first and last of them, not limited to the plane
struct plane_rows {
  std::int64_t begin = 0, end = 0;
};
plane_rows rows_needed(const plane_picture& what, double row_mm, int first, int last);

/// White noise, averaged along the line of the field through each pixel of the rows [first, last).
///
/// Lines follow the bilinear interpolant of the field by the midpoint rule, in steps of a pixel, until it is zero. The
/// standard deviation of the average of n pixels is 1 / sqrt(n) of that of one; it is rescaled, so that short and long lines
/// have the same contrast. A pixel depends on the field only, not on the rows that are computed together.
/// @return shape (last - first, width), 0 to 1, about 0.5 in the mean; NaN where the field is zero @collective local
std::vector<float> line_convolution(const plane_field& field, const plane_picture& what, int first, int last);

}  // namespace osteon::render
