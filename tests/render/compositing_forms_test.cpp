#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/render/compositing/join_images.hpp>
#include <osteon/render/picture.hpp>
#include <osteon/render/scene/presets.hpp>

namespace compositing_forms_test {

using namespace osteon;

constexpr index3 domain{9, 8, 7};

int ranks_here() { return comm::size(MPI_COMM_WORLD); }

// A field over the block of this rank, with ghost cells.
struct sphere {
  grid::block where;
  grid::ghosted_field<float> field;

  explicit sphere(MPI_Comm comm)
      : where(grid::make_block(comm, domain, std::vector<std::int64_t>(static_cast<std::size_t>(domain.z), 1))) {
    field.present = grid::with_ghosts(where, render::ghost_depth(0.5));
    const box3& box = field.present;
    for (std::int64_t z = box.begin.z; z < box.end.z; ++z)
      for (std::int64_t y = box.begin.y; y < box.end.y; ++y)
        for (std::int64_t x = box.begin.x; x < box.end.x; ++x) {
          const auto off = [](std::int64_t at, std::int64_t size) {
            return (static_cast<double>(at) + 0.5) / static_cast<double>(size) - 0.5;
          };
          field.values.push_back(
              static_cast<float>(1 - 2 * std::hypot(off(z, domain.z), off(y, domain.y), off(x, domain.x))));
        }
  }

  render::scene scene(render::method how, int width, int height) const {
    render::scene s;
    s.spacing_mm = {0.02, 0.03, 0.025};
    s.width = width;
    s.height = height;
    s.how = how;
    s.level = 0.3;
    s.smooth_edges = true;
    s.layers = {render::presets::bone_layer(field, 0, 0.3, 1, 0.6F)};
    return s;
  }
};

// Every method of `osteon plan`, with each of its parameters and each collect. The transports without a method are included.
std::vector<std::string> forms() {
  std::vector<std::string> all{"auto", "messages", "shared", "hybrid"};
  for (const plan::method_description& m : plan::known_methods()) all.push_back(m.name);
  for (const char* more :
       {"sequential:2", "sequential:all", "direct-send:scheduled:2", "radix-k:3,2", "multi-step:2",
        "multi-step:3:tree:sequential", "multi-step:2:direct-send:spans:tree", "multi-step:2:sequential:chain:pipeline",
        "hybrid:2", "tree+none", "tree+fan-in:2", "binary-swap+gather", "sequential+leaders:2", "multi-step:2+leaders:3"})
    all.emplace_back(more);
  const std::size_t plain = all.size();
  for (std::size_t i = 4; i < plain; ++i)
    if (all[i].find("leaders") == std::string::npos && !all[i].starts_with("hybrid")) all.push_back(all[i] + ",hybrid");
  return all;
}

// All rows of a picture on rank 0, or a part of the rows on each rank.
std::vector<int> rows(int height, bool on_root) {
  std::vector<int> first{0};
  for (int r = 1; r <= ranks_here(); ++r) first.push_back(on_root ? height : height * r / ranks_here());
  return first;
}

// The rows of a picture on this rank.
std::vector<float> part_of(const render::image& whole, const std::vector<int>& first) {
  const auto rank = static_cast<std::size_t>(comm::rank(MPI_COMM_WORLD));
  return {whole.rgba.begin() + first[rank] * whole.width * 4, whole.rgba.begin() + first[rank + 1] * whole.width * 4};
}

struct use {
  std::string name;
  render::method how;
  int width, height;
  bool on_root, series;
  kernel::colour_format pixels;
};

// `osteon render`, `osteon run`, an orbit and frames, as volume and as surface. Pictures of one pixel are included.
const std::vector<use> uses{
    {"render", render::method::volume, 13, 11, true, false, kernel::colour_format::wide},
    {"run", render::method::surface, 13, 11, false, false, kernel::colour_format::wide},
    {"orbit", render::method::volume, 13, 11, false, true, kernel::colour_format::rgba16f},
    {"frames", render::method::surface, 13, 11, false, true, kernel::colour_format::rgba16f},
    {"one pixel", render::method::volume, 1, 1, true, false, kernel::colour_format::wide},
    {"one pixel of a run", render::method::surface, 1, 1, false, false, kernel::colour_format::wide},
    {"one pixel of an orbit", render::method::volume, 1, 1, false, true, kernel::colour_format::rgba16f},
};

// A colour and its rounding to half precision. The colour is rounded when drawn and when joined.
void expect_near(const std::vector<float>& got, const std::vector<float>& expected, kernel::colour_format pixels) {
  ASSERT_EQ(got.size(), expected.size());
  if (pixels != kernel::colour_format::rgba16f) {
    EXPECT_EQ(got, expected);
    return;
  }
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 0x1p-9) << i;
}

// Oracle: the picture of one rank. In wide pixels, the results must be bitwise equal. The time-out of the test checks
// termination. A method may leave the whole picture on one rank, and a picture may have fewer pixels than ranks. Neither
// case may block the other ranks.
TEST(compositing_forms, end_on_every_number_of_ranks) {
  const sphere here(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  for (const use& u : uses) {
    const render::scene like = alone.scene(u.how, u.width, u.height);
    const render::image expected = render::render(alone.where, like);
    ASSERT_GT(*std::max_element(expected.rgba.begin(), expected.rgba.end()), 0.1F) << u.name;
    const std::vector<int> first = rows(u.height, u.on_root);
    for (const std::string& form : forms()) {
      if (u.series && (form == "auto" || form == "messages" || form == "hybrid"))
        continue;  // these methods measure the machine first
      SCOPED_TRACE(u.name + " by " + form);
      render::scene scene = here.scene(u.how, u.width, u.height);
      scene.join = render::parse_compositing(form, u.pixels);
      scene.join.series = u.series;
      render::prepared kept(here.where, scene);
      for (int frame = 0; frame < (u.series ? 2 : 1); ++frame)
        expect_near(render::render(here.where, scene, kept, first).rgba, part_of(expected, first), u.pixels);
    }
  }
}

// Oracle: the picture of one rank. The scenes of a job pass their compositor on. A measurement selects the method of this
// compositor.
TEST(compositing_forms, chosen_by_measurement_end_for_a_single_pixel) {
  const sphere here(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const render::image expected = render::render(alone.where, alone.scene(render::method::volume, 1, 1));
  const std::vector<int> first = rows(1, false);
  for (const char* form : {"auto", "messages", "hybrid"}) {
    SCOPED_TRACE(form);
    std::shared_ptr<render::image_join> compositor;
    for (int frame = 0; frame < 2; ++frame) {
      render::scene scene = here.scene(render::method::volume, 1, 1);
      scene.join = render::parse_compositing(form, kernel::colour_format::rgba16f);
      scene.join.series = true;
      render::prepared kept(here.where, scene);
      kept.compositor() = compositor;
      expect_near(render::render(here.where, scene, kept, first).rgba, part_of(expected, first),
                  kernel::colour_format::rgba16f);
      compositor = kept.compositor();
    }
  }
}

}  // namespace compositing_forms_test
