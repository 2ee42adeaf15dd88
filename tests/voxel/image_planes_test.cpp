#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/voxel/segment.hpp>
#include <random>
#include <voxel/random_image.hpp>

namespace image_planes_test {

using namespace osteon;
using namespace osteon::voxel;

template <class T>
image image_of(index3 shape, scalar type, const std::vector<T>& values) {
  image scan{shape, type, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(scan.bytes.data(), values.data(), scan.bytes.size());
  return scan;
}

// Oracle: the values themselves, counted. Each plane is larger than one read.
TEST(image_planes, are_read_once_each_and_in_order) {
  const index3 shape{5, 700, 800};
  std::vector<double> values(static_cast<std::size_t>(shape.volume()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const image_planes planes(image_of(shape, scalar::f8, values));
  ASSERT_EQ(planes.at_a_time(sizeof(double)), 1);
  std::int64_t next = 0;
  for_each_block(planes, [&](std::int64_t first, auto view) {
    EXPECT_EQ(first, next++);
    EXPECT_EQ(view.extent(0), 1);
    EXPECT_EQ(static_cast<std::int64_t>(view(0, 0, 0)), first * shape.y * shape.x);
    EXPECT_EQ(static_cast<std::int64_t>(view(0, shape.y - 1, shape.x - 1)), (first + 1) * shape.y * shape.x - 1);
  });
  EXPECT_EQ(next, shape.z);
  const grey_range range = check_values(planes);
  EXPECT_EQ(range.low, 0);
  EXPECT_EQ(range.high, static_cast<double>(values.size() - 1));
}

// Oracle: determined by hand. The voxels are in separate blocks.
TEST(image_planes, tell_the_first_of_all_values_that_are_no_numbers) {
  const index3 shape{3, 700, 800};
  std::vector<double> values(static_cast<std::size_t>(shape.volume()));
  values[static_cast<std::size_t>((1 * 700 + 5) * 800 + 7)] = std::numeric_limits<double>::infinity();
  values.back() = std::numeric_limits<double>::quiet_NaN();
  try {
    check_values(image_of(shape, scalar::f8, values));
    FAIL();
  } catch (const data_error& e) {
    EXPECT_NE(std::string(e.what()).find("2 values that are NaN or infinite, the first at voxel (z, y, x) = (1, 5, 7)"),
              std::string::npos)
        << e.what();
  }
}

// Oracle: the values inside the box, and the planes of the whole image. Materials are given by label, by grey value, and by
// constants.
TEST(image_planes, give_the_same_materials_in_pieces_and_at_once) {
  const index3 shape{7, 9, 11};
  const auto labels = random_image(shape, 0.7, 3);
  std::vector<std::int16_t> greys;
  std::vector<float> moduli;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    greys.push_back(labels[i] == 0 ? std::int16_t{-5} : static_cast<std::int16_t>(i));
    moduli.push_back(static_cast<float>(1 + i % 13));
  }
  const box3 part{{1, 2, 3}, {6, 8, 10}};
  const image_planes grey = crop(image_of(shape, scalar::i2, greys), part),
                     modulus = crop(image_of(shape, scalar::f4, moduli), part);
  segmentation_options how;
  how.keep = keep_rule::all;
  how.threshold = 0;
  how.must_connect_faces = false;
  const density_law law{.slope = 1, .coefficient_MPa = 10, .max_modulus_MPa = 1e9};
  for (const segmented& model :
       {segment(grey, how, material{}), segment(grey, how, law), segment(grey, how, {.modulus_MPa = modulus})}) {
    const std::vector<material_number> all = all_materials(model);
    std::size_t at = 0;
    for (const std::int64_t z : {4, 0, 2, 1, 3}) {  // the planes are read in any order
      std::vector<material_number> plane(static_cast<std::size_t>(part.shape().y * part.shape().x), 99);
      model.material(z, 1, plane);
      for (std::size_t i = 0; i < plane.size(); ++i) {
        const auto n = static_cast<std::int64_t>(i);
        const index3 p = part.begin + index3{z, n / part.shape().x, n % part.shape().x};
        const auto from = static_cast<std::size_t>((p.z * shape.y + p.y) * shape.x + p.x);
        ASSERT_EQ(plane[i], all[static_cast<std::size_t>(z) * plane.size() + i]);
        ASSERT_EQ(plane[i] != 0, greys[from] > 0);
        if (plane[i] == 0 || model.materials.size() == 2) continue;
        const double e = model.materials[plane[i]].youngs_modulus_MPa;
        ASSERT_NEAR(e, model.materials.size() == 14 ? moduli[from] : 10.0 * greys[from], 1e-9);
        ++at;
      }
    }
    EXPECT_EQ(at > 0, model.materials.size() > 2);
  }
}

}  // namespace image_planes_test
