#include <studies/subdomain_mapping/block/face_halo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/datatype.hpp>

namespace osteon::studies {

namespace {

// The layer of cells at a face. The layer consists of the outermost cells of the block, or of the ghosts beyond these cells.
box3 layer_at(index3 shape, face side, bool ghosts) {
  box3 layer{{}, shape};
  const std::int64_t outermost = side.upper ? shape[side.axis] - 1 : 0;
  layer.begin[side.axis] = outermost + (ghosts ? (side.upper ? 1 : -1) : 0);
  layer.end[side.axis] = layer.begin[side.axis] + 1;
  return layer;
}

// Call row(first cell of a row of the layer, position of this cell in the packed layer, number of cells). Threads process
// different rows.
template <class Row>
void for_rows(const box3& layer, Row row) {
  const index3 shape = layer.shape();
#pragma omp parallel for schedule(static) if (layer.volume() > 1 << 15)
  for (std::int64_t n = 0; n < shape.z * shape.y; ++n)
    row({layer.begin.z + n / shape.y, layer.begin.y + n % shape.y, layer.begin.x}, n * shape.x, shape.x);
}

}  // namespace

template <class T>
face_halo<T>::face_halo(MPI_Comm comm, const cartesian& where) : comm_(comm::communicator::duplicate(comm)) {
  const int rank = comm_.rank(), ranks = comm_.size();
  if (where.ranks().volume() != ranks)
    throw usage_error(
        fmt::format("a grid of {} boxes for {} ranks; each rank must have one", where.ranks().volume(), ranks));
  const index3 largest = where.box_of(ranks - 1).shape();  // the last rank has the largest box
  for (const face side : faces)
    if ((largest + index3{1, 1, 1}).volume() / (largest[side.axis] + 1) > std::numeric_limits<int>::max())
      throw usage_error(fmt::format("blocks of {} x {} x {} cells have faces of more than 2^31 - 1; use more ranks",
                                    largest.x, largest.y, largest.z));
  std::vector<MPI_Request> sends;
  for (const face side : faces) {
    const int other = where.neighbour(rank, side);
    if (other < 0) continue;
    const auto count = where.cells_of(rank, side);
    buffers& b = buffers_[static_cast<std::size_t>(side.number())];
    b.sent.resize(static_cast<std::size_t>(count));
    b.received.resize(static_cast<std::size_t>(count));
    bytes_ += count * static_cast<std::int64_t>(sizeof(T));
    // The tag of a message is the number of the face through which the message leaves the block.
    MPI_Recv_init(b.received.data(), static_cast<int>(count), comm::datatype<T>(), other, side.opposite().number(),
                  comm_.get(), &requests_.emplace_back());
    MPI_Send_init(b.sent.data(), static_cast<int>(count), comm::datatype<T>(), other, side.number(), comm_.get(),
                  &sends.emplace_back());
  }
  requests_.insert(requests_.end(), sends.begin(), sends.end());
}

template <class T>
face_halo<T>::~face_halo() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized)
    for (MPI_Request& r : requests_) MPI_Request_free(&r);
}

template <class T>
void face_halo<T>::start(ghosted_view<const T> block) {
  if (requests_.empty()) return;
  const auto half = requests_.size() / 2;
  MPI_Startall(static_cast<int>(half), requests_.data());
  std::size_t n = half;
  for (const face side : faces) {
    if (!has(side)) continue;
    T* const packed = buffers_[static_cast<std::size_t>(side.number())].sent.data();
    for_rows(layer_at(block.shape(), side, false),
             [&](index3 at, std::int64_t place, std::int64_t count) { std::copy_n(block.at(at), count, packed + place); });
    MPI_Start(&requests_[n++]);  // the message is sent while the next face is packed
  }
}

template <class T>
void face_halo<T>::finish(ghosted_view<T> block) {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (const face side : faces) {
    if (!has(side)) continue;
    const T* const packed = buffers_[static_cast<std::size_t>(side.number())].received.data();
    for_rows(layer_at(block.shape(), side, true),
             [&](index3 at, std::int64_t place, std::int64_t count) { std::copy_n(packed + place, count, block.at(at)); });
  }
}

template class face_halo<float>;
template class face_halo<double>;

}  // namespace osteon::studies
