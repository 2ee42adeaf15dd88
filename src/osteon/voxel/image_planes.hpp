#pragma once
/// @file
/// An image with planes that are read on demand. The image may exceed the memory.
#include <algorithm>
#include <functional>
#include <osteon/voxel/image.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::voxel {

/// Planes of an image from any storage. Planes may be read repeatedly, by one thread at a time.
struct image_planes {
  /// Reads the planes [first, first + planes) into `values`, shape (planes, y, x), in native byte order.
  using reader = std::function<void(std::int64_t first, std::int64_t planes, std::span<std::byte> values)>;

  index3 shape;
  scalar type = scalar::u1;
  reader read;

  image_planes() = default;
  image_planes(index3 of_shape, scalar of_type, reader by) : shape(of_shape), type(of_type), read(std::move(by)) {}
  /// Planes of an image in memory, owned by this object.
  image_planes(image whole);

  /// Read the planes [first, first + planes) into `block`, reusing its memory.
  void read_into(image& block, std::int64_t first, std::int64_t planes) const;
  /// Number of planes that need about 4 MiB at `bytes_per_voxel` bytes per voxel.
  std::int64_t at_a_time(std::size_t bytes_per_voxel) const;
};

/// Call `f(first, values)` for all planes in ascending order, some planes at a time; `values` is a typed view.
template <class F>
void for_each_block(const image_planes& image_in_planes, F&& f) {
  const index3 shape = image_in_planes.shape;
  const std::int64_t most = image_in_planes.at_a_time(size_of(image_in_planes.type));
  image block;
  for (std::int64_t z = 0; z < shape.z; z += most) {
    image_in_planes.read_into(block, z, std::min(most, shape.z - z));
    block.visit([&](auto values) { f(z, values); });
  }
}

/// Number of voxels of each grey value, from the lowest value of the type of the image on.
using grey_counts = std::vector<std::int64_t>;

/// Range of the grey values, in one pass. @param counts receives the counts of the grey values, for types of at most 16 bits
/// @throws data_error if the image is empty or contains NaN or infinity; the message contains the
/// number of invalid values and the position of the first invalid value
grey_range check_values(const image_planes& scan, grey_counts* counts = nullptr);

/// Check labels. Labels may be stored as floats but must be integers.
/// @param name name of the image in messages
/// @throws data_error with the first value that is not a 32-bit integer
void require_labels(const image_planes& labels, const std::string& name);

/// The part of an image in the box `part`. @throws data_error if `part` is empty or not inside the image
image_planes crop(const image_planes& scan, const box3& part);

}  // namespace osteon::voxel
