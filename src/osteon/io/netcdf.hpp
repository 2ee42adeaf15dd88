#pragma once
/// @file
/// netCDF functions, and the common parts of the schemas of models and results (internal to io; docs/reference/format.md).
#include <cstdint>
#include <functional>
#include <osteon/base/box.hpp>
#include <osteon/base/error.hpp>
#include <osteon/io/storage.hpp>
#include <osteon/voxel/model.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::io {

inline constexpr const char* model_schema = "osteon-model 1.0";
inline constexpr const char* result_schema = "osteon-result 1.0";
inline constexpr std::size_t digest_length = 16;  ///< hexadecimal XXH3, or in older files XXH64
inline constexpr const char* planes_attribute = "planes_per_digest";
inline constexpr const char* digest_attribute = "digest";
inline constexpr const char* digest_name = "XXH3_64";
inline constexpr unsigned zstd_filter = 32015;  ///< number registered with the HDF Group

/// Throw an error of `kind` unless a netCDF call succeeded.
void check_netcdf(int status, const std::string& action, error_kind kind = error_kind::machine);

/// Define a group, a dimension or a variable. Empty attributes of a variable are omitted.
/// @return ID @throws machine_error
int define_group(int parent, const std::string& name);
int define_dimension(int group, const std::string& name, std::size_t length);
int define_variable(int group, const std::string& name, int type, std::span<const int> dimensions,
                    const std::string& long_name = "", const std::string& units = "");
/// ID of a variable. @throws machine_error if the variable is missing
int find_variable(int group, const std::string& name);

/// Path for netCDF. @throws usage_error if the path contains a backslash, which netCDF replaces by a slash
const char* netcdf_path(const std::string& path);

/// Number of planes of a chunk of about 2 MiB. The number depends on the shape only, not on the number of ranks.
std::int64_t planes_per_chunk(std::int64_t planes, std::int64_t bytes_per_plane);

/// Check shape, spacing and origin of models and results. Call this function before allocation.
/// @param components maximum number of components of a node field
/// @throws data_error
void check_geometry(index3 shape, vector3 spacing_mm, vector3 origin_mm, int components = 3);

/// Variable stored in chunks of complete planes.
struct plane_variable {
  std::string name;
  int type = 0;  ///< NC_UBYTE, NC_USHORT or NC_FLOAT
  bool on_nodes = false;
  int group = -1, id = -1;               ///< IDs in the open file; -1 on ranks that do not access the file
  std::int64_t planes = 0;               ///< first extent
  std::vector<std::size_t> plane_shape;  ///< further extents
  std::int64_t element_bytes = 1;
  std::int64_t chunk_planes = 1;
  std::int64_t bytes_per_plane() const;
  std::int64_t chunks() const { return (planes + chunk_planes - 1) / chunk_planes; }
};

/// Groups and dimensions of a file under definition.
struct layout {
  int file = -1, vtk = -1, cells = -1, points = -1, integrity = -1;
  int z = -1, y = -1, x = -1, zn = -1, yn = -1, xn = -1, component = -1, hex = -1;
};

/// Define dimensions, coordinates, groups, VTKHDF attributes and global attributes with `complete` = 0.
layout define_layout(int file, const voxel::model_header& header, const char* schema, bool with_nodes,
                     const std::vector<std::pair<std::string, std::string>>& attributes);

/// Create the description of a variable of an image of `shape`. The variable is not defined in a file.
plane_variable make_plane_variable(const std::string& name, int type, bool on_nodes, int components, index3 shape);

/// Define a variable with the given storage, and the variable of its digests.
void define_plane_variable(const layout& where, plane_variable& variable, const storage& options);
/// netCDF type of the material numbers of voxels: bytes if sufficient, otherwise 16-bit integers.
int material_type(const voxel::material_table& materials);
/// Create the description of the variable `material`.
plane_variable make_material_variable(const voxel::model_header& header);
void define_material_attributes(const plane_variable& variable, const voxel::material_table& materials);
/// True if the digests in a variable of `/integrity` are XXH3; the digests of older files are XXH64.
bool has_new_digests(int group, int variable);
void put_text(int group, int variable, const char* name, const std::string& text);

/// Open file. The destructor closes only files opened for reading. A file opened for writing without a call of close()
/// indicates that writing has failed. The library would crash on closing such a file (SIGSEGV on a full disk).
class netcdf_file {
 public:
  enum class use { reading, writing };
  explicit netcdf_file(int id, use mode = use::reading) : id_(id), mode_(mode) {}
  netcdf_file(netcdf_file&& other) noexcept : id_(std::exchange(other.id_, -1)), mode_(other.mode_) {}
  netcdf_file& operator=(netcdf_file&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(mode_, other.mode_);
    return *this;
  }
  ~netcdf_file();
  /// Close the file.
  /// @param after called with an HDF5 handle of the file, open for writing, after netCDF has closed the file
  /// @throws machine_error
  void close(const std::function<void(std::int64_t file)>& after = {});
  int id() const { return id_; }

 private:
  int id_;
  use mode_;
};

/// Open a file for reading. @param kind kind of the file, for messages @throws data_error if the file does not exist or has
/// another format
netcdf_file open_to_read(const std::string& path, const char* kind = "");

/// Write coordinates and digests to a closed file, then the digest of the metadata, and finally `complete` = 1. Exactly one
/// process calls this function.
/// @param digests digests of the chunks of each variable, digest_length characters per chunk
void finish_file(const std::string& name, const voxel::model_header& header, bool with_nodes,
                 std::span<const plane_variable> variables, std::span<const std::string> digests);

/// Disable the clean-up of HDF5 at exit and in MPI_Finalize. Call this function before MPI is initialised.
///
/// Every file is closed at the end of writing. If a file is still open at exit, a write has failed. The exit handler of HDF5
/// would repeat the failed write and crash (SIGSEGV on a full disk).
void leave_hdf5_at_exit();

}  // namespace osteon::io
