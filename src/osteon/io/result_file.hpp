#pragma once
/// @file
/// Results on disk: one file that is valid netCDF-4/CF and VTKHDF ImageData, written in parallel and compressed,
/// with an XDMF file beside it for readers that know neither.
#include <mpi.h>

#include <memory>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::io {

enum class centring { cell, node };

/// What a field of a result file is.
struct field_info {
  std::string name;         ///< e.g. `sed`
  std::string long_name;    ///< e.g. `strain energy density`
  std::string units;        ///< UDUNITS, e.g. `MPa`, `mm`, `1`
  centring where = centring::cell;
  int components = 1;       ///< 1 or 3; the component varies fastest
};

/// Writes a results file. All ranks make the same calls in the same order; a rank without active voxels calls too.
///
/// The file has a temporary name until close(), which writes the digests and `complete = 1`, syncs, renames. If the
/// writer is destroyed without close(), the temporary file is removed and an older result is left as it was.
class result_writer {
 public:
  /// @param attributes global attributes (title, history, provenance JSON ...), the same on all ranks
  /// @throws machine_error @collective on where.comm
  static result_writer create(const std::string& path, const grid::block& where, const voxel::model_header& header,
                              std::span<const field_info> fields,
                              const std::vector<std::pair<std::string, std::string>>& attributes);
  result_writer(result_writer&&) noexcept;
  result_writer& operator=(result_writer&&) noexcept;
  ~result_writer();

  /// Write the block's material numbers. @param material shape (owned planes, y, x)
  void write_material(std::span<const std::uint8_t> material);
  /// Write a cell field. @param values shape (owned planes, y, x, components); NaN in empty voxels
  /// @collective
  void write_cells(const std::string& name, std::span<const float> values);
  /// Write a node field. @param values shape (owned planes + 1, y + 1, x + 1, components), NaN where there is no node;
  /// a node plane between two ranks is written by the rank above, the topmost plane by the last rank. Nodes of that
  /// plane that only the rank below has must be present in the values of the rank above.
  /// @collective
  void write_nodes(const std::string& name, std::span<const float> values);
  /// Finish the file and give it its name; bytes written.
  /// @throws machine_error (no space left ...) on all ranks @collective
  std::int64_t close();

 private:
  struct state;
  explicit result_writer(std::unique_ptr<state>);
  std::unique_ptr<state> state_;
};

/// Write the XDMF description of a results file beside it (`results.xdmf`). @collective local (one rank calls)
void write_xdmf(const std::string& xdmf_path, const std::string& result_name, const voxel::model_header& header,
                std::span<const field_info> fields);

}  // namespace osteon::io
