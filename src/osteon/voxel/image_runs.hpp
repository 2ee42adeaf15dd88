#pragma once
/// @file
/// The solid of a whole image as a list of runs, in a form that needs a fifth of the memory of a run_set. The import uses
/// this form, and the ranks use run_set.
#include <cstdint>
#include <memory>
#include <osteon/voxel/run_set.hpp>
#include <utility>
#include <vector>

namespace osteon::voxel {

/// Runs in z, y, x order. A run takes 4 bytes, or 8 bytes if a row has more than 65535 voxels, plus 4 bytes per row of the
/// image. Copies share the runs until one of them changes.
class image_runs {
 public:
  image_runs() = default;
  explicit image_runs(index3 shape);

  /// Append a row, which has the next position in z, y order. The runs of the row follow by append().
  void begin_row() { own().row_begin.push_back(size()); }
  /// Append a run to the last row, behind its other runs and not adjacent to them.
  /// @throws data_error if the image has more than 2^31 - 1 runs
  void append(std::int64_t x, std::int64_t length);

  index3 shape() const { return shape_; }
  /// Number of runs.
  std::int32_t size() const { return lists_->size; }
  /// Index of the first run of row z * shape.y + y, and the number of runs for the row behind the last one.
  std::int32_t row_begin(std::int64_t row) const {
    return row < static_cast<std::int64_t>(lists_->row_begin.size()) ? lists_->row_begin[static_cast<std::size_t>(row)]
                                                                     : size();
  }
  /// First voxel of a run along x, and the number of its voxels.
  std::pair<std::int32_t, std::int32_t> at(std::int32_t i) const {
    const auto block = static_cast<std::size_t>(i >> block_bits), place = 2 * static_cast<std::size_t>(i & (block_size - 1));
    if (!is_wide_) return {lists_->narrow[block][place], lists_->narrow[block][place + 1]};
    return {static_cast<std::int32_t>(lists_->wide[block][place]),
            static_cast<std::int32_t>(lists_->wide[block][place + 1])};
  }

  /// Call `f(run)` for the runs of the rows [first, end) in order. `first` of the run is the index of the run.
  template <class F>
  void for_each_in_rows(std::int64_t first, std::int64_t end, F&& f) const {
    for (std::int64_t row = first; row < end; ++row)
      for (std::int32_t i = row_begin(row), last = row_begin(row + 1); i < last; ++i) {
        const auto [x, length] = at(i);
        f(run{static_cast<std::int32_t>(row / shape_.y), static_cast<std::int32_t>(row % shape_.y), x, length, i});
      }
  }
  template <class F>
  void for_each_in_plane(std::int64_t z, F&& f) const {
    for_each_in_rows(z * shape_.y, (z + 1) * shape_.y, f);
  }
  template <class F>
  void for_each(F&& f) const {
    for_each_in_rows(0, shape_.z * shape_.y, f);
  }

  /// Remove the runs for which `is_kept(index)` is false. @cost no memory, unless a copy shares the runs
  template <class IsKept>
  void keep(IsKept&& is_kept) {
    lists& all = own();
    std::int32_t kept = 0, i = 0;
    for (std::size_t row = 0; row < all.row_begin.size(); ++row) {
      const std::int32_t end = row + 1 < all.row_begin.size() ? all.row_begin[row + 1] : all.size;
      all.row_begin[row] = kept;
      for (; i < end; ++i)
        if (is_kept(i)) set(all, kept++, at(i));
    }
    all.size = kept;
    all.shrink();
  }

 private:
  static constexpr int block_bits = 16;
  static constexpr std::int32_t block_size = 1 << block_bits;
  struct lists {
    std::vector<std::int32_t> row_begin;
    std::vector<std::unique_ptr<std::uint16_t[]>> narrow;  // x, length of each run; in blocks, because a growing vector
    std::vector<std::unique_ptr<std::uint32_t[]>> wide;    // needs up to three times its size
    std::int32_t size = 0;
    lists() = default;
    lists(const lists& other);
    void shrink();
  };

  lists& own();
  void set(lists& all, std::int32_t i, std::pair<std::int32_t, std::int32_t> value) const {
    const auto block = static_cast<std::size_t>(i >> block_bits), place = 2 * static_cast<std::size_t>(i & (block_size - 1));
    if (is_wide_) {
      all.wide[block][place] = static_cast<std::uint32_t>(value.first);
      all.wide[block][place + 1] = static_cast<std::uint32_t>(value.second);
    } else {
      all.narrow[block][place] = static_cast<std::uint16_t>(value.first);
      all.narrow[block][place + 1] = static_cast<std::uint16_t>(value.second);
    }
  }

  index3 shape_;
  bool is_wide_ = false;
  std::shared_ptr<lists> lists_ = std::make_shared<lists>();
};

/// The runs of a set.
image_runs image_runs_of(const run_set& set);

}  // namespace osteon::voxel
