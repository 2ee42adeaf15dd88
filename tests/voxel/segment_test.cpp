#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/voxel/segment.hpp>
#include <voxel/random_image.hpp>

namespace segment_test {

using namespace osteon;
using namespace osteon::voxel;

template <class T>
image make_image(index3 shape, const std::vector<T>& values, scalar type) {
  image scan{shape, type, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(scan.bytes.data(), values.data(), scan.bytes.size());
  return scan;
}

// Two z planes of 1 x 4 voxels. A bar of grey 200 is in both planes at x = 0, an island of grey 180 is at x = 2, and pores
// have grey 10.
const std::vector<std::uint8_t> bar_and_island{200, 10, 180, 10, 200, 10, 10, 10};
constexpr index3 bar_shape{2, 1, 4};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const data_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

// Oracle: determined by hand.
TEST(segment, keeps_the_largest_part_and_reports_the_rest) {
  const segmented s = segment(make_image(bar_shape, bar_and_island, scalar::u1), {}, material{"bone", 1000, 0.3, 0});
  EXPECT_EQ(all_materials(s), (std::vector<material_number>{1, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(s.report.method, "otsu");
  EXPECT_EQ(s.report.solid_voxels, 3);
  EXPECT_EQ(s.report.kept_voxels, 2);
  EXPECT_EQ(s.report.dropped_voxels, 1);
  EXPECT_EQ(s.report.dropped_islands, 1);
  EXPECT_EQ(s.report.largest_islands, (std::vector<std::int64_t>{1}));
  EXPECT_DOUBLE_EQ(s.report.volume_fraction, 0.25);
  EXPECT_TRUE(s.report.percolates[0]);
  EXPECT_FALSE(s.report.percolates[2]);
  ASSERT_EQ(s.materials.size(), 2u);
  EXPECT_EQ(s.materials[1].name, "bone");
}

TEST(segment, keeps_all_parts_on_request) {
  segmentation_options how;
  how.keep = keep_rule::all;
  EXPECT_EQ(segment(make_image(bar_shape, bar_and_island, scalar::u1), how, material{}).report.kept_voxels, 3);
}

// Oracle: the image with another origin in its period is the same solid. The face across y cuts a bar of 5 voxels into 3 and
// 2 voxels, next to a complete bar of 4 voxels. The test also uses random images.
TEST(segment, connects_parts_through_periodic_faces) {
  const index3 shape{3, 8, 9};
  std::vector<material_number> bar(static_cast<std::size_t>(shape.volume()));
  for (const std::int64_t y : {5, 6, 7, 0, 1}) bar[static_cast<std::size_t>(y * shape.x + 4)] = 1;
  for (std::int64_t x = 0; x < 4; ++x) bar[static_cast<std::size_t>((2 * shape.y + 3) * shape.x + x)] = 1;
  segmentation_options how;
  how.threshold = 0;
  how.must_connect_faces = false;
  how.periodic = {false, true, true};
  const auto kept = [&](const std::vector<material_number>& solid) {
    return segment(make_image(shape, solid, scalar::u2), how, material{});
  };
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto solid = seed == 0 ? bar : random_image(shape, 0.3, seed);
    std::vector<material_number> rolled(solid.size());
    const auto from = [&](std::int64_t i) {
      const std::int64_t z = i / (shape.y * shape.x), y = i / shape.x % shape.y, x = i % shape.x;
      return static_cast<std::size_t>((z * shape.y + (y + 3) % shape.y) * shape.x + (x + 5) % shape.x);
    };
    for (std::int64_t i = 0; i < shape.volume(); ++i) rolled[static_cast<std::size_t>(i)] = solid[from(i)];
    const segmented here = kept(solid), there = kept(rolled);
    EXPECT_EQ(here.report.parts, there.report.parts);
    EXPECT_EQ(here.report.kept_voxels, there.report.kept_voxels);
    EXPECT_EQ(here.report.largest_islands, there.report.largest_islands);
    EXPECT_EQ(here.report.percolates[0], there.report.percolates[0]);
    if (seed > 0) continue;
    EXPECT_EQ(here.report.kept_voxels, 5);
    EXPECT_FALSE(here.report.percolates[1]);  // the part touches both faces, but does not connect them
    const auto before = all_materials(here), after = all_materials(there);
    for (std::int64_t i = 0; i < shape.volume(); ++i) EXPECT_EQ(after[static_cast<std::size_t>(i)], before[from(i)]);
  }
}

TEST(segment, says_which_face_is_missed) {
  const std::vector<std::uint8_t> floating{0, 0, 9, 9, 0};
  const auto scan = make_image({5, 1, 1}, floating, scalar::u1);
  const std::string text = message_of([&] { segment(scan, {}, material{}); });
  EXPECT_NE(text.find("does not touch the low z face nor the high z face: it spans the z planes 2 to 3 of 0 to 4"),
            std::string::npos)
      << text;
  segmentation_options how;
  how.keep = keep_rule::all;
  const std::vector<std::uint8_t> broken{9, 9, 0, 9, 9};
  EXPECT_NE(
      message_of([&] { segment(make_image({5, 1, 1}, broken, scalar::u1), how, material{}); }).find("no connected part"),
      std::string::npos);
  how.keep = keep_rule::percolating;
  EXPECT_NE(
      message_of([&] { segment(make_image({5, 1, 1}, broken, scalar::u1), how, material{}); }).find("no connected part"),
      std::string::npos);
}

// Oracle: two plates with a gap between them. Neither plate connects both faces. If such parts are permitted, both plates
// are kept.
TEST(segment, keeps_all_parts_where_none_may_percolate) {
  const auto scan = make_image<std::uint8_t>({3, 1, 2}, {200, 200, 10, 10, 200, 200}, scalar::u1);
  segmentation_options how;
  how.threshold = 100;
  how.keep = keep_rule::percolating;
  how.must_connect_faces = false;
  EXPECT_THROW(segment(scan, how, material{}), data_error);
  how.may_keep_all_parts = true;
  const segmented found = segment(scan, how, material{});
  EXPECT_EQ(found.report.kept_voxels, 4);
  EXPECT_FALSE(found.report.percolates[0]);
}

// Oracle: determined by hand. A bar along y, a bar along x, and a voxel at the low z face are disconnected.
TEST(segment, percolating_parts_join_an_axis_or_touch_a_face) {
  const index3 shape{5, 5, 5};
  std::vector<std::uint8_t> greys(125, 0);
  const auto fill = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    greys[static_cast<std::size_t>((z * 5 + y) * 5 + x)] = 200;
  };
  for (std::int64_t i = 0; i < 5; ++i) fill(2, i, 0), fill(4, 2, i);
  fill(0, 2, 2);
  segmentation_options how;
  how.threshold = 100;
  how.keep = keep_rule::percolating;
  how.must_connect_faces = false;
  how.may_keep_all_parts = true;
  const auto kept = [&](std::array<bool, 3> through, std::array<bool, 2> touching_z) {
    how.through = through;
    how.touching = {touching_z, {}, {}};
    return segment(make_image(shape, greys, scalar::u1), how, material{}).report.kept_voxels;
  };
  EXPECT_EQ(kept({false, true, false}, {}), 5);
  EXPECT_EQ(kept({true, true, true}, {}), 10);
  EXPECT_EQ(kept({}, {true, false}), 1);
  EXPECT_EQ(kept({false, false, true}, {true, false}), 6);
  EXPECT_EQ(kept({}, {}), 11);  // no part connects the faces of the load axis z
  const segmented found = segment(make_image(shape, greys, scalar::u1), how, material{});
  EXPECT_EQ(found.report.voxels_of_material, (std::vector<std::int64_t>{0, 11}));
}

TEST(segment, says_when_a_threshold_leaves_nothing) {
  segmentation_options how;
  how.threshold = 250;
  const std::string text = message_of([&] { segment(make_image(bar_shape, bar_and_island, scalar::u1), how, material{}); });
  EXPECT_NE(text.find("the threshold 250 leaves no solid voxel: the grey values of the image are in [10, 200]"),
            std::string::npos)
      << text;
}

// Oracle: the law itself. The division into classes does not reduce the accuracy of 8-bit images.
TEST(segment, gives_every_grey_value_of_an_8_bit_image_its_modulus) {
  std::vector<std::uint8_t> greys(200);
  for (std::size_t i = 0; i < greys.size(); ++i) greys[i] = static_cast<std::uint8_t>(50 + i);
  segmentation_options how;
  how.threshold = 99;
  how.load_axis = axis::y;
  const density_law law{.slope = 0.01, .intercept = -0.2, .coefficient_MPa = 6850, .exponent = 1.49};

  const segmented s = segment(make_image({1, 1, 200}, greys, scalar::u1), how, law);

  EXPECT_EQ(s.modulus_error, 0);
  const auto number = all_materials(s);
  for (std::size_t i = 50; i < greys.size(); ++i)
    EXPECT_NEAR(s.materials[number[i]].youngs_modulus_MPa, 6850 * std::pow(0.01 * greys[i] - 0.2, 1.49), 1e-9);
}

TEST(segment, sorts_many_greys_into_classes_and_bounds_the_error) {
  std::vector<std::uint16_t> greys(10000);
  for (std::size_t i = 0; i < greys.size(); ++i) greys[i] = static_cast<std::uint16_t>(1000 + 5 * i);
  segmentation_options how;
  how.threshold = 999;
  how.load_axis = axis::y;
  const density_law law{.slope = 1e-4, .coefficient_MPa = 10000, .exponent = 2};

  const segmented s = segment(make_image({1, 1, 10000}, greys, scalar::u2), how, law);

  EXPECT_GT(s.materials.size(), 257u);
  EXPECT_LE(s.materials.size(), 4097u);
  const auto number = all_materials(s);
  double worst = 0;
  for (std::size_t i = 0; i < greys.size(); ++i) {
    const double exact = law.modulus_MPa(greys[i]);
    worst = std::max(worst, std::abs(s.materials[number[i]].youngs_modulus_MPa - exact) / exact);
  }
  EXPECT_NEAR(worst, s.modulus_error, 1e-12);
  const double ratio = std::pow(51.0, 2.0 / 4096);  // a grey ratio of 51, squared by the law
  EXPECT_LE(worst, (ratio - 1) / (ratio + 1));
  EXPECT_GT(worst, 0);
}

// Oracle: the polynomial, evaluated by hand, with its limits and with negative greys of a signed image.
TEST(segment, takes_a_polynomial_law) {
  const std::vector<std::int16_t> greys{-100, 0, 100, 200, 1000, 3000};
  segmentation_options how;
  how.threshold = -1000;
  how.load_axis = axis::y;
  const density_law law{.slope = 0.001,
                        .intercept = 0.05,
                        .polynomial_MPa = {10, 200, -50, 3000},
                        .min_modulus_MPa = 20,
                        .max_modulus_MPa = 50000};
  const segmented s = segment(make_image({1, 1, 6}, greys, scalar::i2), how, law);
  EXPECT_EQ(s.modulus_error, 0);
  const auto number = all_materials(s);
  const auto modulus = [&](std::size_t i) { return s.materials[number[i]].youngs_modulus_MPa; };
  EXPECT_EQ(modulus(0), 20);  // density -0.05 counts as zero, and 10 MPa are raised to 20 MPa
  for (std::size_t i = 1; i < 5; ++i) {
    const double rho = 0.001 * greys[i] + 0.05;
    EXPECT_NEAR(modulus(i), std::max(20.0, 10 + 200 * rho - 50 * rho * rho + 3000 * rho * rho * rho), 1e-9) << i;
  }
  EXPECT_EQ(modulus(5), 50000);
}

// Oracle: computed by hand for three points. The middle point is 0.3 above the line through the others.
TEST(calibrate, finds_the_line_of_least_squares) {
  const std::vector<std::pair<double, double>> points{{0, 1}, {100, 2.3}, {200, 3}};
  const calibration line = calibrate(points);
  EXPECT_NEAR(line.slope, 0.01, 1e-15);
  EXPECT_NEAR(line.intercept, 1.1, 1e-14);
  EXPECT_NEAR(line.largest_residual, 0.2, 1e-14);
}

// Oracle: determined by hand.
TEST(segment, takes_constants_voxel_by_voxel) {
  segmentation_options how;
  how.threshold = 0.5;
  how.load_axis = axis::y;
  const std::vector<float> scan{0, 1, 1, 1, 0}, modulus{-1, 500, 700.5F, 500, 9}, poisson{7, 0.25F, 0.25F, 0.125F, 7};
  const index3 shape{1, 1, 5};
  const auto grey = make_image(shape, scan, scalar::f4), e = make_image(shape, modulus, scalar::f4),
             nu = make_image(shape, poisson, scalar::f4);
  const segmented s = segment(grey, how, {.modulus_MPa = e, .poisson_ratio = nu});
  EXPECT_EQ(all_materials(s), (std::vector<material_number>{0, 2, 3, 1, 0}));
  EXPECT_EQ(s.materials[1].poisson_ratio, 0.125);
  EXPECT_EQ(s.materials[2].youngs_modulus_MPa, 500);
  EXPECT_EQ(s.materials[3].youngs_modulus_MPa, 700.5);
  EXPECT_EQ(segment(grey, how, {.modulus_MPa = e, .same_poisson_ratio = 0.4}).materials[2].poisson_ratio, 0.4);

  how.threshold = -1;
  EXPECT_NE(message_of([&] {
              segment(grey, how, {.modulus_MPa = e});
            }).find("1 solid voxels have an invalid Young's modulus, the first -1 at (z, y, x) = (0, 0, 0)"),
            std::string::npos);
  how.threshold = 0.5;
  EXPECT_NE(message_of([&] { segment(grey, how, {.modulus_MPa = e, .poisson_ratio = e}); }).find("3 solid voxels"),
            std::string::npos);
  const auto small = make_image({1, 1, 4}, std::vector<float>{1, 1, 1, 1}, scalar::f4);
  EXPECT_NE(message_of([&] { segment(grey, how, {.modulus_MPa = small}); }).find("1 x 1 x 4 voxels"), std::string::npos);
}

TEST(segment, maps_labels_and_names_those_without_a_material) {
  const std::vector<std::int16_t> labels{5, 5, 0, 7, 5, 7};
  const auto scan = make_image({1, 1, 6}, labels, scalar::i2);
  segmentation_options how;
  how.load_axis = axis::y;
  how.keep = keep_rule::all;
  const segmented s = segment(scan, how, {{7, material{"screw", 110000, 0.3, 0}}, {5, material{"bone", 1000, 0.3, 0}}}, {0});
  EXPECT_EQ(all_materials(s), (std::vector<material_number>{2, 2, 0, 1, 2, 1}));
  const std::string text = message_of([&] { segment(scan, how, {{5, material{}}}, {3}); });
  EXPECT_NE(text.find("labels without a material: 0 (1 voxel), 7 (2 voxels)"), std::string::npos) << text;
}

// Oracle: determined by hand. The report is the report of the requested phase.
TEST(segment, keeps_two_phases_side_by_side) {
  const material fluid{"fluid", 0, 0, 0}, rock{"rock", 0, 0, 2}, ore{"ore", 0, 0, 9};
  segmentation_options pores;
  pores.threshold = 100;
  pores.inverted = true;
  pores.keep = keep_rule::all;
  pores.must_connect_faces = false;
  const segmented s = segment_phases(make_image(bar_shape, bar_and_island, scalar::u1), pores, fluid, rock);
  EXPECT_EQ(all_materials(s), (std::vector<material_number>{2, 1, 2, 1, 2, 1, 1, 1}));
  EXPECT_EQ(s.report.kept_voxels, 5);
  EXPECT_EQ(s.solid.size(), 2);  // whole rows
  EXPECT_EQ(s.materials[2].conductivity_W_per_mK, 2);

  const std::vector<std::int16_t> labels{5, 5, 0, 7, 3, 7};
  segmentation_options named;
  named.labels = {5, 3};
  named.keep = keep_rule::all;
  named.must_connect_faces = false;
  const auto scan = make_image({1, 1, 6}, labels, scalar::i2);
  const segmented t = segment_phases(scan, named, fluid, {{7, ore}}, {0});
  EXPECT_EQ(all_materials(t), (std::vector<material_number>{1, 1, 0, 2, 1, 2}));
  EXPECT_EQ(t.report.kept_voxels, 3);
  EXPECT_EQ(t.materials.size(), 3U);
  const std::string text = message_of([&] { segment_phases(scan, named, fluid, {}, {0}); });
  EXPECT_NE(text.find("labels without a material: 7 (2 voxels)"), std::string::npos) << text;
}

}  // namespace segment_test
