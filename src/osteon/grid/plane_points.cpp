#include <osteon/grid/plane_points.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>

namespace osteon::grid {

namespace {

constexpr std::int64_t points_per_round = std::int64_t{1} << 18;  // points of a full box

// MPI datatype for the values of one point. The count of a message is a number of points. A message may therefore exceed
// 2^31 bytes.
class point_type {
 public:
  explicit point_type(std::size_t bytes) {
    MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  point_type(const point_type&) = delete;
  point_type& operator=(const point_type&) = delete;
  ~point_type() { MPI_Type_free(&type_); }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_{};
};

constexpr std::string_view counted_as = "points to planes";

std::size_t bytes_of_point(const point_vector& vector) {
  return static_cast<std::size_t>(vector.layout.components) * vector.value_bytes();
}

}  // namespace

/// The messages of one round. In a round, every rank processes some of its planes.
struct plane_points::round {
  std::int64_t begin = 0, end = 0;         // range of planes of this rank
  std::vector<int> sent, sent_at;          // number and offset of the points for each rank
  std::vector<std::int32_t> from;          // local number of the first point for each rank
  std::vector<int> received, received_at;  // number and offset of the points from each rank
  std::vector<std::int32_t> place;         // index of each received point in `ids`
  std::vector<std::int64_t> ids;           // ids of the points in the planes, in ascending order
};

plane_points::plane_points(const block& where, const voxel::run_set& points, bool are_nodes)
    : comm_(where.comm), shape_(where.domain), origin_(where.owned.begin), points_(points) {
  if (are_nodes) shape_ = shape_ + index3{1, 1, 1};
  const int ranks = comm::size(comm_), rank = comm::rank(comm_);
  for (std::int64_t r = 0; r < ranks; ++r)
    first_.push_back(where.is_planes() ? where.boxes->box_of(static_cast<int>(r)).begin.z : shape_.z * r / ranks);
  first_.push_back(shape_.z);
  step_ = std::max<std::int64_t>(1, points_per_round / (shape_.y * shape_.x));
  for (int r = 0; r < ranks; ++r) {
    const auto i = static_cast<std::size_t>(r);
    rounds_ = std::max(rounds_, (first_[i + 1] - first_[i] + step_ - 1) / step_);
  }
  per_plane_.assign(static_cast<std::size_t>(shape_.z), 0);
  for (std::int64_t i = 0; i < rounds_; ++i)
    for (const std::int64_t id : make_round(i).ids) ++per_plane_[static_cast<std::size_t>(id / (shape_.y * shape_.x))];
  const auto own = static_cast<std::size_t>(rank);
  std::vector<int> count, at;
  for (std::size_t r = 0; r + 1 < first_.size(); ++r) {
    count.push_back(static_cast<int>(first_[r + 1] - first_[r]));
    at.push_back(static_cast<int>(first_[r]));
  }
  MPI_Allgatherv(MPI_IN_PLACE, count[own], MPI_INT64_T, per_plane_.data(), count.data(), at.data(), MPI_INT64_T, comm_);
}

plane_points::round plane_points::make_round(std::int64_t number) const {
  const auto ranks = first_.size() - 1;
  const auto planes_of = [&](std::size_t r) {
    const std::int64_t begin = std::min(first_[r] + number * step_, first_[r + 1]);
    return std::pair{begin, std::min(begin + step_, first_[r + 1])};
  };
  round r;
  std::tie(r.begin, r.end) = planes_of(static_cast<std::size_t>(comm::rank(comm_)));
  std::vector<std::int64_t> ids;  // ids of the points of this rank
  for (std::size_t to = 0; to < ranks; ++to) {
    const auto [begin, end] = planes_of(to);
    const std::int64_t low = std::clamp<std::int64_t>(begin - origin_.z, 0, points_.shape().z);
    const std::int64_t high = std::clamp<std::int64_t>(end - origin_.z, low, points_.shape().z);
    r.from.push_back(points_.plane_begin(low));
    r.sent_at.push_back(static_cast<int>(ids.size()));
    for (std::int64_t z = low; z < high; ++z)
      for (const voxel::run& run : points_.plane(z)) {
        const index3 at = origin_ + index3{run.z, run.y, run.x};
        const std::int64_t first = (at.z * shape_.y + at.y) * shape_.x + at.x;
        for (std::int32_t i = 0; i < run.length; ++i) ids.push_back(first + i);
      }
    r.sent.push_back(static_cast<int>(ids.size()) - r.sent_at.back());
  }
  r.received.resize(ranks);
  MPI_Alltoall(r.sent.data(), 1, MPI_INT, r.received.data(), 1, MPI_INT, comm_);
  int total = 0;
  for (const int n : r.received) {
    r.received_at.push_back(total);
    total += n;
  }
  std::vector<std::int64_t> arrived(static_cast<std::size_t>(total));
  MPI_Alltoallv(ids.data(), r.sent.data(), r.sent_at.data(), MPI_INT64_T, arrived.data(), r.received.data(),
                r.received_at.data(), MPI_INT64_T, comm_);
  r.ids = arrived;
  for (std::size_t from = 1; from < ranks; ++from)  // the ids from each rank are in ascending order
    std::inplace_merge(r.ids.begin(), r.ids.begin() + r.received_at[from],
                       r.ids.begin() + r.received_at[from] + r.received[from]);
  r.ids.erase(std::unique(r.ids.begin(), r.ids.end()), r.ids.end());
  r.place.resize(arrived.size());
  for (std::size_t from = 0; from < ranks; ++from) {
    std::int32_t place = 0;
    for (int i = r.received_at[from]; i < r.received_at[from] + r.received[from]; ++i) {
      while (r.ids[static_cast<std::size_t>(place)] != arrived[static_cast<std::size_t>(i)]) ++place;
      r.place[static_cast<std::size_t>(i)] = place;
    }
  }
  return r;
}

void plane_points::pack(const round& r, const point_vector& vector, std::vector<std::byte>& bytes, bool unpack) const {
  const node_layout& l = vector.layout;
  std::visit(
      [&](auto values) {
        using value = typename decltype(values)::value_type;
        std::byte* at = bytes.data();
        for (std::size_t to = 0; to < r.sent.size(); ++to)
          for (std::int64_t i = r.from[to]; i < r.from[to] + r.sent[to]; ++i)
            for (int c = 0; c < l.components; ++c, at += sizeof(value)) {
              value* own = values.data() + c * l.component_stride + i * l.node_stride;
              unpack ? std::memcpy(own, at, sizeof(value)) : std::memcpy(at, own, sizeof(value));
            }
      },
      vector.values);
}

std::int64_t plane_points::most_points_at_once() const {
  if (per_plane_.empty()) return 0;
  return std::min(step_ * *std::max_element(per_plane_.begin(), per_plane_.end()),
                  std::accumulate(per_plane_.begin(), per_plane_.end(), std::int64_t{0}));
}

void plane_points::gather(const point_vector& vector, const taker& take) const {
  const std::size_t width = bytes_of_point(vector);
  const point_type type(width);
  for (std::int64_t i = 0; i < rounds_; ++i) {
    const round r = make_round(i);
    std::vector<std::byte> own(static_cast<std::size_t>(r.sent_at.back() + r.sent.back()) * width);
    pack(r, vector, own, false);
    std::vector<std::byte> arrived(r.place.size() * width), values(r.ids.size() * width);
    {
      const auto counted = comm::counted_call::all_to_all(comm_, counted_as, r.sent, r.received, width);
      MPI_Alltoallv(own.data(), r.sent.data(), r.sent_at.data(), type.get(), arrived.data(), r.received.data(),
                    r.received_at.data(), type.get(), comm_);
    }
    for (std::size_t k = 0; k < r.place.size(); ++k)
      std::memcpy(values.data() + static_cast<std::size_t>(r.place[k]) * width, arrived.data() + k * width, width);
    if (r.begin < r.end) take(r.begin, r.end - r.begin, values);
  }
}

void plane_points::scatter(const point_vector& vector, const giver& give) const {
  const std::size_t width = bytes_of_point(vector);
  const point_type type(width);
  for (std::int64_t i = 0; i < rounds_; ++i) {
    const round r = make_round(i);
    std::vector<std::byte> values(r.ids.size() * width), sent(r.place.size() * width);
    if (r.begin < r.end) give(r.begin, r.end - r.begin, values);
    for (std::size_t k = 0; k < r.place.size(); ++k)
      std::memcpy(sent.data() + k * width, values.data() + static_cast<std::size_t>(r.place[k]) * width, width);
    std::vector<std::byte> own(static_cast<std::size_t>(r.sent_at.back() + r.sent.back()) * width);
    {
      const auto counted = comm::counted_call::all_to_all(comm_, counted_as, r.received, r.sent, width);
      MPI_Alltoallv(sent.data(), r.received.data(), r.received_at.data(), type.get(), own.data(), r.sent.data(),
                    r.sent_at.data(), type.get(), comm_);
    }
    pack(r, vector, own, true);
  }
}

}  // namespace osteon::grid
