#pragma once
/// @file
/// Addresses of the chunks of a file: HDF5's index of them, written by one process (internal to io).
///
/// HDF5 writes compressed chunks in parallel only by collective calls that run zlib, and cannot allocate space without
/// writing (HDFGroup/hdf5#2008). So one process writes all metadata, with index_driver, and the ranks write the chunks at
/// its addresses.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <osteon/io/netcdf.hpp>
#include <string>

namespace osteon::io {

/// Gives out room in a closed netCDF file. @collective local
class chunk_index {
 public:
  /// @param alignment_bytes where chunks may begin; 0: anywhere @throws machine_error
  chunk_index(const std::string& name, std::int64_t alignment_bytes);
  ~chunk_index();
  chunk_index(const chunk_index&) = delete;
  chunk_index& operator=(const chunk_index&) = delete;

  /// Room for a chunk. @return its place in the file @throws machine_error
  std::int64_t place_chunk(const plane_variable& v, std::int64_t first_plane, std::int64_t bytes);
  /// Room for all values of a variable that is not chunked. @return its place in the file @throws machine_error
  std::int64_t place_all(const plane_variable& v);
  /// Write the index. @throws machine_error
  void close();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

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
  /// Entry of the chunk that begins with a plane; without chunks the position of that plane, and no bytes.
  place of(const plane_variable& v, std::int64_t first_plane);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::io
