#pragma once
/// @file
/// Workload of the input and output benchmark. The workload consists of a model in all formats, a field at the nodes, and
/// methods. The methods read the model or write the field.
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/io/storage.hpp>
#include <osteon/io/voxfe/read_model.hpp>
#include <osteon/io/voxfe/write_results.hpp>
#include <osteon/voxel/image.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::bench {

/// A method of reading the model or writing the field.
struct io_method {
  std::string operation, name;
  std::function<void()> run;  ///< @collective on the workload's ranks
  std::string file;           ///< file that `run` reads or writes
};

/// The workload of the benchmark. Text files of VOX-FE are read by scanf and written by printf. Ranks write text one after
/// another. `waited` is the CPU time of a rank that polls until the preceding ranks have written their text.
class io_workload {
 public:
  /// Write the model to `folder` in all formats. @param image material numbers as bytes; 0 is empty space; used on rank 0
  /// @throws usage_error if the image is not of type uint8 @collective on comm
  io_workload(MPI_Comm comm, const voxel::image& image, std::string folder);

  /// All methods of the workload. Without the zstd filter of HDF5, the list does not contain the methods with zstd.
  std::vector<io_method> methods();
  /// Return the CPU time in seconds that this rank waited in the last run, and reset the stored time to 0.
  double waited() { return std::exchange(waited_, 0.0); }
  /// Shape, number of elements, number of nodes, and sizes in bytes of the materials and the dense field.
  nlohmann::ordered_json facts() const;

 private:
  void make_model(const voxel::image& image);
  void make_field();
  std::string file(const std::string& name) const;
  template <class F>
  void waiting(F call);
  void read_text_by_scanf();
  void write_text_by_printf();
  void write_text(io::voxfe::text_access access, const char* name);
  void read_netcdf(const char* name);
  void write_netcdf(const char* name, const io::storage& stored = {});
  void read_raw();
  void write_raw(const char* name, bool sync);

  MPI_Comm comm_;
  std::string folder_;
  voxel::model_header header_;
  grid::block where_;
  std::vector<material_number> material_;
  io::voxfe::script script_;
  io::voxfe::reading_options reading_;
  io::voxfe::node_rows rows_;
  std::vector<float> dense_;
  std::int64_t all_nodes_ = 0, raw_bytes_ = 0;
  double waited_ = 0;
};

}  // namespace osteon::bench
