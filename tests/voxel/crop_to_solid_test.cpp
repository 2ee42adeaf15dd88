#include <gtest/gtest.h>

#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/voxel/crop_to_solid.hpp>

namespace crop_to_solid_test {

using namespace osteon;
using namespace osteon::voxel;

image grey_image(index3 shape) {
  image scan{shape, scalar::u1, std::vector<std::byte>(static_cast<std::size_t>(shape.volume()), std::byte{10})};
  return scan;
}

void set(image& scan, index3 p, int value) {
  scan.bytes[static_cast<std::size_t>((p.z * scan.shape.y + p.y) * scan.shape.x + p.x)] = static_cast<std::byte>(value);
}

// A bar along z with a hook, and a separate voxel that the largest part does not contain.
image bar_and_hook() {
  image scan = grey_image({6, 5, 7});
  for (std::int64_t z = 1; z < 5; ++z) set(scan, {z, 2, 3}, 200);
  set(scan, {4, 2, 4}, 220);
  set(scan, {0, 0, 0}, 210);
  return scan;
}

// Oracle: the box by hand, and the materials of the same image cropped to this box by hand.
TEST(crop_to_solid, equals_a_crop_by_hand_at_the_same_threshold) {
  const image scan = bar_and_hook();
  segmentation_options how;
  how.must_connect_faces = false;
  const density_law law{.slope = 1, .coefficient_MPa = 2, .exponent = 1, .min_modulus_MPa = 1, .max_modulus_MPa = 1e4};
  const segmented whole = segment(scan, how, law);
  const box3 box{{1, 2, 3}, {5, 3, 5}};
  ASSERT_EQ(box_of_solid(whole.solid), box);
  how.must_connect_faces = true;
  const segmented part = crop_to_solid(whole, how);
  segmentation_options same = how;
  same.threshold = whole.report.threshold;
  const segmented by_hand = segment(crop(scan, box), same, law);
  EXPECT_EQ(part.shape, by_hand.shape);
  EXPECT_EQ(all_materials(part), all_materials(by_hand));
  ASSERT_EQ(part.materials.size(), by_hand.materials.size());
  for (std::size_t m = 0; m < part.materials.size(); ++m)
    EXPECT_EQ(part.materials[m].youngs_modulus_MPa, by_hand.materials[m].youngs_modulus_MPa);
  EXPECT_EQ(part.report.volume_fraction, by_hand.report.volume_fraction);
  EXPECT_EQ(part.report.percolates, by_hand.report.percolates);
  EXPECT_EQ(part.report.dropped_voxels, 1);
}

// Oracle: by hand: two kept parts fill the box along z, and neither part connects its faces.
TEST(crop_to_solid, rejects_a_solid_that_does_not_connect_the_faces_of_its_box) {
  image scan = grey_image({6, 1, 5});
  set(scan, {1, 0, 1}, 200);
  set(scan, {4, 0, 3}, 200);
  segmentation_options how;
  how.keep = keep_rule::all;
  how.must_connect_faces = false;
  const segmented whole = segment(scan, how, material{"bone", 1000, 0.3, 0});
  how.must_connect_faces = true;
  EXPECT_THROW(crop_to_solid(whole, how), data_error);
}

}  // namespace crop_to_solid_test
