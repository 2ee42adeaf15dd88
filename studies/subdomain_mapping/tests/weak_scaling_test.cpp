#include <gtest/gtest.h>

#include <map>
#include <osteon/base/error.hpp>
#include <studies/subdomain_mapping/weak_scaling.hpp>

namespace weak_scaling_test {

using namespace osteon;
using namespace osteon::studies;

std::map<std::string, scaling_row> by_order(const scaling_options& options) {
  std::map<std::string, scaling_row> rows;
  for (const scaling_row& row : weak_scaling(paper_machine(), options)) rows[row.order] = row;
  return rows;
}

// Oracle: the volumes in MB of docs/theory/placement.md, section 1. All other tools use these volumes. In case 1, these
// volumes are volumes of boxes that are rounded to equal whole cells. Here, the boxes partition the grid, and the volumes
// are smaller by 0.2 %.
TEST(weak_scaling, volumes_are_those_of_the_papers_grids) {
  struct line {
    int which, cores;
    double original, placed;
  };
  for (const auto& [which, cores, original, placed] :
       {line{1, 32, 127.1, 31.7}, line{1, 128, 640.0, 293.5}, line{2, 512, 3758.1, 1543.5}}) {
    auto rows =
        by_order({.cases = {which}, .cores = {cores}, .modes = {{"flat", 1}}, .orders = {"original", "afc", "ours"}});
    const double allowed = which == 1 ? 3e-3 : 4e-5;
    EXPECT_NEAR(1e-6 * static_cast<double>(rows["original"].off_host_bytes), original, allowed * original) << cores;
    EXPECT_NEAR(1e-6 * static_cast<double>(rows["ours"].off_host_bytes), placed, allowed * placed) << cores;
    EXPECT_LE(rows["ours"].exchange_s, 1.0001 * rows["afc"].exchange_s) << cores;
    EXPECT_LT(rows["ours"].exchange_s, rows["original"].exchange_s) << cores;
  }
}

// Oracle: computed by hand for 32 cores of case 2. In flat mode, there are 4 x 2 x 4 boxes (x, y, z) of 1024 x 256 x 256
// cells, and each host has rows of four boxes along x. In hybrid mode with two ranks per host, there are 8 boxes of 2048 x
// 256 x 512 cells, with two boxes along x.
TEST(weak_scaling, a_hybrid_rank_has_the_boxes_of_its_threads_and_sends_less) {
  const scaling_options options{.cases = {2}, .cores = {32}, .modes = {{"hybrid", 4}}, .orders = {"original"}};
  const auto row = by_order(options).at("original");
  EXPECT_EQ(row.cells, (index3{1024, 512, 4096}));
  EXPECT_EQ(row.boxes, (index3{2, 2, 2}));
  EXPECT_EQ(row.ranks, 8);
  // A host has the two boxes of a row along x, with 2048 x 256 x 512 cells each. There are two rows along y and two rows
  // along z.
  EXPECT_EQ(row.off_host_bytes, 8 * 2 * (2 * 4096 * 512 + 2 * 4096 * 256));
  EXPECT_EQ(row.inter_socket_bytes, 8 * 2 * 4 * 256 * 512);
}

// Oracle: the rule that all cores of a host are used.
TEST(weak_scaling, cores_that_do_not_fill_hosts_are_refused) {
  EXPECT_THROW(weak_scaling(paper_machine(), {.cases = {2}, .cores = {12}}), usage_error);
  EXPECT_THROW(weak_scaling(paper_machine(), {.cases = {2}, .cores = {48}, .modes = {{"threes", 3}}}), usage_error);
}

}  // namespace weak_scaling_test
