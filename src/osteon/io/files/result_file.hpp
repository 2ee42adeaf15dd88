#pragma once
/// @file
/// Result files: valid netCDF-4/CF and VTKHDF ImageData, written in parallel and compressed, with an XDMF file for other
/// readers. Fields are read by boxes (docs/reference/format.md).
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

/// Kind of a field of a result file.
struct field_info {
  std::string name;       ///< e.g. `sed`
  std::string long_name;  ///< e.g. `strain energy density`
  std::string units;      ///< UDUNITS, e.g. `MPa`, `mm`, `1`
  centring where = centring::cell;
  int components = 1;  ///< 1, 3 (x, y, z) or 6 (xx, yy, zz, xy, yz, xz); the component varies fastest
};

/// Reject a model with results too large for the format, before they are computed.
/// @param components maximum of a field @throws data_error @collective local
void check_result_size(const voxel::model_header& header, int components);

/// Count the messages of writing a results file without communication and output, on virtual ranks (comm/virtual_ranks.hpp).
/// Assumes parallel access, in which each rank writes its packed data. @collective local
void rehearse_results(const grid::block& where, const voxel::model_header& header, std::span<const field_info> fields,
                      const access& how = {});

/// Writes a results file. All ranks make the same calls in the same order; also on ranks without active voxels.
///
/// The file has a temporary name until close(), which writes the digests and `complete = 1`, syncs, renames. If the
/// writer is destroyed without close() (by all ranks, since every error reaches all), the temporary file is removed and
/// an older result remains unchanged. Temporary files of killed runs of the same target are removed on create().
///
/// Blocks may be planes or bricks, and any ranks may access the file (`access`); the values and their digests are the same.
///
/// Values are computed some planes at a time and written immediately, so that no dense array is completely in memory.
/// Components are in the order x, y, z, as VTK requires: reverse the (z, y, x) vectors of the solver before.
class result_writer {
 public:
  /// @param attributes global attributes (title, history, provenance JSON ...), the same on all ranks
  /// @throws machine_error (no space left, no permission), usage_error @collective on where.comm
  static result_writer create(const std::string& path, const grid::block& where, const voxel::model_header& header,
                              std::span<const field_info> fields,
                              const std::vector<std::pair<std::string, std::string>>& attributes, const access& how = {},
                              const storage& stored = {});
  result_writer(result_writer&&) noexcept;
  result_writer& operator=(result_writer&&) noexcept;
  ~result_writer();

  /// Write the block's material numbers, once. @param make values of shape where.owned
  /// @throws what `make` throws, on all ranks @collective
  void write_material(const plane_source<material_number>& make);
  /// Write a cell field. @param make values of shape (where.owned, components); NaN in empty voxels
  /// @throws what `make` throws, on all ranks @collective
  void write_cells(const std::string& name, const plane_source<float>& make);
  /// Write a node field. @param make values of shape (where.owned + 1 on each axis, components), NaN where there is no node.
  /// Nodes between blocks are passed by all of them: the values of the highest rank are used, or those of the others if
  /// these are NaN. Therefore a rank need not have nodes that belong only to voxels of its neighbours.
  /// @throws what `make` throws, on all ranks @collective
  void write_nodes(const std::string& name, const plane_source<float>& make);
  /// The same from arrays of these shapes. @collective
  void write_material(std::span<const material_number> values);
  void write_cells(const std::string& name, std::span<const float> values);
  void write_nodes(const std::string& name, std::span<const float> values);
  /// Finish the file (every field must have been written), read it back against its digests, seal it, sync it and rename it
  /// to its final name. The writer cannot be used afterwards.
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
  std::string title;               ///< empty if the file has none
  std::vector<field_info> fields;  ///< material is one of them
};

/// Read the contents of a file. Its bytes are not checked: call check_whole() first.
/// @throws data_error if the file is not an osteon file @collective local
field_list list_fields(const std::string& path);

/// Read one number per voxel of a box: a component, or the magnitude of a vector. For a node field it is the mean of the
/// eight nodes of the voxel. NaN without a value, also for material number 0.
/// @param component from 0, or -1: magnitude; of six components (a symmetric tensor) its Frobenius norm
/// @return shape of `part` @throws data_error if the file is damaged @collective local
std::vector<float> read_field(const std::string& path, const field_info& field, const box3& part, int component = -1);

}  // namespace osteon::io
