#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/net/costs/compositing_model.hpp>
#include <osteon/render/compositing/choose_compositor.hpp>

namespace choose_compositor_test {

using namespace osteon;
using render::host_layout;

constexpr std::int64_t elements = 1 << 18;

comm::composite_options picture(int width, int height) {
  comm::composite_options o;
  o.width = width;
  o.height = height;
  o.format = {kernel::colour_format::rgba8, false};
  return o;
}

std::vector<int> front_to_back(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The picture of one frame by `choose_compositor`, or by the usual compositor, on rank 0.
template <class Make>
std::vector<std::byte> composited(const comm::composite_options& o, Make make) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  std::vector<std::byte> image(static_cast<std::size_t>(o.width) * static_cast<std::size_t>(o.height) * 4);
  for (std::size_t i = 0; i < image.size() / 4; ++i) {
    const auto opacity = static_cast<unsigned>((i * 7 + static_cast<std::size_t>(rank) * 50) % 256);
    for (std::size_t c = 0; c < 4; ++c) image[4 * i + c] = static_cast<std::byte>(c == 3 ? opacity : opacity * c / 4);
  }
  std::vector<int> order = front_to_back(ranks);
  std::reverse(order.begin(), order.end());
  const comm::pixel_rectangle whole{0, 0, o.width, o.height};
  comm::compositor compositor = make(order, whole, image);
  std::copy(image.begin(), image.end(), compositor.buffer().begin());
  compositor.run(order, whole);
  if (rank != 0) return {};
  const auto made = compositor.picture();
  return {made.begin(), made.end()};
}

// Oracle: a machine with a slow network and no cost of waiting. A method without messages is cheapest, and its time is
// computed by hand.
TEST(rank_compositors, prefers_shared_memory_on_one_host) {
  const auto ranked = render::rank_compositors(net::blue_gene_l(), {1, 4, 4}, 4, picture(512, 512));
  EXPECT_EQ(ranked.front().name, "shared");
  EXPECT_NEAR(ranked.front().predicted, 2 * 6e-6 + 0.75 * elements * 4 * 8 / 0.7e9, 1e-12);
  EXPECT_TRUE(
      std::is_sorted(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.predicted < b.predicted; }));
}

// Oracle: the definition of a host. Two hosts share no memory.
TEST(rank_compositors, shares_memory_only_inside_hosts) {
  for (const auto& c : render::rank_compositors(net::blue_gene_l(), {4, 1, 1}, 4, picture(512, 512)))
    EXPECT_EQ(c.by, comm::transport::messages) << c.name;
  const auto ranked = render::rank_compositors(net::blue_gene_l(), {4, 4, 4}, 16, picture(512, 512));
  EXPECT_EQ(ranked.front().by, comm::transport::hybrid) << ranked.front().name;
  for (const auto& c : ranked) EXPECT_NE(c.by, comm::transport::shared) << c.name;
}

// Oracle: equation 4. Methods for a million ranks are ranked without a plan. The ranking contains no method with n^2
// messages.
TEST(rank_compositors, takes_equations_for_many_ranks) {
  const int many = 1 << 20;
  const auto ranked = render::rank_compositors(net::ha8000(), {many, 1, 1}, many, picture(512, 512));
  const auto swap = std::find_if(ranked.begin(), ranked.end(), [](const auto& c) { return c.name == "binary-swap"; });
  ASSERT_NE(swap, ranked.end());
  EXPECT_EQ(swap->predicted, net::binary_swap_time(net::ha8000(), many, elements * 4.0).total());
  for (const auto& c : ranked) EXPECT_NE(c.method, "direct-send");
  EXPECT_THROW(render::messages_time(net::ha8000(), "tree", many, elements, 4), usage_error);
}

// Oracle: the compositor that was not selected. Both compositors round once. The pictures are bitwise equal if all layers
// meet in one place, and equal within one unit otherwise.
TEST(choose_compositor, makes_the_same_picture_and_agrees) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  for (const int ranks_per_host : {0, 1, 2}) {
    comm::composite_options o = picture(61, 47);
    o.ranks_per_host = ranks_per_host;
    std::string log;
    const auto chosen = composited(o, [&](const auto& order, const auto& active, const auto& image) {
      auto made = render::choose_compositor(MPI_COMM_WORLD, o, order, active, image);
      EXPECT_EQ(comm::broadcast(MPI_COMM_WORLD, made.log), made.log);
      EXPECT_TRUE(made.log.starts_with("compositing by " + made.name)) << made.log;
      log = made.log;
      return std::move(made.compositor);
    });
    EXPECT_NE(log.find("predicted"), std::string::npos) << log;
    EXPECT_EQ(log.find(';') != std::string::npos, ranks > 1) << log;  // several compositors were measured
    const auto usual = composited(picture(61, 47), [&](const auto&, const auto&, const auto&) {
      return comm::compositor::make(MPI_COMM_WORLD, picture(61, 47));
    });
    ASSERT_EQ(chosen.size(), usual.size());
    for (std::size_t i = 0; i < chosen.size(); ++i)
      ASSERT_LE(std::abs(std::to_integer<int>(chosen[i]) - std::to_integer<int>(usual[i])), 1) << i << ' ' << log;
  }
}

// Oracle: bounds for any present machine, and the definition of layout_of.
TEST(probe_machine, measures_figures_that_are_possible) {
  const host_layout layout = render::layout_of(MPI_COMM_WORLD, 0);
  EXPECT_EQ(layout.hosts, 1);
  EXPECT_EQ(layout.most_ranks, comm::size(MPI_COMM_WORLD));
  const auto m = render::probe_machine(MPI_COMM_WORLD, {kernel::colour_format::rgba8, false}, layout);
  EXPECT_GT(m.rate, 1e6);
  EXPECT_GT(m.latency, 0);
  EXPECT_GT(m.blend_rate, 1e6);
  EXPECT_LT(m.blend_rate, 1e13);
  EXPECT_EQ(comm::broadcast(MPI_COMM_WORLD, net::describe_machine(m)), net::describe_machine(m));
}

}  // namespace choose_compositor_test
