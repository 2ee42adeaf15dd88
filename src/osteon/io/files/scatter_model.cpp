#include <osteon/io/files/scatter_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/model_header_bytes.hpp>
#include <string>
#include <type_traits>

namespace osteon::io {
namespace {

constexpr int scatter_plane_tag = 0;

void check_plane(std::int64_t values) {
  if (values > std::numeric_limits<int>::max())
    throw data_error(fmt::format(
        "a plane of {} values exceeds the limit of an MPI message (2^31 - 1 values); use a results file", values));
}

template <class T>
void gather(const grid::block& where, bool on_nodes, int components, const plane_source<T>& make, std::span<T> values) {
  const MPI_Comm comm = where.comm;
  const MPI_Datatype type = std::is_same_v<T, float> ? MPI_FLOAT : MPI_UINT16_T;
  const index3 more = on_nodes ? index3{1, 1, 1} : index3{};
  const index3 domain = where.domain + more;
  const auto box_of = [&](int rank) {
    const box3 box = rank == comm::rank(comm) ? where.owned : where.boxes->box_of(rank);
    return box3{box.begin, box.end + more};
  };
  const index3 shape = box_of(comm::rank(comm)).shape();
  std::vector<T> own, arrived;
  comm::collectively(comm, [&] {
    check_plane(domain.y * domain.x * components);
    own.resize(at(shape.volume() * components));
    make(0, shape.z, own);
    if (comm::rank(comm) != 0) return;
    arrived.resize(at(domain.y * domain.x * components));
    if constexpr (std::is_same_v<T, float>) std::fill(values.begin(), values.end(), std::numeric_limits<T>::quiet_NaN());
  });
  const auto count_of = [&](const box3& box) { return box.shape().y * box.shape().x * components; };
  const auto put = [&](const box3& box, std::int64_t z, const T* from) {
    const std::int64_t row = box.shape().x * components;
    for (std::int64_t y = box.begin.y; y < box.end.y; ++y, from += row) {
      T* const to = values.data() + ((z * domain.y + y) * domain.x + box.begin.x) * components;
      for (std::int64_t i = 0; i < row; ++i)
        if (from[i] == from[i]) to[i] = from[i];
    }
  };
  if (comm::rank(comm) != 0) {
    const std::int64_t count = shape.y * shape.x * components;
    for (std::int64_t z = 0; z < shape.z; ++z)
      MPI_Send(own.data() + z * count, static_cast<int>(count), type, 0, scatter_plane_tag, comm);
    return;
  }
  for (int rank = 0; rank < comm::size(comm); ++rank) {
    const box3 box = box_of(rank);
    for (std::int64_t z = box.begin.z; z < box.end.z; ++z) {
      if (rank == 0) {
        put(box, z, own.data() + (z - box.begin.z) * count_of(box));
        continue;
      }
      MPI_Recv(arrived.data(), static_cast<int>(count_of(box)), type, rank, scatter_plane_tag, comm, MPI_STATUS_IGNORE);
      put(box, z, arrived.data());
    }
  }
}

}  // namespace

model_of_rank scatter_header(MPI_Comm comm, const voxel::model_header& header) {
  model_of_rank own;
  if (comm::size(comm) == 1) {
    own.header = header;
  } else {
    std::string bytes;
    comm::collectively(comm, [&] {
      if (comm::rank(comm) != 0) return;
      const std::vector<char> packed = pack(header);
      if (packed.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw data_error("the lists of materials and conditions exceed the limit of 2 GiB; use a model file");
      bytes.assign(packed.begin(), packed.end());
      check_plane(header.shape.y * header.shape.x);
    });
    bytes = comm::broadcast(comm, std::move(bytes));
    comm::collectively(comm, [&] { own.header = unpack({bytes.begin(), bytes.end()}); });
  }
  own.where = grid::make_block(comm, own.header.shape, own.header.active_per_plane);
  return own;
}

void scatter_planes(const grid::block& where, const plane_source<material_number>& make,
                    const std::function<void(std::span<const material_number> plane)>& take) {
  const MPI_Comm comm = where.comm;
  const bool root = comm::rank(comm) == 0;
  std::vector<material_number> plane;
  comm::collectively(comm, [&] { plane.resize(at(where.domain.y * where.domain.x)); });
  const int count = static_cast<int>(plane.size());
  comm::outcome fault;  // thrown after all ranks have received their planes
  for (int r = 1; root && r < comm::size(comm); ++r) {
    const box3 box = where.boxes->box_of(r);
    for (std::int64_t z = box.begin.z; z < box.end.z; ++z) {
      comm::attempt(fault, [&] { make(z, 1, plane); });
      MPI_Send(plane.data(), count, MPI_UINT16_T, r, scatter_plane_tag, comm);
    }
  }
  for (std::int64_t z = where.owned.begin.z; z < where.owned.end.z; ++z) {
    if (root)
      comm::attempt(fault, [&] { make(z, 1, plane); });
    else
      MPI_Recv(plane.data(), count, MPI_UINT16_T, 0, scatter_plane_tag, comm, MPI_STATUS_IGNORE);
    comm::attempt(fault, [&] { take(plane); });
  }
  comm::throw_first_error(comm, fault);
}

void gather_field(const grid::block& where, centring on, int components, const plane_source<float>& make,
                  std::span<float> values) {
  gather<float>(where, on == centring::node, components, make, values);
}

void gather_materials(const grid::block& where, const plane_source<material_number>& make,
                      std::span<material_number> values) {
  gather<material_number>(where, false, 1, make, values);
}

}  // namespace osteon::io
