#include <algorithm>
#include <atomic>
#include <osteon/base/for_each.hpp>
#include <osteon/base/stopwatch.hpp>
#include <studies/hyper_crossbar/fourier/fourier_transposition.hpp>
#include <thread>

namespace osteon::studies {

namespace {

// The window of a rank begins with the number of arrivals of this rank at a barrier. The points follow this number.
constexpr std::size_t arrivals = 64;
std::atomic<std::uint64_t>& arrived(const comm::shared_window& window, int rank) {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(window.of(rank));
}

}  // namespace

fourier_transposition::fourier_transposition(MPI_Comm comm, index3 shape, const fourier_options& options)
    : fourier_3d(comm, shape, options),
      folding_(options.folding),
      x_parts_{shape.x, folding_.rows},
      y_parts_{shape.y, folding_.rows},
      y_far_parts_{shape.y, folding_.columns},
      z_parts_{shape.z, folding_.columns},
      m_(comm_.rank() / folding_.columns),
      n_(comm_.rank() % folding_.columns),
      x_plan_(shape.x),
      y_plan_(shape.y),
      z_plan_(shape.z),
      shared_(options.method == fourier_method::shared && folding_.columns > 1),
      crowded_(static_cast<unsigned>(comm::size(comm)) > std::thread::hardware_concurrency()) {
  points_ = {{z_parts_.begin(n_), y_parts_.begin(m_), 0}, {z_parts_.begin(n_ + 1), y_parts_.begin(m_ + 1), shape.x}};
  const index3 begin{0, y_far_parts_.begin(n_), x_parts_.begin(m_)};
  const index3 count{shape.z, y_far_parts_.size(n_), x_parts_.size(m_)};
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t i = 0; i < count[axis]; ++i) modes_[static_cast<std::size_t>(axis)].push_back(begin[axis] + i);

  row_blocks_ = blocks_of(z_parts_.largest(), y_parts_.largest(), x_parts_.largest());
  column_blocks_ = blocks_of(z_parts_.largest(), y_far_parts_.largest(), count.x);
  if (!shared_) {
    MPI_Comm rows = MPI_COMM_NULL, columns = MPI_COMM_NULL;
    MPI_Comm_split(comm_.get(), n_, m_, &rows);
    MPI_Comm_split(comm_.get(), m_, n_, &columns);
    const comm::communicator of_rows = comm::communicator::take(rows), of_columns = comm::communicator::take(columns);
    row_exchange_ = exchange_of(of_rows.get(), row_blocks_.size, false);
    // With two exchanges, `receive_` is still being read when the second exchange is prepared.
    column_exchange_ = exchange_of(of_columns.get(), column_blocks_.size, folding_.rows > 1);
    // Both exchanges use the same two arrays. Separate arrays would require more memory.
    const std::ptrdiff_t between =
        comm::size(comm) > 1 ? std::max(folding_.rows * row_blocks_.size, folding_.columns * column_blocks_.size) : 0;
    send_ = allocate_complex(between);
    receive_ = allocate_complex(between);
  }
  lay_out_points(shared_);
  lay_out_rows();
  if (shared_)
    lay_out_shared();
  else
    lay_out_columns();

  mode_row_ = spread(count.x);
  mode_plane_ = spread(mode_row_ * count.y);
  modes_memory_ = allocate_complex(mode_plane_ * count.z);
  modes_at_ = modes_memory_.get();
  modes_line_ = {modes_at_, mode_row_, 1, regular_offsets(count.z, mode_plane_)};
  // Between two transforms along z, all other data are read. These reads evict the data of the transform from the caches.
  constexpr std::ptrdiff_t share_of_cache = 4 << 20;
  modes_line_.stream = z_.stream = mode_plane_ * count.z * static_cast<std::ptrdiff_t>(sizeof(complex)) > share_of_cache;
}

fourier_transposition::blocks fourier_transposition::blocks_of(std::int64_t z, std::int64_t y, std::int64_t x) {
  blocks result;
  result.row = spread(x);
  result.plane = spread(result.row * y);
  result.size = result.plane * z;
  return result;
}

// An axis stored in blocks, with one block per part. The stride from block to block is `block`, and the stride from element
// to element is `within`.
fourier_transposition::side fourier_transposition::side_of(const axis_parts& parts, complex* base, std::ptrdiff_t block,
                                                           std::ptrdiff_t within) {
  side result{base, 0, 1, {}};
  const std::vector<int> owner = parts.owners();
  for (std::int64_t e = 0; e < parts.length; ++e) {
    const int part = owner[static_cast<std::size_t>(e)];
    result.offset.push_back(part * block + (e - parts.begin(part)) * within);
  }
  return result;
}

void fourier_transposition::lay_out_points(bool shared) {
  row_ = spread(shape_.x);
  plane_ = spread(row_ * y_parts_.largest());
  const std::ptrdiff_t count = plane_ * z_parts_.largest();
  if (shared) {
    window_ = comm::shared_window::make(comm_.get(), arrivals + static_cast<std::size_t>(count) * sizeof(complex));
    points_at_ = reinterpret_cast<complex*>(window_.of(comm::rank(comm_.get())) + arrivals);
  } else {
    points_memory_ = allocate_complex(count);
    points_at_ = points_memory_.get();
  }
  points_line_ = {points_at_, plane_, row_, regular_offsets(shape_.x, 1)};
}

void fourier_transposition::lay_out_rows() {
  if (folding_.rows == 1) {
    x_ = points_line_;
    y_ = {points_at_, plane_, 1, regular_offsets(shape_.y, row_)};
    return;
  }
  x_ = side_of(x_parts_, send_.get(), row_blocks_.size, 1);
  x_.layer = row_blocks_.plane;
  x_.line = row_blocks_.row;
  for (std::int64_t e = x_parts_.begin(m_); e < x_parts_.begin(m_ + 1); ++e)
    x_.offset[static_cast<std::size_t>(e)] += receive_.get() - send_.get();
  y_ = side_of(y_parts_, receive_.get(), row_blocks_.size, row_blocks_.row);
  y_.layer = row_blocks_.plane;
}

void fourier_transposition::lay_out_columns() {
  if (comm::size(comm_.get()) == 1) {
    y_far_ = y_;
    z_ = {points_at_, row_, 1, regular_offsets(shape_.z, plane_)};
    return;
  }
  y_far_ = side_of(y_far_parts_, send_.get(), column_blocks_.size, column_blocks_.row);
  y_far_.layer = column_blocks_.plane;
  complex* const arrived_at = folding_.columns > 1 ? receive_.get() : send_.get();
  z_ = side_of(z_parts_, arrived_at, column_blocks_.size, column_blocks_.plane);
  z_.layer = column_blocks_.row;
  if (folding_.columns > 1 && folding_.rows == 1)
    for (std::int64_t e = y_far_parts_.begin(n_); e < y_far_parts_.begin(n_ + 1); ++e)
      y_far_.offset[static_cast<std::size_t>(e)] += receive_.get() - send_.get();
}

void fourier_transposition::lay_out_shared() {
  y_far_ = y_;
  z_ = {points_at_ + y_far_parts_.begin(n_) * row_, row_, 1, {}};
  const std::vector<int> owner = z_parts_.owners();
  for (std::int64_t e = 0; e < shape_.z; ++e) {
    const int part = owner[static_cast<std::size_t>(e)];
    const auto* theirs = reinterpret_cast<complex*>(window_.of(part) + arrivals);
    z_.offset.push_back(theirs - points_at_ + (e - z_parts_.begin(part)) * plane_);
  }
}

std::optional<fourier_transposition::group_exchange> fourier_transposition::exchange_of(MPI_Comm group, std::ptrdiff_t block,
                                                                                        bool own) {
  if (comm::size(group) == 1) return {};
  comm::parcels each{std::vector<std::int64_t>(static_cast<std::size_t>(comm::size(group)), block), {}};
  for (int r = 0; r < comm::size(group); ++r) each.offsets.push_back(r * block);
  if (!own) each.counts[static_cast<std::size_t>(comm::rank(group))] = 0;
  return group_exchange{comm::all_to_all(group, {.schedule = options_.schedule}), std::move(each)};
}

void fourier_transposition::group_exchange::run(const complex* from, complex* to, exchange_account& account) {
  const stopwatch clock;
  const auto ranks = static_cast<std::int64_t>(each.counts.size()),
             block = *std::max_element(each.counts.begin(), each.counts.end());
  const auto all = static_cast<std::size_t>(ranks * block);
  exchange.run<complex>({from, all}, each, {to, all}, each);
  account.seconds += clock.seconds();
  account.exchanges += 1;
  account.messages += ranks - 1;
  account.bytes += (ranks - 1) * block * static_cast<std::int64_t>(sizeof(complex));
}

void fourier_transposition::wait_for_all() {
  if (!shared_) return;
  const stopwatch clock;
  arrived(window_, n_).store(++epoch_, std::memory_order_release);
  for (int r = 0; r < folding_.columns; ++r) comm::wait_until(arrived(window_, r), epoch_, crowded_);
  account_.seconds += clock.seconds();
}

void fourier_transposition::exchange_columns(const side& from, const side& to) {
  if (column_exchange_) column_exchange_->run(from.base, to.base, account_);
  if (!shared_) return;
  wait_for_all();
  account_.exchanges += 1;
}

namespace {

template <class Side>
void along(const fourier_plan& plan, fourier_direction direction, const Side& from, const Side& to, std::int64_t layer,
           std::int64_t lines, fourier_weights weights = {}) {
  transform_lines(plan, direction, {from.base + layer * from.layer, from.offset, from.line},
                  {to.base + layer * to.layer, to.offset, to.line, to.stream}, lines, weights);
}

}  // namespace

void fourier_transposition::forward() {
  const auto direction = fourier_direction::forward;
  const index3 mine = points_.shape();
  const auto width = static_cast<std::int64_t>(modes_[2].size());
  const bool slabs = folding_.rows == 1;
  const auto along_y = [&](std::int64_t z) { along(y_plan_, direction, y_, y_far_, z, width); };
  for_each_block(mine.z, 1, [&](std::int64_t z, std::int64_t) {
    along(x_plan_, direction, points_line_, x_, z, mine.y);
    if (slabs) along_y(z);
  });
  if (!slabs) {
    row_exchange_->run(x_.base, y_.base, account_);
    for_each_block(mine.z, 1, [&](std::int64_t z, std::int64_t) { along_y(z); });
  }
  exchange_columns(y_far_, z_);
  for_each_block(y_far_parts_.size(n_), 1,
                 [&](std::int64_t y, std::int64_t) { along(z_plan_, direction, z_, modes_line_, y, width); });
  wait_for_all();  // after this barrier, the caller may write the points again
}

void fourier_transposition::backward(const mode_weights& weights) {
  const auto direction = fourier_direction::backward;
  const index3 mine = points_.shape();
  const auto width = static_cast<std::int64_t>(modes_[2].size());
  const bool slabs = folding_.rows == 1;
  wait_for_all();  // after this barrier, no rank reads the points of the last transform
  for_each_block(y_far_parts_.size(n_), 1, [&](std::int64_t y, std::int64_t) {
    if (weights[0].empty()) return along(z_plan_, direction, modes_line_, z_, y, width);
    std::vector<double> of_line(weights[2].begin(), weights[2].end());
    for (double& w : of_line) w *= weights[1][static_cast<std::size_t>(y)];
    along(z_plan_, direction, modes_line_, z_, y, width, {weights[0], of_line});
  });
  exchange_columns(z_, y_far_);
  const auto along_y = [&](std::int64_t z) { along(y_plan_, direction, y_far_, y_, z, width); };
  if (!slabs) {
    for_each_block(mine.z, 1, [&](std::int64_t z, std::int64_t) { along_y(z); });
    row_exchange_->run(y_.base, x_.base, account_);
  }
  for_each_block(mine.z, 1, [&](std::int64_t z, std::int64_t) {
    if (slabs) along_y(z);
    along(x_plan_, direction, x_, points_line_, z, mine.y);
  });
}

}  // namespace osteon::studies
