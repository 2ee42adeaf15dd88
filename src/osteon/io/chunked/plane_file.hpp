#pragma once
/// @file
/// Parallel writing of a file of plane variables by a team of ranks (internal to io).
#include <functional>
#include <memory>
#include <osteon/io/chunked/chunk_index.hpp>
#include <osteon/io/chunked/encode_chunks.hpp>
#include <osteon/io/chunked/gather_planes.hpp>
#include <osteon/io/chunked/shared_file.hpp>
#include <osteon/io/file_report.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>

namespace osteon::io {

/// Description of the variables of a file; equal on all ranks.
struct plane_file_plan {
  voxel::model_header header;
  const char* schema = "";
  bool with_nodes = false;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< global attributes
  std::vector<plane_variable> variables;
  std::vector<plane_range> cell_planes, node_planes;  ///< planes of each rank
  std::shared_ptr<const grid::box_tree> boxes;        ///< box of the voxels of each rank
  access options;
  storage stored;
};

/// Distribution of the planes of a variable over all ranks for encoding.
plane_exchange exchange_of(MPI_Comm comm, const plane_file_plan& plan, const plane_variable& v);

/// Count the messages of writing a variable, without communication and output. Messages with encoded data to the writers are
/// not counted, because their number depends on the compression. @collective local
void count_write_messages(MPI_Comm comm, const plane_file_plan& plan, const plane_variable& v);

/// Creates a file, writes its variables, and closes and checks the file. All calls are collective.
///
/// Rank 0 defines the file and maintains its index, every rank encodes chunks, and the file team writes the chunks.
class plane_file {
 public:
  /// @param comm communicator; must outlive the object
  /// @param describe function that defines attributes of the variables; called on rank 0
  /// @throws machine_error, usage_error
  plane_file(MPI_Comm comm, const std::string& path, plane_file_plan plan,
             const std::function<void(std::span<const plane_variable>)>& describe);

  const plane_variable& variable(std::size_t index) const { return plan_.variables[index]; }
  /// Write all planes of a variable. @param make computes the values of the box of this rank
  /// @param made values of the box of this rank if they are in memory; otherwise empty
  void write(std::size_t index, const plane_source<std::byte>& make, std::span<const std::byte> made = {});
  /// Complete the file as described at result_writer::close().
  file_report close();

 private:
  /// A chunk written by this rank.
  struct written_chunk {
    std::size_t variable;
    stored_chunk chunk;
    std::string digest() const { return {chunk.digest.begin(), chunk.digest.end()}; }
  };

  void define(const std::function<void(std::span<const plane_variable>)>& describe);
  void reserve(std::int64_t values);
  void put(std::size_t index, plane_range part, std::span<const std::byte> values);
  void put_locally(std::size_t index, plane_range part, std::span<const std::byte> values);
  std::vector<extent> record(std::size_t index, std::span<const stored_chunk> chunks,
                             std::span<const std::span<const std::byte>> bytes);
  std::vector<written_chunk> collect_chunks() const;
  void read_back() const;
  void check_places(std::span<const written_chunk> all) const;
  std::vector<std::string> collect_digests() const;

  MPI_Comm comm_;
  plane_file_plan plan_;
  file_team team_;
  file_team packers_;                          ///< team of all ranks, for the encoding of chunks
  std::unique_ptr<temporary_file> temporary_;  ///< on rank 0
  std::string name_;                           ///< name of the temporary file
  std::unique_ptr<shared_file> file_;          ///< on members of the team
  std::unique_ptr<chunk_index> index_;         ///< on rank 0
  std::vector<std::int64_t> address_;          ///< address of each contiguous variable
  std::int64_t index_reserve_ = 0;
  std::vector<std::string> digests_;  ///< for each variable, digests of the values of the chunks encoded by this rank
  std::vector<written_chunk> chunks_;
  std::vector<bool> written_;
};

}  // namespace osteon::io
