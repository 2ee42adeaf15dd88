// Binary swap with two-dimensional cuts, executed by the compositor.
#include <gtest/gtest.h>

#include <algorithm>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/composite/compositor.hpp>
#include <osteon/render/compositing/choose_compositor.hpp>
#include <studies/compositing/frames/composite_scene.hpp>
#include <studies/compositing/frames/swap_2d.hpp>

namespace swap_2d_test {

using namespace osteon;
using namespace osteon::studies;

// Oracle: binary swap by stripes. If the number of ranks is a power of two, both methods combine the same pairs at each
// pixel. The bits are therefore equal. This result is tested for a picture at a root, and for parts that remain at their
// owners.
TEST(swap_2d, composites_to_the_bits_of_stripes) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  composite_case scene;
  scene.width = 37;
  scene.height = 22;
  for (const auto colour : {kernel::colour_format::rgba8, kernel::colour_format::rgba32f})
    for (const bool sparse : {false, true}) {
      scene.format = {colour};
      scene.active = sparse ? 0.4 : 1;
      const auto order = visibility_order(scene, ranks);
      const auto run = [&](const comm::plan_maker& method, int root, std::vector<plan::span>& parts) {
        comm::composite_options o;
        o.width = scene.width;
        o.height = scene.height;
        o.format = scene.format;
        o.by = comm::transport::messages;
        o.method = method;
        o.root = root;
        o.sparse = sparse;
        comm::compositor compositor = comm::compositor::make(MPI_COMM_WORLD, o);
        studies::render(scene, rank, compositor.buffer());
        compositor.run(order, rectangle_of(scene, rank));
        parts = compositor.parts();
        return std::vector<std::byte>(compositor.picture().begin(), compositor.picture().end());
      };
      const comm::plan_maker rectangles = [&](int, std::int64_t, std::span<const int> by, int root) {
        return binary_swap_in_rectangles(scene.width, scene.height, by, root);
      };
      std::vector<plan::span> parts;
      std::vector<std::byte> expected = run(render::plan_maker_of("binary-swap"), 0, parts);
      const std::vector<std::byte> whole = run(rectangles, 0, parts);
      if (rank == 0) {
        EXPECT_TRUE(whole == expected);
      }
      MPI_Bcast(expected.data(), static_cast<int>(expected.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
      const std::vector<std::byte> own = run(rectangles, -1, parts);
      const auto bytes = static_cast<std::int64_t>(scene.format.bytes());
      std::int64_t has = 0;
      for (const plan::span& s : parts) {
        has += s.size();
        EXPECT_TRUE(
            std::equal(own.begin() + s.begin * bytes, own.begin() + s.end * bytes, expected.begin() + s.begin * bytes));
      }
      MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(has, std::int64_t{scene.width} * scene.height);
    }
}

}  // namespace swap_2d_test
