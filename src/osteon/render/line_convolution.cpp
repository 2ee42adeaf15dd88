#include <osteon/render/line_convolution.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/for_each.hpp>
#include <osteon/base/splitmix.hpp>

namespace osteon::render {

namespace {

constexpr double step_pixels = 1;
constexpr double contrast = 0.7;  // factor of the deviation from the mean; the value is empirical

// A position or a direction in the plane, in mm.
struct place {
  double up = 0, right = 0;
};

class field_lines_of_plane {
 public:
  field_lines_of_plane(const plane_field& field, const plane_picture& picture) : field_(field), picture_(picture) {}

  float brightness(int row, int column) const {
    const place start{(picture_.height - row - 0.5) * picture_.pixel_mm, (column + 0.5) * picture_.pixel_mm};
    if (!is_inside(start)) return std::numeric_limits<float>::quiet_NaN();
    double sum = noise_at(start);
    int count = 1;
    for (const double direction : {1.0, -1.0}) {
      place at = start;
      for (double gone = 0; gone < picture_.reach_pixels; gone += step_pixels) {
        if (!advance(at, direction)) break;
        sum += noise_at(at);
        ++count;
      }
    }
    if (count == 1 && !has_direction(start)) return std::numeric_limits<float>::quiet_NaN();
    const double stretched = 0.5 + contrast * std::sqrt(static_cast<double>(count)) * (sum / count - 0.5);
    return static_cast<float>(std::clamp(stretched, 0.0, 1.0));
  }

 private:
  // True if the voxel at this position has a value. Lines end at the boundary of the fluid. The interpolated field would
  // extend half a voxel beyond this boundary.
  bool is_inside(const place& at) const {
    const auto row = static_cast<std::int64_t>(std::floor(at.up / field_.row_mm)) - field_.first_row;
    const auto column = static_cast<std::int64_t>(std::floor(at.right / field_.column_mm));
    if (row < 0 || row >= field_.rows || column < 0 || column >= field_.columns) return false;
    const auto i = static_cast<std::size_t>(row * field_.columns + column);
    return field_.along_rows[i] != 0 || field_.along_columns[i] != 0;
  }

  place value_at(const place& at) const {
    const double r = at.up / field_.row_mm - 0.5;
    const double c = at.right / field_.column_mm - 0.5;
    const double low_r = std::floor(r), low_c = std::floor(c), fr = r - low_r, fc = c - low_c;
    place result;
    for (int k = 0; k < 4; ++k) {
      // Beyond the outermost centres, the field is constant.
      const auto row =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(low_r) + k / 2 - field_.first_row, 0, field_.rows - 1);
      const auto column = std::clamp<std::int64_t>(static_cast<std::int64_t>(low_c) + k % 2, 0, field_.columns - 1);
      const double weight = (k / 2 ? fr : 1 - fr) * (k % 2 ? fc : 1 - fc);
      const auto i = static_cast<std::size_t>(row * field_.columns + column);
      result.up += weight * static_cast<double>(field_.along_rows[i]);
      result.right += weight * static_cast<double>(field_.along_columns[i]);
    }
    return result;
  }

  bool has_direction(const place& at) const {
    const place v = value_at(at);
    return v.up != 0 || v.right != 0;
  }

  // Step in the direction of the field (1) or in the opposite direction (-1). @return false if the field is 0, or if the
  // step leaves the fluid
  bool advance(place& at, double direction) const {
    const double length = direction * step_pixels * picture_.pixel_mm;
    const auto unit = [](const place& v) {
      const double size = std::hypot(v.up, v.right);
      return size > 0 ? place{v.up / size, v.right / size} : place{};
    };
    const place first = unit(value_at(at));
    const place second = unit(value_at({at.up + 0.5 * length * first.up, at.right + 0.5 * length * first.right}));
    if (second.up == 0 && second.right == 0) return false;
    at.up += length * second.up;
    at.right += length * second.right;
    return is_inside(at);
  }

  double noise_at(const place& at) const {
    const auto row = static_cast<std::uint64_t>(std::max(0.0, at.up / picture_.pixel_mm));
    const auto column = static_cast<std::uint64_t>(std::max(0.0, at.right / picture_.pixel_mm));
    return static_cast<double>(mix_bits((row << 32 | column) + 0x9e3779b97f4a7c15U) >> 11) * 0x1p-53;
  }

  const plane_field& field_;
  const plane_picture& picture_;
};

}  // namespace

plane_rows rows_needed(const plane_picture& picture, double row_mm, int first, int last) {
  const double reach = (picture.reach_pixels + 1) * picture.pixel_mm;
  const double low = (picture.height - last) * picture.pixel_mm - reach,
               high = (picture.height - first) * picture.pixel_mm + reach;
  return {static_cast<std::int64_t>(std::floor(low / row_mm)) - 1, static_cast<std::int64_t>(std::ceil(high / row_mm)) + 2};
}

std::vector<float> line_convolution(const plane_field& field, const plane_picture& picture, int first, int last) {
  const field_lines_of_plane lines(field, picture);
  std::vector<float> result(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(std::max(0, last - first)));
  for_each_block(std::max(0, last - first), 1, [&](std::int64_t row, std::int64_t) {
    for (int column = 0; column < picture.width; ++column)
      result[static_cast<std::size_t>(row * picture.width + column)] =
          lines.brightness(first + static_cast<int>(row), column);
  });
  return result;
}

}  // namespace osteon::render
