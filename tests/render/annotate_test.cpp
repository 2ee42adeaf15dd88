#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/render/annotate.hpp>
#include <osteon/render/canvas.hpp>
#include <osteon/render/rays/view.hpp>

namespace annotate_test {

using namespace osteon;

render::scene empty_scene() {
  render::scene s;
  s.spacing_mm = {0.1, 0.1, 0.1};
  s.width = 400;
  s.height = 300;
  s.background = {0, 0, 0};
  return s;
}

// An annotated picture in uniform grey.
std::vector<std::uint8_t> annotated(const render::scene& what, const render::annotations& wanted, std::uint8_t grey) {
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(what.width * what.height * 4), grey);
  render::annotate(rgba, what, {20, 20, 20}, wanted);
  return rgba;
}

// Oracle: determined by hand. The ticks are round numbers, and zero has no sign.
TEST(ticks, are_round_numbers_within_the_range) {
  EXPECT_EQ(render::ticks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(render::ticks(-0.25, 0.25, 3), (std::vector<double>{-0.2, 0, 0.2}));
  for (const double tick : render::ticks(0, 10, 6)) EXPECT_FALSE(std::signbit(tick));
  EXPECT_TRUE(render::ticks(1, 1, 5).empty());
}

// Oracle: a question mark replaces a letter that is missing from the font. The letter has two bytes in UTF-8.
TEST(canvas, shows_a_character_that_it_has_not_once) {
  EXPECT_EQ(render::canvas::text_width("\xc2\xb5m", 1), render::canvas::text_width("?m", 1));
  std::vector<std::uint8_t> a(4 * 40 * 10), b(a);
  render::canvas(a, 40, 10).text(1, 1, "\xc2\xb5m", 1, {255, 255, 255});
  render::canvas(b, 40, 10).text(1, 1, "?m", 1, {255, 255, 255});
  EXPECT_EQ(a, b);
}

// Oracle: if the background is as bright as the ink, words are legible by their edges. The edges have the colour of the
// background.
TEST(annotate, can_be_read_on_a_bright_object) {
  render::annotations wanted;
  wanted.title = "title";
  wanted.outline = wanted.axes = wanted.scale_bar = false;
  const auto picture = annotated(empty_scene(), wanted, 255);
  EXPECT_NE(std::count(picture.begin(), picture.end(), 0), 0);

  wanted.title.clear();
  render::annotations nothing;
  nothing.outline = nothing.axes = nothing.scale_bar = nothing.colour_bar = false;
  EXPECT_EQ(annotated(empty_scene(), wanted, 255), annotated(empty_scene(), nothing, 255));
}

// Oracle: the colours of two control points at the ends of the bar.
TEST(annotate, shows_the_colours_of_control_points) {
  render::annotations wanted;
  wanted.outline = wanted.axes = wanted.scale_bar = false;
  wanted.map = "inferno";
  wanted.low = 1;
  wanted.high = 2;
  wanted.transfer = {{1, {1, 0, 0}, 0}, {2, {0, 0, 1}, 1}};
  const auto picture = annotated(empty_scene(), wanted, 0);
  int reds = 0, blues = 0;
  for (std::size_t row = 0; row < 300; ++row)
    for (std::size_t i = 4 * 400 * row; i < 4 * 400 * (row + 1); i += 4) {
      const bool red = picture[i] > 240 && picture[i + 1] == 0 && picture[i + 2] < 60;
      const bool blue = picture[i + 2] > 240 && picture[i + 1] == 0 && picture[i] < 60;
      reds += red;
      blues += blue;
      EXPECT_FALSE(red && row < 150);
      EXPECT_FALSE(blue && row > 150);
    }
  EXPECT_GT(reds, 5);
  EXPECT_GT(blues, 5);
}

// Oracle: computed by hand. The colours are 8-bit sRGB values of red, of blue, and of half of each (188 = round(255 *
// 0.735)), from the low to the high end.
TEST(annotate, lists_the_colours_of_its_bar) {
  render::annotations wanted;
  EXPECT_TRUE(render::bar_colours(wanted, 3).empty());
  wanted.map = "inferno";
  wanted.low = 1;
  wanted.high = 2;
  wanted.transfer = {{1, {1, 0, 0}, 0}, {2, {0, 0, 1}, 1}};
  const auto colours = render::bar_colours(wanted, 1001);
  ASSERT_EQ(colours.size(), 1001U);
  EXPECT_EQ(colours.front() >> 16, 255U);
  EXPECT_EQ(colours[500], 0xBC00BCU);
  EXPECT_EQ(colours.back() & 255U, 255U);
}

// Oracle: the mirror image of a point, from the mirrored position of the camera, has an equal column and row.
TEST(annotate, sees_left_handed_axes_as_they_are_in_space) {
  const index3 domain{30, 20, 10};
  const vector3 h{0.1, 0.2, 0.3};
  render::camera here, there;
  here.azimuth_deg = 35;
  there.azimuth_deg = 180 - 35;
  there.is_left_handed = true;
  const auto from = render::view::of(here, domain, h, 320, 240), mirrored = render::view::of(there, domain, h, 320, 240);
  for (const vector3 p : {vector3{0.2, 3.1, 0.4}, vector3{2.9, 0.3, 2.8}, vector3{1.5, 2.0, 1.0}}) {
    const vector3 q{p.z, p.y, 10 * h.x - p.x};
    const auto a = from.project(p), b = mirrored.project(q);
    EXPECT_NEAR(a[0], b[0], 1e-9);
    EXPECT_NEAR(a[1], b[1], 1e-9);
    EXPECT_NEAR(from.depth(p), mirrored.depth(q), 1e-12);
  }
}

// Oracle: determined by hand. If a box surrounds the camera, only the parts of its edges in front of the camera are drawn.
// These parts are inside the picture.
TEST(annotate, draws_a_box_around_the_camera) {
  render::scene s = empty_scene();
  s.view.eye_mm = vector3{1, 1, 1};
  s.view.look_at_mm = vector3{1, 1, 0};
  render::annotations wanted;
  wanted.axes = wanted.scale_bar = false;
  s.view.zoom = 0.2;  // the picture is wide enough for the far face: 2 mm of 2.7 at 1 mm
  const auto picture = annotated(s, wanted, 0);
  const auto bright = [&](int column, int row) { return picture[static_cast<std::size_t>(4 * (row * 400 + column))] > 40; };
  // The far face is a square in the middle. Edges extend outwards from its corners.
  const double half = 150 / (0.2679 / 0.2);
  int hits = 0;
  for (int i = -2; i <= 2; ++i) hits += bright(200 + static_cast<int>(half) + i, 150);
  EXPECT_GT(hits, 0);
  EXPECT_FALSE(bright(200, 150));
  EXPECT_TRUE(bright(200 + 130, 150 - 130) || bright(200 + 130, 150 - 131) || bright(200 + 131, 150 - 130));
}

}  // namespace annotate_test
