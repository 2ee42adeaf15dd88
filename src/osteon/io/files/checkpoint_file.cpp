#include <osteon/io/files/checkpoint_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <osteon/base/digest.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/file_descriptor.hpp>
#include <osteon/io/temporary_file.hpp>

namespace osteon::io {

namespace {

// The file is accessed by POSIX calls, because MPI-IO may ignore a failed write.
class plain_file {
 public:
  plain_file(const std::string& name, int flags, error_kind kind) : name_(name), kind_(kind), file_(name, flags) {
    if (file_ < 0) fail("open");
  }

  void write(std::span<const std::byte> bytes, std::int64_t at) const {
    if (!write_at(file_, bytes.data(), std::ssize(bytes), at)) fail("write");
  }
  void read(std::span<std::byte> bytes, std::int64_t at) const {
    const std::int64_t count = read_at(file_, bytes.data(), std::ssize(bytes), at);
    if (count < 0) fail("read");
    if (count < std::ssize(bytes)) throw data_error(fmt::format("checkpoint '{}': truncated file", name_));
  }
  void sync() const {
    if (::fsync(file_) != 0) fail("sync");
  }

 private:
  [[noreturn]] void fail(const char* action) const {
    throw_error(kind_,
                fmt::format("cannot {} the checkpoint '{}': {}; free space on the disk, or change checkpoint.directory",
                            action, name_, std::strerror(errno)));
  }
  std::string name_;
  error_kind kind_;
  file_descriptor file_;
};

void check_plane(const std::string& path, const checkpoint_index::vector& v, std::int64_t z,
                 std::span<const std::byte> values) {
  const auto i = static_cast<std::size_t>(z) * sha256_digits;
  if (std::string_view(v.digests).substr(i, sha256_digits) != sha256_of(values))
    throw data_error(
        fmt::format("checkpoint '{}': vector '{}' is damaged: plane {} does not match its digest", path, v.name, z));
}

// Call f(plane, bytes of the plane) for planes with contiguous values.
template <class Bytes, class F>
void for_each_plane(std::span<const std::int64_t> per_plane, std::int64_t first, std::int64_t planes, std::int64_t width,
                    Bytes values, F f) {
  std::size_t at = 0;
  for (std::int64_t z = first; z < first + planes; ++z) {
    const auto bytes = static_cast<std::size_t>(per_plane[static_cast<std::size_t>(z)] * width);
    f(z, values.subspan(at, bytes));
    at += bytes;
  }
}

// First point of each plane, and the number of points.
std::vector<std::int64_t> begins(std::span<const std::int64_t> per_plane) {
  std::vector<std::int64_t> sum{0};
  for (const std::int64_t n : per_plane) sum.push_back(sum.back() + n);
  return sum;
}

// Gather the digests of all planes on rank 0. Exactly one rank has each digest; the other ranks have zeros in its place.
void collect(MPI_Comm comm, std::string& digests) {
  const bool root = comm::rank(comm) == 0;
  constexpr std::size_t largest = std::size_t{1} << 26;
  for (std::size_t at = 0; at < digests.size(); at += largest)
    MPI_Reduce(root ? MPI_IN_PLACE : digests.data() + at, digests.data() + at,
               static_cast<int>(std::min(largest, digests.size() - at)), MPI_BYTE, MPI_BOR, 0, comm);
}

}  // namespace

std::int64_t write_checkpoint(const std::string& path, const grid::plane_points& points,
                              std::span<const grid::point_vector> vectors, const nlohmann::ordered_json& facts) {
  const MPI_Comm comm = points.comm();
  const bool root = comm::rank(comm) == 0;
  checkpoint_index index;
  index.shape = points.shape();
  index.per_plane.assign(points.per_plane().begin(), points.per_plane().end());
  index.facts = facts;
  const std::size_t all_digests = index.per_plane.size() * sha256_digits;
  for (const grid::point_vector& v : vectors) {
    // Reject data that the reader would reject. The result is equal on all ranks.
    if (v.layout.components < 1 || v.layout.components > most_components)
      throw usage_error(fmt::format("vector '{}' of a checkpoint: {} components per point; must be 1 to {}", v.name,
                                    v.layout.components, most_components));
    index.vectors.push_back(
        {v.name, v.layout.components, static_cast<int>(v.value_bytes()), std::string(all_digests, '\0')});
  }
  const std::int64_t payload = index.lay_out();

  std::optional<temporary_file> temporary;
  std::string name;
  comm::collectively(comm, [&] {
    if (!root) return;
    temporary.emplace(path);
    name = temporary->name();
    reserve_space(name, payload + static_cast<std::int64_t>(vectors.size() * all_digests) + (1 << 16));
  });
  name = comm::broadcast(comm, std::move(name));
  std::optional<plain_file> file;
  comm::collectively(comm, [&] { file.emplace(name, O_WRONLY, error_kind::machine); });
  const std::vector<std::int64_t> begin = begins(index.per_plane);
  comm::outcome fault;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    auto& v = index.vectors[i];
    if (vectors[i].fill) vectors[i].fill();
    points.gather(vectors[i], [&](std::int64_t first, std::int64_t planes, std::span<const std::byte> values) {
      comm::attempt(fault, [&] {
        for_each_plane(index.per_plane, first, planes, v.bytes(), values, [&](std::int64_t z, auto plane) {
          v.digests.replace(static_cast<std::size_t>(z) * sha256_digits, sha256_digits, sha256_of(plane));
        });
        file->write(values, v.offset + begin[static_cast<std::size_t>(first)] * v.bytes());
      });
    });
    collect(comm, v.digests);
  }
  comm::attempt(fault, [&] { file->sync(); });
  comm::throw_first_error(comm, fault);
  std::int64_t bytes = 0;
  comm::collectively(comm, [&] {
    if (!root) return;
    const std::string end = seal_checkpoint(index);
    file->write(std::as_bytes(std::span(end)), payload);
    release_reserve(name);
    bytes = size_of_file(name);
    temporary->commit();
  });
  MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, comm);
  return bytes;
}

namespace {

void verify(const std::string& path, const checkpoint_index& index, int rank, int ranks) {
  const plain_file file(path, O_RDONLY, error_kind::data);
  const std::vector<std::int64_t> begin = begins(index.per_plane);
  std::vector<std::byte> values;
  for (const auto& v : index.vectors)
    for (std::int64_t z = rank; z < index.shape.z; z += ranks) {
      const auto i = static_cast<std::size_t>(z);
      values.resize(static_cast<std::size_t>(index.per_plane[i] * v.bytes()));
      file.read(values, v.offset + begin[i] * v.bytes());
      check_plane(path, v, z, values);
    }
}

}  // namespace

void verify_checkpoint(const std::string& path, const checkpoint_index& index) { verify(path, index, 0, 1); }

void verify_checkpoint(MPI_Comm comm, const std::string& path, const checkpoint_index& index) {
  comm::collectively(comm, [&] { verify(path, index, comm::rank(comm), comm::size(comm)); });
}

void read_checkpoint(const std::string& path, const checkpoint_index& index, const grid::plane_points& points,
                     std::span<const grid::point_vector> vectors) {
  const MPI_Comm comm = points.comm();
  std::optional<plain_file> file;
  comm::collectively(comm, [&] {
    if (index.shape != points.shape() ||
        !std::equal(index.per_plane.begin(), index.per_plane.end(), points.per_plane().begin(), points.per_plane().end()))
      throw data_error(fmt::format("checkpoint '{}' belongs to another model: its points differ", path));
    file.emplace(path, O_RDONLY, error_kind::data);
  });
  const std::vector<std::int64_t> begin = begins(index.per_plane);
  for (const grid::point_vector& vector : vectors) {
    const checkpoint_index::vector* v = nullptr;
    for (const auto& candidate : index.vectors)
      if (candidate.name == vector.name && candidate.components == vector.layout.components &&
          candidate.value_bytes == static_cast<int>(vector.value_bytes()))
        v = &candidate;
    comm::collectively(comm, [&] {
      if (!v) throw data_error(fmt::format("checkpoint '{}': missing vector '{}'", path, vector.name));
    });
    comm::outcome fault;
    points.scatter(vector, [&](std::int64_t first, std::int64_t planes, std::span<std::byte> values) {
      comm::attempt(fault, [&] {
        file->read(values, v->offset + begin[static_cast<std::size_t>(first)] * v->bytes());
        for_each_plane(index.per_plane, first, planes, v->bytes(), values,
                       [&](std::int64_t z, auto plane) { check_plane(path, *v, z, plane); });
      });
    });
    comm::throw_first_error(comm, fault);
  }
}

}  // namespace osteon::io
