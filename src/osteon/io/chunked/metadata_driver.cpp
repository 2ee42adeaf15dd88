#include <osteon/io/chunked/metadata_driver.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <osteon/io/file_descriptor.hpp>

namespace osteon::io {
namespace {

struct driven_file {
  H5FD_t common{};  ///< must be the first member: HDF5 accesses this part
  int descriptor = -1;
  haddr_t end_of_space = 0, end_of_file = 0;
  struct stat status{};
  int error = 0;
};

driven_file& of(H5FD_t* file) { return *reinterpret_cast<driven_file*>(file); }
const driven_file& of(const H5FD_t* file) { return *reinterpret_cast<const driven_file*>(file); }

H5FD_t* open(const char* name, unsigned flags, hid_t, haddr_t) {
  auto* file = new (std::nothrow) driven_file;
  if (!file) return nullptr;
  file->descriptor = ::open(name, ((flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (file->descriptor < 0 || ::fstat(file->descriptor, &file->status) != 0) {
    if (file->descriptor >= 0) ::close(file->descriptor);
    delete file;
    return nullptr;
  }
  file->end_of_file = static_cast<haddr_t>(file->status.st_size);
  return &file->common;
}

herr_t close(H5FD_t* file) {
  ::close(of(file).descriptor);
  delete &of(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto key = [](const H5FD_t* f) { return std::pair(of(f).status.st_dev, of(f).status.st_ino); };
  return key(a) < key(b) ? -1 : key(b) < key(a) ? 1 : 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of_space(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_space; }
herr_t set_end_of_space(H5FD_t* file, H5FD_mem_t, haddr_t at) {
  of(file).end_of_space = at;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_file; }

herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = &of(file).error;
  return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* buffer) {
  const std::int64_t got =
      read_at(of(file).descriptor, buffer, static_cast<std::int64_t>(size), static_cast<std::int64_t>(at));
  if (got < 0) return -1;
  // HDF5 requires zeros beyond the end of the file.
  std::memset(static_cast<char*>(buffer) + got, 0, size - static_cast<std::size_t>(got));
  return 0;
}

herr_t write_block(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t at, std::size_t size, const void* buffer) {
  driven_file& f = of(file);
  f.end_of_file = std::max(f.end_of_file, at + size);
  if (type == H5FD_MEM_DRAW) return 0;
  if (f.error == 0 && !write_at(f.descriptor, buffer, static_cast<std::int64_t>(size), static_cast<std::int64_t>(at)))
    f.error = errno;
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  driven_file& f = of(file);
  // Other ranks may have written up to the end of the allocated space, but not beyond this end.
  if (f.error == 0 && ::ftruncate(f.descriptor, static_cast<off_t>(f.end_of_space)) != 0) f.error = errno;
  f.end_of_file = f.end_of_space;
  return 0;
}

H5FD_class_t describe() {
  H5FD_class_t c{};
#if H5_VERSION_GE(1, 14, 0)
  c.version = H5FD_CLASS_VERSION;
  c.value = static_cast<H5FD_class_value_t>(600);  // values from 512 are for drivers not registered with the HDF Group
#endif
  c.name = "osteon_index";
  c.maxaddr = (haddr_t{1} << 62) - 1;
  c.fc_degree = H5F_CLOSE_WEAK;
  c.open = open;
  c.close = close;
  c.cmp = compare;
  c.query = query;
  c.get_eoa = end_of_space;
  c.set_eoa = set_end_of_space;
  c.get_eof = end_of_file;
  c.get_handle = get_handle;
  c.read = read;
  c.write = write_block;
  c.truncate = truncate;
  const H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), std::begin(c.fl_map));
  return c;
}

}  // namespace

index_driver::index_driver() {
  const H5FD_class_t c = describe();
  id_ = H5FDregister(&c);
}

index_driver::~index_driver() {
  if (id_ >= 0) H5FDunregister(id_);
}

std::string index_driver::failure(hid_t file) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle) return "HDF5 has closed the file";
  const int error = *static_cast<const int*>(handle);
  return error == 0 ? "" : std::strerror(error);
}

}  // namespace osteon::io
