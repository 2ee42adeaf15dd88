#include <gtest/gtest.h>

#include <osteon/physics/elasticity/solver/loose_parts.hpp>
#include <osteon/physics/elasticity/solver/part_motions.hpp>
#include <osteon/voxel/components.hpp>
#include <voxel/random_image.hpp>

#include "elastic_model.hpp"
#include "grid/sample_bricks.hpp"

namespace loose_parts_test {

using namespace osteon;
using namespace osteon::elastic_model;

constexpr index3 shape{8, 5, 5};

void clamp_low_end(index3 node, const axis_value& fix) {
  for (int c = 0; c < 3 && node.z == 0; ++c) fix(c, 0.0);
}

/// A column on the clamped end with space around the column.
model column() {
  model m = solid(shape);
  std::fill(m.voxels.begin(), m.voxels.end(), material_number{0});
  for (std::int64_t z = 0; z < shape.z; ++z) m.at(z, 2, 2) = 1;
  return m;
}

physics::loose_parts found(const numerics::elasticity_problem& problem) {
  const auto result = physics::find_loose_parts(problem);
  std::int64_t marked = 0;
  for (const std::uint8_t c : result.is_loose) marked += c;
  MPI_Allreduce(MPI_IN_PLACE, &marked, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(marked, result.voxels);
  return result;
}

physics::loose_parts found(const model& m, const support& supports = clamp_low_end) {
  return found(make_problem(m, supports));
}

// Oracle: by construction.
TEST(LooseParts, AreIslandsAndWhatHangsOnEdgesAndNodes) {
  model m = column();
  EXPECT_EQ(found(m).parts, 1);
  EXPECT_EQ(found(m).loose, 0);
  m.at(5, 0, 0) = m.at(6, 0, 0) = 1;  // this part is an island
  auto r = found(m);
  EXPECT_EQ(r.parts, 2);
  EXPECT_EQ(r.loose, 1);
  EXPECT_EQ(r.hanging, 0);
  EXPECT_EQ(r.voxels, 2);
  EXPECT_EQ(r.largest_low_mm, (vector3{5, 0, 0}));
  EXPECT_EQ(r.largest_high_mm, (vector3{7, 1, 1}));
  m.at(6, 0, 0) = m.at(5, 0, 0) = 0;
  m.at(4, 3, 3) = 1;  // a hinge with one common edge
  r = found(m);
  EXPECT_EQ(r.loose, 1);
  EXPECT_EQ(r.hanging, 1);
  m.at(3, 3, 3) = m.at(2, 3, 3) = 1;  // the common nodes are still in a row
  EXPECT_EQ(found(m).voxels, 3);
  m.at(2, 3, 3) = m.at(3, 3, 3) = 0;
  // a connection around the corner to another edge, so that the part is fixed
  m.at(4, 3, 4) = m.at(4, 2, 4) = m.at(4, 1, 4) = m.at(4, 1, 3) = 1;
  r = found(m);
  EXPECT_EQ(r.parts, 2);
  EXPECT_EQ(r.loose, 0);
}

// Oracle: by construction. A part that is fixed by a fixed part fixes the next part.
TEST(LooseParts, HoldEachOtherInChains) {
  model m = column();
  // Rings around the column, across all ranks. Each ring touches the ring below only at two edges.
  for (std::int64_t z = 2; z < 8; z += 2) {
    m.at(z, 1, 1) = m.at(z, 3, 3) = 1;
    m.at(z, 1, 0) = m.at(z, 2, 0) = m.at(z, 3, 0) = m.at(z, 4, 0) = m.at(z, 4, 1) = m.at(z, 4, 2) = m.at(z, 4, 3) = 1;
  }
  auto r = found(m);
  EXPECT_EQ(r.parts, 4);
  EXPECT_EQ(r.loose, 0);
  // The same body is supported only at its high end and is fixed from there.
  r = found(m, [](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3 && node.z == shape.z; ++c) fix(c, 0.0);
  });
  EXPECT_EQ(r.loose, 0);
  // After the removal of the column, a free corner of a ring that is fixed along only one axis is not sufficient.
  for (std::int64_t z = 0; z < shape.z; ++z) m.at(z, 2, 2) = 0;
  EXPECT_EQ(found(m,
                  [](index3 node, const axis_value& fix) {
                    if (node.z == 2) fix(0, 0.0);
                  })
                .loose,
            3);
}

// Oracle: determined by hand. The voxels of a checkerboard touch only at edges. Rings of three edges at right angles around
// a node are rigid, so that a clamped end fixes all voxels. Without the clamp along y and x, the whole checkerboard slides.
TEST(LooseParts, HoldEachOtherInRings) {
  model m = solid({8, 6, 6});
  for (std::int64_t i = 0; i < m.shape.volume(); ++i)
    m.voxels[static_cast<std::size_t>(i)] = static_cast<material_number>((i / 36 + i / 6 % 6 + i % 6) % 2);
  auto r = found(m);
  EXPECT_EQ(r.parts, 144);
  EXPECT_EQ(r.loose, 0);
  r = found(m, [](index3 node, const axis_value& fix) {
    if (node.z == 0) fix(0, 0.0);
  });
  EXPECT_EQ(r.loose, 144);
}

// Oracle: determined by hand. Two bars on hinges fix each other if they share an edge. Rotations about three lines at right
// angles add up to zero only if each rotation is zero.
TEST(LooseParts, AreHeldByHingesAtRightAngles) {
  model m = solid({8, 4, 5});
  std::fill(m.voxels.begin(), m.voxels.end(), material_number{0});
  m.at(0, 0, 0) = m.at(0, 2, 4) = 1;  // these voxels are clamped
  m.at(1, 1, 0) = m.at(1, 1, 1) = 1;  // this bar rotates about an edge along x
  m.at(1, 2, 3) = 1;                  // this bar rotates about an edge along y
  EXPECT_EQ(found(m).loose, 2);
  m.at(1, 1, 2) = 1;  // the bars share an edge along z
  const auto r = found(m);
  EXPECT_EQ(r.parts, 4);
  EXPECT_EQ(r.loose, 0);
}

/// Number of voxels of parts that can move, but that carry load between two places.
std::int64_t spanning_voxels(const model& m, bool counts_plates = false) {
  const numerics::elasticity_problem p = make_problem(m, clamp_low_end);
  const physics::solid_parts parts(p.where, p.cells, p.nodes);
  physics::part_motions joint(parts, p.fixed);
  const auto count = static_cast<std::size_t>(parts.count());
  physics::part_plates plates{std::vector<int>(count), std::vector<int>(count)};
  if (counts_plates) plates.touched.assign(count, 3);
  // Moving parts with supports are ignored, as for bonded plates. Fixed parts with supports are the ground.
  for (const numerics::prescribed_displacement& f : p.fixed)
    for (const std::int32_t part : parts.at_node(f.node)) plates.ignored[static_cast<std::size_t>(part)] = 1;
  MPI_Allreduce(MPI_IN_PLACE, plates.ignored.data(), parts.count(), MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const auto spans = physics::find_spanning_parts(parts, joint, plates);
  const auto voxels = parts.voxels();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += spans[i] != 0 ? voxels[i] : 0;
  return sum;
}

// Oracle: determined by hand. A strut that touches the column at two nodes carries load along the line between these nodes.
// A strut that touches the column at one node, or in a row of nodes, is loose.
TEST(LooseParts, SpanTwoPlacesOrHangOnOne) {
  model m = column();
  for (std::int64_t z = 2; z < 7; ++z) m.at(z, 4, 4) = 1;
  EXPECT_EQ(found(m).loose, 1);
  EXPECT_EQ(spanning_voxels(m), 0);        // an island
  EXPECT_EQ(spanning_voxels(m, true), 5);  // between two plates
  m.at(1, 2, 3) = m.at(1, 3, 3) = 1;       // an arm of the column to the node (2, 4, 4)
  EXPECT_EQ(found(m).loose, 1);
  EXPECT_EQ(spanning_voxels(m), 0);
  m.at(7, 2, 3) = m.at(7, 3, 3) = 1;  // an arm to the node (7, 4, 4)
  EXPECT_EQ(found(m).loose, 1);
  EXPECT_EQ(spanning_voxels(m), 5);
  m = column();
  for (std::int64_t z = 2; z < 7; ++z) m.at(z, 3, 3) = 1;  // six nodes in a row
  EXPECT_EQ(found(m).loose, 1);
  EXPECT_EQ(spanning_voxels(m), 0);
}

// Oracle: determined by hand. A linkage of two struts from node to node is connected to the column at both ends. A linkage
// that is connected at one end is loose, for any connection between its parts.
TEST(LooseParts, SpanOrHangAsLinkages) {
  model m = column();
  m.at(1, 3, 3) = m.at(2, 4, 4) = 1;  // edge of the column, then node to node
  EXPECT_EQ(found(m).loose, 2);
  EXPECT_EQ(spanning_voxels(m), 0);
  m.at(3, 3, 3) = 1;  // and back to the edge of the column
  EXPECT_EQ(found(m).parts, 4);
  const std::int64_t loose = found(m).loose;
  EXPECT_EQ(spanning_voxels(m), loose);
}

// Invariant: parts and loose voxels do not depend on the ranks, for planes and bricks. The oracle for the parts is the
// serial computation of components.
TEST(LooseParts, DoNotDependOnTheDecomposition) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    model m = solid({14, 9, 8});
    m.voxels = random_image(m.shape, 0.17, seed);
    const auto whole = physics::find_loose_parts(make_problem(m, clamp_low_end, MPI_COMM_SELF));
    const grid::block bricks = grid::make_block(MPI_COMM_WORLD, sample::bricks(m.shape, m.voxels));
    for (const auto& r : {found(m), found(make_problem(m, clamp_low_end, bricks))}) {
      EXPECT_EQ(r.parts, static_cast<std::int64_t>(
                             voxel::find_components(voxel::active_cells({m.voxels.data(), m.shape})).parts.size()));
      EXPECT_GT(r.loose, 0);
      EXPECT_LT(r.loose, r.parts);
      EXPECT_EQ(r.loose, whole.loose);
      EXPECT_EQ(r.hanging, whole.hanging);
      EXPECT_EQ(r.voxels, whole.voxels);
      EXPECT_EQ(r.largest_voxels, whole.largest_voxels);
      EXPECT_EQ(r.largest_low_mm, whole.largest_low_mm);
      EXPECT_EQ(r.largest_high_mm, whole.largest_high_mm);
    }
  }
}

}  // namespace loose_parts_test
