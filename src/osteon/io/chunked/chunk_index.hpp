#pragma once
/// @file
/// Addresses of the chunks of a file in the HDF5 index, written by one process (internal to io).
///
/// HDF5 writes compressed chunks in parallel only by collective calls that run zlib. HDF5 cannot allocate space without
/// writing (HDFGroup/hdf5#2008). Therefore one process writes all metadata through index_driver, and the ranks write the
/// chunks to the allocated addresses.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <osteon/io/chunked/encode_chunks.hpp>
#include <osteon/io/netcdf.hpp>
#include <string>

namespace osteon::io {

/// Allocates space in a closed netCDF file. @collective local
class chunk_index {
 public:
  /// @param alignment_bytes alignment of chunks; 0: none @throws machine_error
  chunk_index(const std::string& name, std::int64_t alignment_bytes);
  ~chunk_index();
  chunk_index(const chunk_index&) = delete;
  chunk_index& operator=(const chunk_index&) = delete;

  /// Allocate a chunk. @return address in the file @throws machine_error
  std::int64_t place_chunk(const plane_variable& v, std::int64_t first_plane, std::int64_t bytes);
  /// Allocate a contiguous variable. @return address in the file @throws machine_error
  std::int64_t place_all(const plane_variable& v);
  /// Write the index. @throws machine_error
  void close();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Write encoded chunks to an open HDF5 file, in order. @param name name of the file for messages @throws machine_error
/// @collective local
void store_chunks(std::int64_t file, const plane_variable& v, const encoded_piece& piece, const std::string& name);

/// Reads the addresses of the chunks of a closed file. @collective local
class chunk_places {
 public:
  /// @throws machine_error
  explicit chunk_places(const std::string& name);
  ~chunk_places();
  chunk_places(const chunk_places&) = delete;
  chunk_places& operator=(const chunk_places&) = delete;

  struct place {
    std::int64_t address = -1, bytes = 0;
  };
  /// Address and size of the chunk that begins with a plane. For a contiguous variable, the function returns the address of
  /// the plane and the size 0.
  place of(const plane_variable& v, std::int64_t first_plane);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::io
