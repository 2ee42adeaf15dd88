#include <osteon/solve/coarse_stiffness.hpp>

#include <algorithm>
#include <osteon/base/for_each.hpp>
#include <unordered_map>

namespace osteon::solve {

namespace {

// What a coarse brick of the first level is made of: a material byte for each octant, a bit for each fixed displacement
// of the 27 nodes of its children, and its kind.
struct recipe {
  std::uint64_t materials = 0;
  std::uint64_t fixed[2] = {0, 0};  // the kind above the 81 bits
  int kind() const { return static_cast<int>(fixed[1] >> 32); }
  friend bool operator==(const recipe&, const recipe&) = default;
};

struct recipe_hash {
  std::size_t operator()(const recipe& r) const {
    std::uint64_t h = r.materials;
    for (const std::uint64_t part : r.fixed) h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U + part;
    return static_cast<std::size_t>((h ^ (h >> 32)) * 0x94d049bb133111ebU);
  }
};

int place_of_corner(int octant, int corner) {
  return 9 * ((octant >> 2) + (corner >> 2)) + 3 * ((octant >> 1 & 1) + (corner >> 1 & 1)) + (octant & 1) + (corner & 1);
}

bool is_fixed(const recipe& r, int place, int component) {
  const int bit = 3 * place + component;
  return r.fixed[bit / 64] >> (bit % 64) & 1;
}

float_matrix24 cook(const recipe& r, const std::vector<kernel::matrix24>& of_material, const std::array<double, 3>& middle) {
  kernel::matrix24 sum{};
  for (int octant = 0; octant < 8; ++octant) {
    const auto material = static_cast<std::size_t>(r.materials >> (8 * octant) & 0xff);
    if (material == 0) continue;
    kernel::matrix24 child = of_material[material];
    for (int dof = 0; dof < 24; ++dof)
      if (is_fixed(r, place_of_corner(octant, dof / 3), dof % 3))
        for (int other = 0; other < 24; ++other)
          child[static_cast<std::size_t>(24 * dof + other)] = child[static_cast<std::size_t>(24 * other + dof)] = 0;
    kernel::restrict_to_parent(child, octant, middle);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += child[i];
  }
  float_matrix24 result;
  std::copy(sum.begin(), sum.end(), result.begin());
  return result;
}

// Where a brick of a kind is divided.
std::array<double, 3> middle_of(const coarse_mesh& mesh, int kind) {
  std::array<double, 3> middle{0.5, 0.5, 0.5};
  for (std::size_t d = 0; d < 3; ++d)
    if (kind & 4 >> d) middle[d] = mesh.middle[d];
  return middle;
}

index3 place_of_parent(std::int64_t z, std::int64_t y, std::int64_t x) { return {z / 2, y / 2, x / 2}; }

}  // namespace

brick_matrices first_coarse_matrices(const elasticity_problem& problem, const fine_stiffness& fine,
                                     const coarse_mesh& mesh) {
  std::vector<std::uint8_t> fixed(static_cast<std::size_t>(problem.nodes.size()));
  for (const prescribed_displacement& p : problem.fixed)
    fixed[static_cast<std::size_t>(p.node)] =
        static_cast<std::uint8_t>(fixed[static_cast<std::size_t>(p.node)] | 1 << static_cast<int>(p.direction));

  std::vector<recipe> recipes(mesh.mesh.corners.size());
  const std::int64_t z_begin = problem.where.owned.begin.z;
  std::size_t cell = 0;
  for (std::int64_t z = 0; z < problem.cells.shape().z; ++z)
    fine.visit_plane(z, [&](std::int64_t y, std::int64_t x, const std::array<std::int32_t, 8>& corners) {
      recipe& r = recipes[static_cast<std::size_t>(mesh.parent[cell])];
      const auto octant = static_cast<int>(4 * ((z + z_begin) & 1) + 2 * (y & 1) + (x & 1));
      r.fixed[1] |= static_cast<std::uint64_t>(brick_kind(mesh, place_of_parent(z + z_begin, y, x))) << 32;
      r.materials |= static_cast<std::uint64_t>(problem.material[cell]) << (8 * octant);
      for (int a = 0; a < 8; ++a)
        for (int c = 0; c < 3; ++c)
          if (fixed[static_cast<std::size_t>(corners[static_cast<std::size_t>(a)])] >> c & 1) {
            const int bit = 3 * place_of_corner(octant, a) + c;
            r.fixed[bit / 64] |= std::uint64_t{1} << (bit % 64);
          }
      ++cell;
    });

  std::vector<kernel::matrix24> of_material;
  for (const kernel::lame& m : lame_table(*problem.materials))
    of_material.push_back(kernel::element_stiffness(problem.spacing_mm, m));
  brick_matrices result;
  std::unordered_map<recipe, std::int32_t, recipe_hash> known;
  for (const recipe& r : recipes) {
    const auto [entry, fresh] = known.try_emplace(r, static_cast<std::int32_t>(result.table.size()));
    if (fresh) result.table.push_back(cook(r, of_material, middle_of(mesh, r.kind())));
    result.matrix.push_back(entry->second);
  }
  return result;
}

brick_matrices next_coarse_matrices(const brick_matrices& children, const brick_mesh& child_mesh, const coarse_mesh& mesh) {
  const auto bricks = mesh.mesh.corners.size();
  brick_matrices result;
  result.table.assign(bricks, float_matrix24{});
  for (std::size_t e = 0; e < bricks; ++e) result.matrix.push_back(static_cast<std::int32_t>(e));
  const std::int64_t width = child_mesh.lattice.shape.x + 1, height = child_mesh.lattice.shape.y + 1;
  const std::int64_t first = child_mesh.z_begin, last = child_mesh.z_end;
  // A plane of parents has the children of two planes, in a fixed order.
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = mesh.mesh.z_begin; z < mesh.mesh.z_end; ++z)
    for (std::int64_t child = std::max(first, 2 * z); child < std::min(last, 2 * z + 2); ++child)
      for (std::int32_t e = child_mesh.plane_begin[static_cast<std::size_t>(child - first)];
           e < child_mesh.plane_begin[static_cast<std::size_t>(child - first) + 1]; ++e) {
        const auto at = static_cast<std::size_t>(e);
        const std::int64_t place = child_mesh.node_place[static_cast<std::size_t>(child_mesh.corners[at][0])];
        const std::int64_t y = place / width % height, x = place % width;
        const auto octant = static_cast<int>(4 * (child & 1) + 2 * (y & 1) + (x & 1));
        float_matrix24 matrix = children.table[static_cast<std::size_t>(children.matrix[at])];
        kernel::restrict_to_parent(matrix, octant, middle_of(mesh, brick_kind(mesh, place_of_parent(child, y, x))));
        float_matrix24& sum = result.table[static_cast<std::size_t>(mesh.parent[at])];
        for (std::size_t i = 0; i < matrix.size(); ++i) sum[i] += matrix[i];
      }
  return result;
}

kernel::block_rows assemble(const brick_mesh& mesh, const brick_matrices& matrices) {
  const auto nodes = mesh.node_id.size();
  // Bricks of each node.
  std::vector<std::int32_t> begin(nodes + 1), bricks(8 * mesh.corners.size());
  for (const auto& corners : mesh.corners)
    for (const std::int32_t node : corners) ++begin[static_cast<std::size_t>(node) + 1];
  for (std::size_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];
  std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t e = 0; e < mesh.corners.size(); ++e)
    for (int a = 0; a < 8; ++a)
      bricks[static_cast<std::size_t>(next[static_cast<std::size_t>(mesh.corners[e][static_cast<std::size_t>(a)])]++)] =
          static_cast<std::int32_t>(8 * e) + a;

  const auto bricks_of = [&](std::size_t node) {
    return std::span(bricks).subspan(static_cast<std::size_t>(begin[node]),
                                     static_cast<std::size_t>(begin[node + 1] - begin[node]));
  };
  kernel::block_rows rows;
  rows.row_begin.push_back(0);
  std::vector<std::int32_t> row;
  for (std::size_t node = 0; node < nodes; ++node) {
    row.clear();
    for (const std::int32_t b : bricks_of(node)) {
      const auto& corners = mesh.corners[static_cast<std::size_t>(b / 8)];
      row.insert(row.end(), corners.begin(), corners.end());
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    rows.column.insert(rows.column.end(), row.begin(), row.end());
    rows.row_begin.push_back(static_cast<std::int64_t>(rows.column.size()));
  }
  rows.value.assign(9 * rows.column.size() + 3, 0.0F);
  for_each(static_cast<std::int64_t>(nodes), [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    const auto first = rows.column.begin() + rows.row_begin[node], last = rows.column.begin() + rows.row_begin[node + 1];
    for (const std::int32_t b : bricks_of(node)) {
      const auto& corners = mesh.corners[static_cast<std::size_t>(b / 8)];
      const float_matrix24& matrix =
          matrices.table[static_cast<std::size_t>(matrices.matrix[static_cast<std::size_t>(b / 8)])];
      for (int a = 0; a < 8; ++a) {
        const auto block = std::lower_bound(first, last, corners[static_cast<std::size_t>(a)]) - rows.column.begin();
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c)
            rows.value[static_cast<std::size_t>(9 * block + 3 * c + r)] +=
                matrix[static_cast<std::size_t>((3 * (b % 8) + r) * 24 + 3 * a + c)];
      }
    }
  });
  return rows;
}

coarse_stiffness::coarse_stiffness(MPI_Comm comm, const brick_mesh& mesh, const brick_matrices& matrices,
                                   std::span<const int> touching)
    : mesh_(mesh), nodes_(static_cast<std::int64_t>(mesh.node_id.size())), shared_(comm, mesh.boundary, touching) {
  constexpr std::size_t bytes_per_row = 27 * (9 * sizeof(float) + sizeof(std::int32_t));
  if (matrices.table.size() * sizeof(kernel::padded_matrix) < mesh.node_id.size() * bytes_per_row) {
    matrix_ = matrices.matrix;
    for (const float_matrix24& m : matrices.table) table_.emplace_back(m);
  } else {
    rows_ = assemble(mesh, matrices);
  }
  inverse_diagonal_.assign(static_cast<std::size_t>(size()), 0.0F);
  for (std::size_t e = 0; e < mesh.corners.size(); ++e)
    for (int dof = 0; dof < 24; ++dof)
      inverse_diagonal_[static_cast<std::size_t>(4 * mesh.corners[e][static_cast<std::size_t>(dof / 3)] + dof % 3)] +=
          matrices.table[static_cast<std::size_t>(matrices.matrix[e])][static_cast<std::size_t>(25 * dof)];
  shared_.exchange_add(inverse_diagonal_.data(), layout());
  for (float& value : inverse_diagonal_) value = value > 0 ? 1 / value : 0.0F;
}

void coarse_stiffness::multiply(const float* x, float* y) const {
  if (table_.empty()) {
    for_each_block(nodes_, 512, [&](std::int64_t begin, std::int64_t end) {
      kernel::multiply(rows_, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), x, y);
    });
  } else {
    for_each_block(size(), 8192, [=](std::int64_t begin, std::int64_t end) { std::fill(y + begin, y + end, 0.0F); });
    const kernel::table_bricks bricks{mesh_.corners, matrix_, table_};
    const std::int64_t planes = mesh_.z_end - mesh_.z_begin;
    for (std::int64_t parity = 0; parity < 2; ++parity) {
#pragma omp parallel for schedule(dynamic)
      for (std::int64_t z = parity; z < planes; z += 2)
        kernel::add_product(bricks, mesh_.plane_begin[static_cast<std::size_t>(z)],
                            mesh_.plane_begin[static_cast<std::size_t>(z) + 1], x, y);
    }
  }
  shared_.exchange_add(y, layout());
}

}  // namespace osteon::solve
