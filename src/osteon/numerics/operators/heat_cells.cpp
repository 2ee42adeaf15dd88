#include <osteon/numerics/operators/heat_cells.hpp>

#include <algorithm>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/collectively.hpp>

namespace osteon::numerics {

namespace {

// Traverses one neighbour row with increasing x.
class row_cursor {
 public:
  explicit row_cursor(std::span<const voxel::run> row) : row_(row) {}
  // Number of the neighbour at x, or -1. Reduces `until` to the next x at which a run of the neighbour row begins or ends.
  std::int32_t at(std::int32_t x, std::int32_t& until) {
    while (!row_.empty() && row_.front().x + row_.front().length <= x) row_ = row_.subspan(1);
    if (row_.empty()) return -1;
    const voxel::run& r = row_.front();
    if (x < r.x) {
      until = std::min(until, r.x);
      return -1;
    }
    until = std::min(until, r.x + r.length);
    return r.first + (x - r.x);
  }

 private:
  std::span<const voxel::run> row_;
};

// Results for a range of planes.
struct cut_rows {
  std::vector<kernel::conduction_segment> segments;
  std::vector<kernel::conduction_corner> corners;
  std::vector<outer_face> outer;
};

// Divides the runs of a row into segments where runs of a neighbour row begin or end. Rows are independent.
class row_cutter {
 public:
  row_cutter(heat_cells& c, const heat_problem& problem, cut_rows& found) : c_(c), problem_(problem), found_(found) {}

  void cut(std::int64_t z, std::int64_t y) {
    const auto row = c_.cells.owned_row(z, y);
    if (row.empty()) return;
    const index3 begin = problem_.where.owned.begin;
    z_ = static_cast<std::int32_t>(begin.z + z);
    y_ = static_cast<std::int32_t>(begin.y + y);
    x_ = static_cast<std::int32_t>(begin.x);
    std::array<row_cursor, 4> cursors{row_cursor(c_.cells.row(z - 1, y)), row_cursor(c_.cells.row(z + 1, y)),
                                      row_cursor(c_.cells.row(z, y - 1)), row_cursor(c_.cells.row(z, y + 1))};
    const std::array<bool, 4> outer{z_ == 0, z_ == domain().z - 1, y_ == 0, y_ == domain().y - 1};
    const auto all = c_.cells.row(z, y);
    const std::int32_t under = all.front().x < 0 ? all.front().first : -1,
                       over = all.back().x >= c_.cells.shape.x ? all.back().first : -1;
    for (const voxel::run& r : row) {
      const std::int32_t end = r.x + r.length;
      for (std::int32_t x = r.x; x < end;) {
        std::int32_t until = end;
        const std::int32_t first = r.first + (x - r.x);
        std::array<std::int32_t, 4> neighbour{};  // neighbours of the first cell; -1: none
        for (std::size_t d = 0; d < 4; ++d) neighbour[d] = cursors[d].at(x, until);
        for (std::size_t d = 0; d < 4; ++d)
          if (outer[d]) neighbour[d] = beyond(d, first, neighbour[d], x, until - x);
        for (; x < until; ++x) {
          const std::int32_t i = r.first + (x - r.x);
          std::int32_t left = x > r.x ? i - 1 : -1, right = x + 1 < end ? i + 1 : -1;
          if (x == 0) left = under;
          if (x + 1 == c_.cells.shape.x) right = over;
          if (x_ + x == 0) left = beyond(4, i, left, x, 1);
          if (x_ + x + 1 == domain().x) right = beyond(5, i, right, x, 1);
          std::array<std::int32_t, 4> here{};
          for (std::size_t d = 0; d < 4; ++d) here[d] = neighbour[d] < 0 ? -1 : neighbour[d] + (i - first);
          add(i, here, left, right);
        }
      }
      flush();
    }
  }

 private:
  const index3& domain() const { return problem_.where.domain; }

  void add(std::int32_t i, const std::array<std::int32_t, 4>& neighbour, std::int32_t left, std::int32_t right) {
    const bool is_odd = (left >= 0 && left != i - 1) || (right >= 0 && right != i + 1) || i == 0;
    if (is_odd) {
      flush();
      const auto or_self = [i](std::int32_t j) { return j < 0 ? i : j; };
      found_.corners.push_back({i,
                                {or_self(neighbour[0]), or_self(neighbour[1]), or_self(neighbour[2]), or_self(neighbour[3]),
                                 or_self(left), or_self(right)}});
      return;
    }
    if (length_ > 0) {
      // Neighbour d of the k-th cell of the segment is base_[d] + k, which must be non-negative and in range.
      for (std::size_t d = 0; d < 4; ++d)
        if (neighbour[d] >= 0 && (base_[d] >= 0 ? base_[d] + length_ != neighbour[d] : neighbour[d] < length_))
          return restart(i, neighbour, left, right);
    } else {
      first_ = i;
      base_.fill(-1);
    }
    std::uint8_t bits = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      if (neighbour[d] < 0) continue;
      base_[d] = neighbour[d] - length_;
      bits |= static_cast<std::uint8_t>(1U << d);
    }
    if (left >= 0) bits |= 16;
    if (right >= 0) bits |= 32;
    c_.open[static_cast<std::size_t>(i)] = bits;
    ++length_;
  }
  void restart(std::int32_t i, const std::array<std::int32_t, 4>& neighbour, std::int32_t left, std::int32_t right) {
    flush();
    add(i, neighbour, left, right);
  }
  void flush() {
    if (length_ == 0) return;
    kernel::conduction_segment s;
    s.first = first_;
    s.length = static_cast<std::uint32_t>(length_) & 0x7fffffffU;
    for (std::size_t d = 0; d < 4; ++d) s.neighbour[d] = base_[d] < 0 ? first_ : base_[d];
    s.uniform = is_uniform(s) ? 1 : 0;
    found_.segments.push_back(s);
    length_ = 0;
  }
  bool is_uniform(const kernel::conduction_segment& s) const {
    const auto material = [&](std::int32_t i) { return c_.material[static_cast<std::size_t>(i)]; };
    for (std::int32_t n = 0; n < length_; ++n) {
      const std::int32_t i = first_ + n;
      if (material(i) != material(first_)) return false;
      for (int d = 0; d < kernel::directions; ++d) {
        const std::int32_t j = d < 4 ? s.neighbour[static_cast<std::size_t>(d)] + n : d == 4 ? i - 1 : i + 1;
        if ((c_.open[static_cast<std::size_t>(i)] >> d & 1) != 0 && material(j) != material(first_)) return false;
      }
    }
    return true;
  }

  // Record the neighbours beyond the outer face `side` of `count` cells, beginning with cell `first` at x. `across` is the
  // first neighbour across a periodic face. @return number of the first neighbour, or -1
  std::int32_t beyond(std::size_t side, std::int32_t first, std::int32_t across, std::int32_t x, std::int32_t count) {
    const thermal kind = problem_.faces[side / 2][side % 2].kind;
    const bool periodic = c_.periodic[side / 2];
    const bool wall = !periodic && (kind == thermal::temperature || kind == thermal::convection);
    const bool flux = !periodic && kind == thermal::flux;
    const std::int32_t base = periodic ? across : wall ? wall_row(side) + x : -1;
    if (base >= 0 || flux)
      for (std::int32_t n = 0; n < count; ++n)
        found_.outer.push_back({first + n, (flux ? first : base) + n, z_, y_, x_ + x + n, static_cast<std::uint8_t>(side)});
    return base;
  }
  std::int32_t wall_row(std::size_t side) const {
    return c_.walls + static_cast<std::int32_t>(side) * static_cast<std::int32_t>(c_.cells.shape.x);
  }

  heat_cells& c_;  // sets c_.open
  const heat_problem& problem_;
  cut_rows& found_;
  std::int32_t z_ = 0, y_ = 0, x_ = 0;   // voxel of the image at the beginning of the block's row
  std::int32_t first_ = 0, length_ = 0;  // cells of the current segment
  std::array<std::int32_t, 4> base_{};   // neighbours of the segment's first cell; -1: not yet known
};

// Assign a separate material to the wall cells of each face. This material has the resistance of the convection film.
void line_walls(heat_cells& c, const heat_problem& problem) {
  std::size_t number = problem.materials->size();
  for (std::size_t side = 0; side < 6; ++side) {
    const face_condition& face = problem.faces[side / 2][side % 2];
    if (c.periodic[side / 2] || face.kind != thermal::convection) continue;
    c.resistivity[number] = 2 / (c.spacing_mm[static_cast<int>(side / 2)] * face.transfer_W_per_mm2K);
    const auto row = c.material.begin() + c.walls + static_cast<std::ptrdiff_t>(side) * c.cells.shape.x;
    std::fill(row, row + c.cells.shape.x, static_cast<material_number>(number++));
  }
}

}  // namespace

heat_cells make_conduction_cells(const heat_problem& problem, ghosted_cells cells, std::vector<material_number> material) {
  heat_cells c;
  c.where = problem.where;
  c.spacing_mm = problem.spacing_mm;
  c.periodic = problem.periodic;
  c.cells = std::move(cells);
  c.links = std::move(c.cells.links);
  const index3 shape = c.cells.shape;
  c.owned = c.cells.owned;
  c.walls = c.cells.size;

  const auto& m = *problem.materials;
  c.resistivity.assign(m.size() + 6, 0);  // materials and films
  c.storage.assign(m.size() + 6, 0);
  for (std::size_t i = 1; i < m.size(); ++i)
    if (m[i].conductivity_W_per_mK > 0) c.resistivity[i] = 1000 / m[i].conductivity_W_per_mK;
  const vector3 h = problem.spacing_mm;
  c.face = {2 * h.y * h.x / h.z, 2 * h.z * h.x / h.y, 2 * h.z * h.y / h.x};

  comm::collectively(c.where.comm, [&] {
    if (c.walls > std::numeric_limits<std::int32_t>::max() - 6 * shape.x - kernel::conduction_padding)
      throw data_error("the cells of one rank exceed the range of 32-bit numbers; use more ranks");
    c.size = c.walls + 6 * static_cast<std::int32_t>(shape.x) + kernel::conduction_padding;
    c.material = std::move(material);
    c.material.resize(static_cast<std::size_t>(c.size), 0);
    line_walls(c, problem);
  });
  c.links.exchange(c.material.data());

  c.open.resize(static_cast<std::size_t>(c.size));
  // All threads process planes; the lists are then concatenated in the order of the planes.
  std::vector<cut_rows> found(at(shape.z));
  for_each_block(shape.z, 1, [&](std::int64_t z, std::int64_t) {
    row_cutter cutter(c, problem, found[at(z)]);
    for (std::int64_t y = 0; y < shape.y; ++y) cutter.cut(z, y);
  });
  conduction_plane next;
  for (std::int64_t z = 0; z < shape.z; ++z) {
    c.planes.push_back(next);
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (const voxel::run& r : c.cells.owned_row(z, y)) next.cell += r.length;
    next.segment += static_cast<std::int32_t>(found[at(z)].segments.size());
    next.corner += static_cast<std::int32_t>(found[at(z)].corners.size());
  }
  c.planes.push_back(next);
  c.segments.reserve(at(next.segment));
  c.corners.reserve(at(next.corner));
  for (cut_rows& own : found) {
    c.segments.insert(c.segments.end(), own.segments.begin(), own.segments.end());
    c.corners.insert(c.corners.end(), own.corners.begin(), own.corners.end());
    c.outer.insert(c.outer.end(), own.outer.begin(), own.outer.end());
    own = {};
  }
  return c;
}

heat_cells all_cells(const heat_problem& problem) {
  return make_conduction_cells(problem, with_ghosts(problem.where, problem.cells, problem.periodic), problem.material);
}

}  // namespace osteon::numerics
