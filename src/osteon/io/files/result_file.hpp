#pragma once
/// @file
/// Result files, valid as netCDF-4/CF and as VTKHDF ImageData (docs/reference/format.md). The files are compressed and
/// written in parallel. An XDMF file describes the fields for other readers. Fields are read by boxes.
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <osteon/base/box.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/io/access.hpp>
#include <osteon/io/chunked/plane_source.hpp>
#include <osteon/io/file_report.hpp>
#include <osteon/io/storage.hpp>
#include <osteon/voxel/model.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osteon::io {

enum class centring { cell, node };

/// Description of a field of a result file.
struct field_info {
  std::string name;       ///< e.g. `sed`
  std::string long_name;  ///< e.g. `strain energy density`
  std::string units;      ///< UDUNITS, e.g. `MPa`, `mm`, `1`
  centring where = centring::cell;
  int components = 1;  ///< 1, 3 (x, y, z) or 6 (xx, yy, zz, xy, yz, xz); the component index varies fastest
};

/// Check that the results of a model do not exceed the limits of the format. Call this function before the computation.
/// @param components maximum number of components of a field @throws data_error @collective local
void check_result_size(const voxel::model_header& header, int components);

/// Count the messages of writing a results file on virtual ranks (comm/virtual_ranks.hpp), without communication and output.
/// The function assumes parallel access, in which each rank writes its encoded data. @collective local
void count_result_messages(const grid::block& where, const voxel::model_header& header, std::span<const field_info> fields,
                           const access& options = {});

/// Writes a results file. All ranks must make the same calls in the same order, even ranks without active voxels.
///
/// The file has a temporary name until close(). close() writes the digests and `complete = 1`, syncs and renames the file.
/// If the writer is destroyed without close(), the destructor removes the temporary file, and an older result remains
/// unchanged. create() removes temporary files of the target that are left by killed runs.
///
/// Blocks may be planes or bricks, and every access mode (`access`) is allowed. Values and digests do not depend on the
/// blocks or on the access mode.
///
/// Values of a few planes are computed and written immediately. No complete dense array is in memory. Components are in the
/// order x, y, z of VTK; the caller must reverse the (z, y, x) vectors of the solver.
class result_writer {
 public:
  /// Create a results file.
  /// @param attributes global attributes (title, history, provenance JSON ...), equal on all ranks
  /// @throws machine_error (no space left, no permission), usage_error @collective on where.comm
  static result_writer create(const std::string& path, const grid::block& where, const voxel::model_header& header,
                              std::span<const field_info> fields,
                              const std::vector<std::pair<std::string, std::string>>& attributes, const access& options = {},
                              const storage& stored = {});
  result_writer(result_writer&&) noexcept;
  result_writer& operator=(result_writer&&) noexcept;
  ~result_writer();

  /// Write the material numbers of the block. Call this function exactly once. @param make computes values of shape
  /// where.owned
  /// @throws exceptions of `make`, on all ranks @collective
  void write_material(const plane_source<material_number>& make);
  /// Write a cell field. @param make computes values of shape (where.owned, components); NaN in empty voxels
  /// @throws exceptions of `make`, on all ranks @collective
  void write_cells(const std::string& name, const plane_source<float>& make);
  /// Write a node field. @param make computes values of shape (where.owned + 1 on each axis, components); NaN at grid points
  /// without a node. For nodes shared by several blocks, NaN values are ignored, and the value of the highest remaining rank
  /// is used. Therefore a rank may pass NaN for nodes that belong only to voxels of its neighbours.
  /// @throws exceptions of `make`, on all ranks @collective
  void write_nodes(const std::string& name, const plane_source<float>& make);
  /// Write arrays of these shapes. @collective
  void write_material(std::span<const material_number> values);
  void write_cells(const std::string& name, std::span<const float> values);
  void write_nodes(const std::string& name, std::span<const float> values);
  /// Complete the file: compare it with its digests, seal, sync and rename it. All fields must have been written. The writer
  /// cannot be used afterwards.
  /// @throws machine_error (no space left ...) on all ranks @collective
  file_report close();

 private:
  struct state;
  void write(const std::string& name, centring where, const plane_source<float>& make, std::span<const float> made = {});
  explicit result_writer(std::unique_ptr<state>);
  std::unique_ptr<state> state_;
};

/// Write the XDMF description of a results file to its folder (`results.xdmf`). @collective local (one rank calls)
void write_xdmf(const std::string& xdmf_path, const std::string& result_name, const voxel::model_header& header,
                std::span<const field_info> fields);

/// Contents of a results or model file.
struct field_list {
  index3 shape;  ///< voxels
  vector3 spacing_mm;
  std::string title;               ///< empty if the file has no title
  std::vector<field_info> fields;  ///< fields, including the material
};

/// Read the list of fields of a file. The integrity of the file is not checked; call check_whole() first.
/// @throws data_error if the file is not an osteon file @collective local
field_list list_fields(const std::string& path);

/// Read one value per voxel of a box: a component, or the magnitude of a vector. For a node field, the value of a voxel is
/// the mean over its eight nodes. The value is NaN for voxels without a field value. Empty voxels have the material number
/// NaN instead of 0.
/// @param component index of the component, from 0; -1: magnitude. The magnitude of a symmetric tensor (six components) is
/// the Frobenius norm
/// @return shape of `part` @throws data_error if the file is damaged @collective local
std::vector<float> read_field(const std::string& path, const field_info& field, const box3& part, int component = -1);

}  // namespace osteon::io
