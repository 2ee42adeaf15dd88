#include <osteon/voxel/image_runs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/error.hpp>

namespace osteon::voxel {

image_runs::image_runs(index3 shape) : shape_(shape), is_wide_(shape.x > std::numeric_limits<std::uint16_t>::max()) {
  lists_->row_begin.reserve(static_cast<std::size_t>(shape.z * shape.y));
}

image_runs::lists::lists(const lists& other) : row_begin(other.row_begin), size(other.size) {
  const auto copy = [](const auto& from, auto& to) {
    for (const auto& block : from) {
      auto& made = to.emplace_back(std::make_unique_for_overwrite<std::remove_reference_t<decltype(block[0])>[]>(
          2 * static_cast<std::size_t>(block_size)));
      std::copy_n(block.get(), 2 * static_cast<std::size_t>(block_size), made.get());
    }
  };
  copy(other.narrow, narrow);
  copy(other.wide, wide);
}

void image_runs::lists::shrink() {
  const auto blocks = static_cast<std::size_t>((static_cast<std::int64_t>(size) + block_size - 1) >> block_bits);
  if (narrow.size() > blocks) narrow.resize(blocks);
  if (wide.size() > blocks) wide.resize(blocks);
}

image_runs::lists& image_runs::own() {
  if (lists_.use_count() > 1) lists_ = std::make_shared<lists>(*lists_);
  return *lists_;
}

void image_runs::append(std::int64_t x, std::int64_t length) {
  lists& all = own();
  if (all.size == std::numeric_limits<std::int32_t>::max())
    throw data_error(
        fmt::format("the solid ({} x {} x {} points) has more than 2^31 - 1 runs along x; the image is probably noise: "
                    "smooth or crop the image",
                    shape_.z, shape_.y, shape_.x));
  if ((all.size & (block_size - 1)) == 0) {
    if (is_wide_)
      all.wide.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(2 * static_cast<std::size_t>(block_size)));
    else
      all.narrow.push_back(std::make_unique_for_overwrite<std::uint16_t[]>(2 * static_cast<std::size_t>(block_size)));
  }
  set(all, all.size++, {static_cast<std::int32_t>(x), static_cast<std::int32_t>(length)});
}

image_runs image_runs_of(const run_set& set) {
  const index3 n = set.shape();
  image_runs result(n);
  for (std::int64_t z = 0; z < n.z; ++z)
    for (std::int64_t y = 0; y < n.y; ++y) {
      result.begin_row();
      for (const run& r : set.row(z, y)) result.append(r.x, r.length);
    }
  return result;
}

}  // namespace osteon::voxel
