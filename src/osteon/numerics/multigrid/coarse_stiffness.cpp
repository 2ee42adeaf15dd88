#include <osteon/numerics/multigrid/coarse_stiffness.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <osteon/kernel/plane_sweep.hpp>
#include <unordered_map>
#include <utility>

namespace osteon::numerics {

namespace {

// Definition of a coarse brick of the first level. The recipe consists of the material of each octant, one bit for each
// fixed displacement of the 27 nodes of its children, and the kind of the brick.
struct recipe {
  kernel::octant_materials materials{};
  std::uint64_t fixed[2] = {0, 0};  // 81 bits of displacements, then the kind
  int kind() const { return static_cast<int>(fixed[1] >> 32); }
  bool is_anchored() const { return (fixed[0] | static_cast<std::uint32_t>(fixed[1])) != 0; }
  friend bool operator==(const recipe&, const recipe&) = default;
};

struct recipe_hash {
  std::size_t operator()(const recipe& r) const {
    const auto materials = std::bit_cast<std::array<std::uint64_t, 2>>(r.materials);
    std::uint64_t h = materials[0];
    for (const std::uint64_t part : {materials[1], r.fixed[0], r.fixed[1]}) h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U + part;
    return static_cast<std::size_t>((h ^ (h >> 32)) * 0x94d049bb133111ebU);
  }
};

// Stiffening of each deformation on every coarse level, as a fraction of the energy of the stiffest deformation. If the
// solid fills a small part of a large brick, motions of the eight corners have nearly equal effects. Rounding could make the
// energy of their differences negative. Rigid motions remain without energy; a part on a thin strut therefore has the same
// small energy on all levels.
constexpr double stiffening = 1e-6;

// If every voxel has its own modulus, most bricks of several materials are unique. If the number of materials is large,
// bricks of one material are unique as well.
bool is_graded(const recipe& r, std::size_t materials) {
  constexpr std::size_t most_tabulated = 33;
  if (r.kind() != 0 || r.is_anchored()) return false;
  if (materials > most_tabulated) return true;
  material_number one = 0;
  for (const material_number material : r.materials)
    if (material != 0) {
      if (one != 0 && material != one) return true;
      one = material;
    }
  return false;
}

int place_of_corner(int octant, int corner) {
  return 9 * ((octant >> 2) + (corner >> 2)) + 3 * ((octant >> 1 & 1) + (corner >> 1 & 1)) + (octant & 1) + (corner & 1);
}

bool is_fixed(const recipe& r, int place, int component) {
  const int bit = 3 * place + component;
  return r.fixed[bit / 64] >> (bit % 64) & 1;
}

// The matrices of voxels. For many materials, the matrices are computed from the two matrices of modulus 1, because a table
// with 4.5 KiB per material would be as large as the solver's vectors.
class voxel_matrices {
 public:
  voxel_matrices(vector3 spacing_mm, const std::vector<kernel::lame>& materials) : materials_(materials) {
    constexpr std::size_t most_tabulated = 256;
    if (materials.size() <= most_tabulated)
      for (const kernel::lame& m : materials) of_material_.push_back(kernel::element_stiffness(spacing_mm, m));
    else
      by_lambda_ = kernel::element_stiffness(spacing_mm, {1, 0}), by_mu_ = kernel::element_stiffness(spacing_mm, {0, 1});
  }
  kernel::matrix24 operator[](material_number material) const {
    if (!of_material_.empty()) return of_material_[material];
    const auto [lambda, mu] = materials_[material];
    kernel::matrix24 sum;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = lambda * by_lambda_[i] + mu * by_mu_[i];
    return sum;
  }

 private:
  const std::vector<kernel::lame>& materials_;
  std::vector<kernel::matrix24> of_material_;
  kernel::matrix24 by_lambda_{}, by_mu_{};
};

kernel::symmetric24 cook(const recipe& r, const voxel_matrices& of_material, const std::array<double, 3>& middle,
                         const kernel::brick_shape& shape) {
  kernel::symmetric24 sum;
  for (int octant = 0; octant < 8; ++octant) {
    const material_number material = r.materials[static_cast<std::size_t>(octant)];
    if (material == 0) continue;
    kernel::matrix24 child = of_material[material];
    for (int dof = 0; dof < 24; ++dof)
      if (is_fixed(r, place_of_corner(octant, dof / 3), dof % 3))
        for (int other = 0; other < 24; ++other)
          child[static_cast<std::size_t>(24 * dof + other)] = child[static_cast<std::size_t>(24 * other + dof)] = 0;
    kernel::restrict_to_parent(child, octant, middle);
    sum.add(child);
  }
  kernel::stiffen(sum, shape, stiffening);
  return sum;
}

// Division point of a brick of a kind.
std::array<double, 3> middle_of(const coarse_mesh& mesh, int kind) {
  std::array<double, 3> middle{0.5, 0.5, 0.5};
  for (std::size_t d = 0; d < 3; ++d)
    if (kind & 4 >> d) middle[d] = mesh.middle[d];
  return middle;
}

// Shape of a brick of a kind. A brick that is not divided in the middle is the last brick along the axis and has an
// individual length.
kernel::brick_shape shape_of(const coarse_mesh& mesh, vector3 spacing_mm, int kind) {
  for (int d = 0; d < 3; ++d)
    if (kind & 4 >> d) spacing_mm[d] *= mesh.mesh.lattice.last[static_cast<std::size_t>(d)];
  return kernel::brick_shape(spacing_mm);
}

index3 place_of_parent(std::int64_t z, std::int64_t y, std::int64_t x) { return {z / 2, y / 2, x / 2}; }

}  // namespace

brick_matrices first_coarse_matrices(const elasticity_problem& problem, const fine_stiffness& fine,
                                     const coarse_mesh& mesh) {
  if (fine.size() == 0) return {};
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
      r.materials[static_cast<std::size_t>(octant)] = problem.material[cell];
      for (int a = 0; a < 8; ++a)
        for (int c = 0; c < 3; ++c)
          if (fixed[static_cast<std::size_t>(corners[static_cast<std::size_t>(a)])] >> c & 1) {
            const int bit = 3 * place_of_corner(octant, a) + c;
            r.fixed[bit / 64] |= std::uint64_t{1} << (bit % 64);
          }
      ++cell;
    });

  const std::vector<kernel::lame> materials = lame_table(*problem.materials);
  const voxel_matrices of_material(problem.spacing_mm, materials);
  brick_matrices result;
  std::unordered_map<recipe, std::int32_t, recipe_hash> known;
  for (const recipe& r : recipes) {
    const bool graded = is_graded(r, materials.size());
    const auto number = static_cast<std::int32_t>(graded ? result.octants.size() : result.table.size());
    const auto [entry, fresh] = known.try_emplace(r, graded ? ~number : number);
    if (fresh && graded) {
      result.octants.push_back(r.materials);
    } else if (fresh) {
      result.table.push_back(cook(r, of_material, middle_of(mesh, r.kind()), shape_of(mesh, problem.spacing_mm, r.kind())));
      result.is_anchored.push_back(r.is_anchored());
    }
    result.matrix.push_back(entry->second);
  }
  if (!result.octants.empty())
    result.graded = std::make_shared<const kernel::graded_bricks>(problem.spacing_mm, materials, stiffening);
  result.octants.shrink_to_fit();
  return result;
}

namespace {

// Matrix and octant of a child, and the kind of its parent. Bricks with equal lists of children have equal matrices.
struct child_part {
  std::int32_t matrix;
  std::int8_t octant, kind;
  auto operator<=>(const child_part&) const = default;
};

struct parts_hash {
  std::size_t operator()(const std::vector<child_part>& parts) const {
    std::uint64_t h = parts.size();
    for (const child_part& p : parts)
      h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U + (static_cast<std::uint64_t>(p.matrix) << 8) +
          static_cast<std::uint64_t>(8 * p.octant + p.kind);
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

}  // namespace

brick_matrices next_coarse_matrices(const brick_matrices& children, const brick_mesh& child_mesh, const coarse_mesh& mesh,
                                    vector3 spacing_mm) {
  if (children.matrix.empty()) return {};
  // The children of each parent, in a fixed order. A plane of parents has the children of two planes.
  const auto bricks = mesh.mesh.corners.size();
  const std::int64_t width = child_mesh.lattice.shape.x + 1, height = child_mesh.lattice.shape.y + 1;
  std::vector<std::vector<child_part>> parts(bricks);
  for (std::int64_t z = child_mesh.z_begin; z < child_mesh.z_end; ++z)
    for (std::int32_t e = child_mesh.plane_begin[static_cast<std::size_t>(z - child_mesh.z_begin)];
         e < child_mesh.plane_begin[static_cast<std::size_t>(z - child_mesh.z_begin) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const std::int64_t place = child_mesh.node_place[static_cast<std::size_t>(child_mesh.corners[at][0])];
      const std::int64_t y = place / width % height, x = place % width;
      const auto octant = static_cast<std::int8_t>(4 * (z & 1) + 2 * (y & 1) + (x & 1));
      const auto kind = static_cast<std::int8_t>(brick_kind(mesh, place_of_parent(z, y, x)));
      parts[static_cast<std::size_t>(mesh.parent[at])].push_back({children.matrix[at], octant, kind});
    }
  // Equal bricks share a matrix; in solid regions most bricks are equal.
  brick_matrices result;
  std::unordered_map<std::vector<child_part>, std::int32_t, parts_hash> known;
  std::vector<const std::vector<child_part>*> distinct;
  for (std::vector<child_part>& list : parts) {
    std::sort(list.begin(), list.end());
    const auto [entry, fresh] = known.try_emplace(std::move(list), static_cast<std::int32_t>(distinct.size()));
    if (fresh) distinct.push_back(&entry->first);
    result.matrix.push_back(entry->second);
  }
  result.table.resize(distinct.size());
  for (const auto* list : distinct)
    result.is_anchored.push_back(std::any_of(list->begin(), list->end(), [&](const child_part& p) {
      return p.matrix >= 0 && children.is_anchored[static_cast<std::size_t>(p.matrix)];
    }));
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t m = 0; m < distinct.size(); ++m) {
    for (const child_part& p : *distinct[m]) {
      std::array<double, 576> matrix = children.of(p.matrix).full();
      kernel::restrict_to_parent(matrix, p.octant, middle_of(mesh, p.kind));
      result.table[m].add(matrix);
    }
    kernel::stiffen(result.table[m], shape_of(mesh, spacing_mm, distinct[m]->front().kind), stiffening);
  }
  return result;
}

// The last brick along an axis may have an individual length along this axis.
std::uint8_t shape_number(const brick_lattice& lattice, std::int64_t place) {
  const std::int64_t width = lattice.shape.x + 1, height = lattice.shape.y + 1;
  const index3 at{place / width / height, place / width % height, place % width};
  int number = 0;
  for (int d = 0; d < 3; ++d)
    if (at[d] + 1 == lattice.shape[d]) number |= 4 >> d;
  return static_cast<std::uint8_t>(number);
}

coarse_stiffness::coarse_stiffness(MPI_Comm comm, const brick_mesh& mesh, vector3 spacing_mm, const brick_matrices& matrices,
                                   std::span<const int> touching, const std::string& name)
    : mesh_(mesh),
      nodes_(matrices.matrix.empty() ? 0 : static_cast<std::int64_t>(mesh.node_id.size())),
      shared_(comm, mesh.boundary, touching, name),
      matrix_(matrices.matrix),
      graded_(matrices.graded),
      octants_(matrices.octants) {
  if (!matrix_.empty()) tabulate(spacing_mm, matrices);
  inverse_diagonal_.assign(static_cast<std::size_t>(size()), 0.0F);
  for (std::size_t e = 0; e < matrix_.size(); ++e) {
    const kernel::symmetric24 matrix = matrices.of(matrix_[e]);
    for (std::size_t dof = 0; dof < 24; ++dof)
      inverse_diagonal_[4 * static_cast<std::size_t>(mesh.corners[e][dof / 3]) + dof % 3] +=
          static_cast<float>(matrix(dof, dof));
  }
  shared_.exchange_add(inverse_diagonal_.data(), layout());
  for (float& value : inverse_diagonal_) value = value > 0 ? 1 / value : 0.0F;
}

// The matrices in the layout of the kernel, in batches by planes.
void coarse_stiffness::tabulate(vector3 spacing_mm, const brick_matrices& matrices) {
  const brick_mesh& mesh = mesh_;
  const bool is_uneven = mesh.lattice.last != std::array<double, 3>{1, 1, 1};
  for (int number = 0; number < (is_uneven ? 8 : 1); ++number) {
    vector3 sides = spacing_mm;
    for (int d = 0; d < 3; ++d)
      if (number & 4 >> d) sides[d] *= mesh.lattice.last[static_cast<std::size_t>(d)];
    shapes_.emplace_back(sides);
  }
  std::vector<std::uint8_t> shape_of_matrix(matrices.table.size());
  if (is_uneven)
    for (std::size_t e = 0; e < mesh.corners.size(); ++e) {
      shape_of_brick_.push_back(shape_number(mesh.lattice, mesh.node_place[static_cast<std::size_t>(mesh.corners[e][0])]));
      if (matrix_[e] >= 0) shape_of_matrix[static_cast<std::size_t>(matrix_[e])] = shape_of_brick_.back();
    }
  table_.number(matrices.is_anchored);
  for (std::size_t z = 0; z + 1 < mesh.plane_begin.size(); ++z) {
    kernel::append_batches(bricks(), mesh.plane_begin[z], mesh.plane_begin[z + 1], batches_);
    plane_begin_.push_back(batches_.size());
  }
  batches_.shrink_to_fit();
  store_matrices(matrices, shape_of_matrix);
}

// Batches of bricks with different matrices use factors, unless the factors need more memory than the entries of these
// matrices: on the first coarse level of a solid with one modulus, many bricks share few matrices.
void coarse_stiffness::store_matrices(const brick_matrices& matrices, std::span<const std::uint8_t> shape_of_matrix) {
  const std::size_t count = matrices.table.size();
  std::vector<char> is_in_factors(count), is_in_entries(count);
  std::vector<std::size_t> with_factors;  // batches
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const kernel::brick_batch& batch = batches_[i];
    if (matrix_of(batch, 0) < 0) continue;
    const bool has_factors = !batch.has_one_matrix && !matrices.is_anchored[static_cast<std::size_t>(matrix_of(batch, 0))];
    if (has_factors) with_factors.push_back(i);
    for (std::size_t b = 0; b < 8; ++b)
      (has_factors ? is_in_factors : is_in_entries)[static_cast<std::size_t>(matrix_of(batch, b))] = 1;
  }
  std::size_t replaced = 0;
  for (std::size_t m = 0; m < count; ++m) replaced += is_in_factors[m] && !is_in_entries[m];
  constexpr std::size_t bytes_of_entries = kernel::matrix_factor::entries * sizeof(float);
  if (with_factors.size() * sizeof(kernel::batch_factor) > replaced * bytes_of_entries) {
    for (std::size_t m = 0; m < count; ++m) is_in_entries[m] |= std::exchange(is_in_factors[m], 0);
    with_factors.clear();
  }

  std::array<std::size_t, 2> entries{};
  for (std::size_t m = 0; m < count; ++m)
    if (is_in_entries[m]) ++entries[matrices.is_anchored[m]];
  table_.reserve(entries[0], entries[1], with_factors.size());
  for (std::size_t m = 0; m < count; ++m)
    if (is_in_entries[m]) table_.add_entries(static_cast<std::int32_t>(m), matrices.table[m], shapes_[shape_of_matrix[m]]);
  std::vector<kernel::matrix_factor> factor(count);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t m = 0; m < count; ++m)
    if (is_in_factors[m]) factor[m] = kernel::factor_of_deformations(matrices.table[m], shapes_[shape_of_matrix[m]]);
  for (const std::size_t i : with_factors) {
    std::array<const kernel::matrix_factor*, 8> factors;
    for (std::size_t b = 0; b < 8; ++b) factors[b] = &factor[static_cast<std::size_t>(matrix_of(batches_[i], b))];
    batches_[i].factors = table_.add_factors(factors);
  }
}

void coarse_stiffness::multiply_own(const float* x, float* y,
                                    const std::function<void(std::int64_t begin, std::int64_t end)>& complete) const {
  const kernel::table_bricks all = bricks();
  const std::span<const kernel::brick_batch> batches = batches_;
  const auto first_node = [&](std::int64_t plane) -> std::int64_t {
    return mesh_.node_plane_begin[static_cast<std::size_t>(plane)];
  };
  const auto clear = [&](std::int64_t k) { std::fill(y + 4 * first_node(k), y + 4 * first_node(k + 1), 0.0F); };
  const auto add = [&](std::int64_t plane) {
    const auto z = static_cast<std::size_t>(plane);
    kernel::add_product(all, batches.subspan(plane_begin_[z], plane_begin_[z + 1] - plane_begin_[z]), x, y);
  };
  const auto clear_and_add = [&](std::int64_t z) {
    clear(z + 1);
    add(z);
  };
  kernel::sweep_planes(static_cast<std::int64_t>(plane_begin_.size()) - 1, clear, clear_and_add, add,
                       [&](std::int64_t k) { complete(first_node(k), first_node(k + 1)); });
}

}  // namespace osteon::numerics
