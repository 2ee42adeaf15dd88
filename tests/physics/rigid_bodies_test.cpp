#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <osteon/physics/elasticity/solver/rigid_bodies.hpp>
#include <random>
#include <voxel/random_image.hpp>

namespace rigid_bodies_test {

using namespace osteon;
using physics::held_node;
using physics::rigid_bodies;

struct joint {
  std::int32_t a, b;
  index3 node;
};

/// Voxels as bodies, numbered in the order of the list, with the nodes that the bodies share.
std::vector<joint> joints_of(const std::vector<index3>& voxels) {
  std::vector<joint> joints;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(voxels.size()); ++i)
    for (std::int32_t j = 0; j < i; ++j)
      for (int corner = 0; corner < 8; ++corner) {
        const index3 node = voxels[static_cast<std::size_t>(i)] + index3{corner >> 2, corner >> 1 & 1, corner & 1};
        const index3 from = node - voxels[static_cast<std::size_t>(j)];
        if (from.z >= 0 && from.z <= 1 && from.y >= 0 && from.y <= 1 && from.x >= 0 && from.x <= 1)
          joints.push_back({j, i, node});
      }
  return joints;
}

struct support {
  std::int32_t body;
  held_node where;
};

std::vector<support> clamp(std::int32_t body) {
  std::vector<support> all;
  for (const index3 node : {index3{0, 0, 0}, index3{0, 0, 1}, index3{0, 1, 0}})
    for (int along = 0; along < 3; ++along) all.push_back({body, {node, along}});
  return all;
}

rigid_bodies settled(std::size_t count, const std::vector<joint>& joints, const std::vector<support>& supports) {
  rigid_bodies bodies(count);
  for (const joint& j : joints) bodies.join(j.a, j.b, j.node);
  for (const support& s : supports) bodies.hold(s.body, s.where);
  bodies.settle();
  return bodies;
}

std::vector<bool> moving(rigid_bodies& bodies, std::size_t count) {
  std::vector<bool> moves;
  for (std::size_t b = 0; b < count; ++b)
    moves.push_back(bodies.motion_of(static_cast<std::int32_t>(b)) != physics::rigid_motion{});
  return moves;
}

std::vector<bool> moving(const std::vector<index3>& voxels, const std::vector<support>& supports) {
  rigid_bodies bodies = settled(voxels.size(), joints_of(voxels), supports);
  return moving(bodies, voxels.size());
}

/// Rows of the displacement of a node along an axis.
void add_row(Eigen::RowVectorXd& row, std::int32_t body, const held_node& of, double sign) {
  const int next = (of.along + 1) % 3, third = (of.along + 2) % 3;
  row[6 * body + of.along] += sign;
  row[6 * body + 3 + next] += sign * static_cast<double>(of.node[third]);
  row[6 * body + 3 + third] -= sign * static_cast<double>(of.node[next]);
}

/// Null space of all constraints by a dense singular value decomposition. Each column is a motion.
Eigen::MatrixXd dense_motions(std::size_t count, const std::vector<joint>& joints, const std::vector<support>& supports) {
  const auto columns = static_cast<Eigen::Index>(6 * count);
  Eigen::MatrixXd rows =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(3 * joints.size() + supports.size()) + columns, columns);
  Eigen::Index at = 0;
  for (const joint& j : joints)
    for (int along = 0; along < 3; ++along) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(columns);
      add_row(row, j.a, {j.node, along}, 1);
      add_row(row, j.b, {j.node, along}, -1);
      rows.row(at++) = row;
    }
  for (const support& s : supports) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(columns);
    add_row(row, s.body, s.where, 1);
    rows.row(at++) = row;
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeFullV);
  Eigen::Index rank = 0;
  while (rank < columns && svd.singularValues()[rank] > 1e-9) ++rank;
  return svd.matrixV().rightCols(columns - rank);
}

std::vector<bool> moving_by(const Eigen::MatrixXd& motions, std::size_t count) {
  std::vector<bool> moves;
  for (std::size_t b = 0; b < count; ++b)
    moves.push_back(motions.cols() > 0 && motions.middleRows(static_cast<Eigen::Index>(6 * b), 6).norm() > 1e-7);
  return moves;
}

// Oracle: by construction. A node is a ball joint, an edge is a hinge, and a face is a rigid connection.
TEST(RigidBodies, AreWeldedByThreeNodesThatAreNotInARow) {
  EXPECT_EQ(moving({{0, 0, 0}, {1, 1, 1}}, clamp(0)), (std::vector<bool>{false, true}));
  EXPECT_EQ(moving({{0, 0, 0}, {0, 1, 1}}, clamp(0)), (std::vector<bool>{false, true}));
  EXPECT_EQ(moving({{0, 0, 0}, {0, 0, 1}}, clamp(0)), (std::vector<bool>{false, false}));
}

// Oracle: determined by hand. Three voxels around a node meet in pairs along three edges at right angles. The relative
// rotations about these edges add up to zero only if each rotation is zero. Without one of the voxels, a hinge remains.
TEST(RigidBodies, AreRigidInARingOfThreeEdges) {
  EXPECT_EQ(moving({{0, 0, 0}, {1, 1, 0}, {1, 0, 1}}, clamp(0)), std::vector<bool>(3, false));
  EXPECT_EQ(moving({{0, 0, 0}, {1, 1, 0}}, clamp(0)), (std::vector<bool>{false, true}));
}

// Oracle: determined by hand. The voxels of a checkerboard form a rigid body, which one edge connects to the support.
TEST(RigidBodies, OfACheckerboardMoveAsOne) {
  std::vector<index3> voxels{{0, 0, 0}};
  for (std::int64_t z = 0; z < 6; ++z)
    for (std::int64_t y = 1; y < 7; ++y)
      for (std::int64_t x = 1; x < 7; ++x)
        if ((z + y + x) % 2 == 0) voxels.push_back({z, y, x});
  std::vector<bool> expected(voxels.size(), true);
  expected[0] = false;
  EXPECT_EQ(moving(voxels, clamp(0)), expected);
  std::vector<support> more = clamp(0);
  // this node prevents rotation about that edge
  more.push_back({static_cast<std::int32_t>(voxels.size()) - 1, {{6, 7, 5}, 1}});
  EXPECT_EQ(moving(voxels, more), std::vector<bool>(voxels.size(), false));
}

// Oracle: a dense singular value decomposition of all constraints.
TEST(RigidBodies, MoveAsTheDenseNullSpacePermits) {
  int moved = 0, held = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const index3 shape{5, 4, 4};
    const auto image = random_image(shape, seed % 2 == 0 ? 0.35 : 0.25, seed);
    std::vector<index3> voxels;
    std::vector<support> supports;
    for (std::int64_t i = 0; i < shape.volume(); ++i)
      if (image[static_cast<std::size_t>(i)] != 0)
        voxels.push_back({i / (shape.y * shape.x), i / shape.x % shape.y, i % shape.x});
    for (std::size_t b = 0; b < voxels.size(); ++b)
      for (int corner = 0; corner < 4 && voxels[b].z == 0; ++corner)
        for (int along = 0; along < (seed % 3 == 0 ? 1 : 3); ++along)
          supports.push_back({static_cast<std::int32_t>(b), {voxels[b] + index3{0, corner >> 1, corner & 1}, along}});
    const auto joints = joints_of(voxels);
    rigid_bodies bodies = settled(voxels.size(), joints, supports);
    const std::vector<bool> moves = moving(bodies, voxels.size());
    EXPECT_EQ(moves, moving_by(dense_motions(voxels.size(), joints, supports), voxels.size())) << "seed " << seed;
    moved += static_cast<int>(std::count(moves.begin(), moves.end(), true));
    held += static_cast<int>(std::count(moves.begin(), moves.end(), false));
  }
  EXPECT_GT(moved, 20);
  EXPECT_GT(held, 20);
}

// Invariant: the number of accepted pins equals the number of motions. Afterwards no motion remains. Pins that restrict no
// motion are refused.
TEST(RigidBodies, TakeAsManyPinsAsTheyHaveMotions) {
  const std::vector<index3> voxels{{0, 0, 0}, {0, 1, 1}, {0, 3, 3}, {1, 4, 4}};
  std::vector<support> plate;
  for (std::int32_t b = 0; b < 3; ++b)
    for (int corner = 0; corner < 4; ++corner)
      plate.push_back({b, {voxels[static_cast<std::size_t>(b)] + index3{0, corner >> 1, corner & 1}, 0}});
  const auto joints = joints_of(voxels);
  const auto motions = dense_motions(voxels.size(), joints, plate).cols();
  // two bodies with a common edge across the plate; one body; one body on a node of the previous body
  EXPECT_EQ(motions, 4 + 3 + 3);
  rigid_bodies bodies = settled(voxels.size(), joints, plate);
  int pins = 0;
  for (std::int32_t b = 0; b < 4; ++b)
    for (int corner = 0; corner < 8; ++corner)
      for (int along = 0; along < 3; ++along)
        pins +=
            bodies.pin(b, {voxels[static_cast<std::size_t>(b)] + index3{corner >> 2, corner >> 1 & 1, corner & 1}, along});
  EXPECT_EQ(pins, motions);
  EXPECT_EQ(moving(bodies, voxels.size()), std::vector<bool>(4, false));
}

}  // namespace rigid_bodies_test
