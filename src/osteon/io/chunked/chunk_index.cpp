#include <osteon/io/chunked/chunk_index.hpp>

#include <fmt/format.h>
#include <hdf5.h>

#include <map>
#include <osteon/io/chunked/metadata_driver.hpp>

namespace osteon::io {
namespace {

/// HDF5 handle with its closing function.
class handle {
 public:
  using closing = herr_t (*)(hid_t);
  handle(hid_t id, closing close) : id_(id), close_(close) {}
  handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  handle& operator=(handle&&) = delete;
  ~handle() { close(); }
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  closing close_;
};

void check(bool good, const std::string& action, const std::string& name) {
  if (!good) throw machine_error(fmt::format("cannot {} in '{}': HDF5 error", action, name));
}

/// An open file and its variables, each opened once.
struct open_file {
  std::string name;
  handle file;
  std::map<std::string, handle> datasets;

  hid_t dataset(const plane_variable& v) {
    const std::string path = fmt::format("/VTKHDF/{}/{}", v.on_nodes ? "PointData" : "CellData", v.name);
    const auto known = datasets.find(path);
    if (known != datasets.end()) return known->second.get();
    handle opened(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    check(opened.get() >= 0, fmt::format("open '{}'", v.name), name);
    return datasets.emplace(path, std::move(opened)).first->second.get();
  }
};

std::vector<hsize_t> corner(const plane_variable& v, std::int64_t first_plane) {
  std::vector<hsize_t> at(1 + v.plane_shape.size(), 0);
  at[0] = static_cast<hsize_t>(first_plane);
  return at;
}

chunk_places::place find_place(hid_t dataset, const plane_variable& v, std::int64_t first_plane) {
  const handle properties(H5Dget_create_plist(dataset), H5Pclose);
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  unsigned skipped_filters = 0;
  if (H5Pget_layout(properties.get()) == H5D_CONTIGUOUS) {
    address = H5Dget_offset(dataset);
    if (address != HADDR_UNDEF) address += static_cast<haddr_t>(first_plane * v.bytes_per_plane());
  } else if (H5Dget_chunk_info_by_coord(dataset, corner(v, first_plane).data(), &skipped_filters, &address, &bytes) < 0 ||
             skipped_filters != 0) {
    address = HADDR_UNDEF;
  }
  return address == HADDR_UNDEF ? chunk_places::place{}
                                : chunk_places::place{static_cast<std::int64_t>(address), static_cast<std::int64_t>(bytes)};
}

}  // namespace

struct chunk_index::state {
  index_driver driver;
  std::unique_ptr<open_file> open;
  std::unique_ptr<std::byte[]> nothing;  ///< placeholder data for HDF5; the driver does not read this data
  std::int64_t nothing_bytes = 0;
};

chunk_index::chunk_index(const std::string& name, std::int64_t alignment_bytes) : state_(std::make_unique<state>()) {
  const handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  constexpr hsize_t threshold = 1 << 16;  // smaller objects are not aligned
  bool good = state_->driver.use_for(access.get()) &&
              H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0;  // as in netCDF
  if (alignment_bytes > 1)
    good = good && H5Pset_alignment(access.get(), threshold, static_cast<hsize_t>(alignment_bytes)) >= 0;
  check(good, "set up the index of chunks", name);
  handle file(H5Fopen(name.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
  check(file.get() >= 0, "open the index of chunks", name);
  state_->open.reset(new open_file{name, std::move(file), {}});
}

chunk_index::~chunk_index() = default;

std::int64_t chunk_index::place_chunk(const plane_variable& v, std::int64_t first_plane, std::int64_t bytes) {
  if (bytes > state_->nothing_bytes) {
    state_->nothing = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    state_->nothing_bytes = bytes;
  }
  const hid_t dataset = state_->open->dataset(v);
  const std::string action = fmt::format("allocate space for '{}'", v.name);
  check(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, corner(v, first_plane).data(), static_cast<std::size_t>(bytes),
                       state_->nothing.get()) >= 0,
        action, state_->open->name);
  const chunk_places::place found = find_place(dataset, v, first_plane);
  check(found.bytes == bytes && found.address > 0, action, state_->open->name);
  return found.address;
}

void store_chunks(std::int64_t file, const plane_variable& v, const encoded_piece& piece, const std::string& name) {
  const std::string path = fmt::format("/VTKHDF/{}/{}", v.on_nodes ? "PointData" : "CellData", v.name);
  const handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  check(dataset.get() >= 0, fmt::format("open '{}'", v.name), name);
  for (std::size_t i = 0; i < piece.chunks.size(); ++i)
    check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, corner(v, piece.chunks[i].first_plane).data(), piece.bytes[i].size(),
                         piece.bytes[i].data()) >= 0,
          fmt::format("write the voxels of '{}'", v.name), name);
}

std::int64_t chunk_index::place_all(const plane_variable& v) {
  const hid_t dataset = state_->open->dataset(v);
  const std::string action = fmt::format("allocate space for '{}'", v.name);
  const std::vector<hsize_t> one(1 + v.plane_shape.size(), 1);
  const handle in_file(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose),
      in_memory(H5Screate_simple(static_cast<int>(one.size()), one.data(), nullptr), H5Sclose);
  const double value = 0;  // writing a value allocates the space; the driver discards the value
  const bool good =
      H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, corner(v, 0).data(), nullptr, one.data(), nullptr) >= 0 &&
      H5Dwrite(dataset, type.get(), in_memory.get(), in_file.get(), H5P_DEFAULT, &value) >= 0;
  const chunk_places::place found = find_place(dataset, v, 0);
  check(good && found.address > 0, action, state_->open->name);
  return found.address;
}

void chunk_index::close() {
  open_file& open = *state_->open;
  open.datasets.clear();
  const bool flushed = H5Fflush(open.file.get(), H5F_SCOPE_LOCAL) >= 0;
  const std::string failure = index_driver::failure(open.file.get());
  const bool closed = open.file.close();
  if (!failure.empty()) throw machine_error(fmt::format("cannot write the metadata of '{}': {}", open.name, failure));
  check(flushed && closed, "write the index of chunks", open.name);
}

struct chunk_places::state {
  open_file open;
};

chunk_places::chunk_places(const std::string& name)
    : state_(new state{open_file{name, handle(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose), {}}}) {
  check(state_->open.file.get() >= 0, "read the index of chunks", name);
}

chunk_places::~chunk_places() = default;

chunk_places::place chunk_places::of(const plane_variable& v, std::int64_t first_plane) {
  return find_place(state_->open.dataset(v), v, first_plane);
}

}  // namespace osteon::io
