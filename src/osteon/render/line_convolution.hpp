#pragma once
/// @file
/// Line integral convolution. The result is a texture of a plane of a vector field, with streaks along the field. @cite
/// [CabralLeedom1993]
#include <cstdint>
#include <vector>

namespace osteon::render {

/// Two components of a vector field in a plane. The values are at voxel centres, with shape (rows, columns). In voxels
/// without a field, the components are 0.
struct plane_field {
  std::int64_t rows = 0, columns = 0;
  std::int64_t first_row = 0;        ///< first stored row of the plane; a part of a picture needs only some rows
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
/// Rows of the plane that are needed for rows [first, last) of the picture. The result is not clipped to the plane.
plane_rows rows_needed(const plane_picture& picture, double row_mm, int first, int last);

/// Compute rows [first, last) of the picture. The value of a pixel is white noise, averaged along the field line through the
/// pixel.
///
/// Field lines are integrated by the midpoint rule in steps of one pixel. The field is interpolated bilinearly. Field lines
/// end at zeros of the field. The standard deviation of an average of n pixels is 1 / sqrt(n) times the standard deviation
/// of one pixel. The deviation of the average from the mean is therefore multiplied by sqrt(n). As a result, short and long
/// lines have the same contrast. The values in a row do not depend on `first` and `last`.
/// @return array of shape (last - first, width); values in [0, 1] with a mean of about 0.5; NaN at zeros of the field
/// @collective local
std::vector<float> line_convolution(const plane_field& field, const plane_picture& picture, int first, int last);

}  // namespace osteon::render
