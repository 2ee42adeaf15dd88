#include <osteon/physics/elasticity/adapters/convert.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/n88/read_n88.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/physics/elasticity/adapters/script_job.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace fs = std::filesystem;

namespace {

machine_error cannot_write(const std::string& path) {
  return machine_error(fmt::format("cannot write '{}': {}; free some space", path, std::strerror(errno)));
}

void write_elements(MPI_Comm comm, const std::string& model, const voxel::model_header& header,
                    const io::voxfe::script& script, const std::string& path, const std::string& name) {
  constexpr std::int64_t bytes_at_once = std::int64_t{1} << 26;
  std::vector<int> ids;
  for (const io::voxfe::material_row& m : script.materials) ids.push_back(m.id);
  std::ofstream file(name, std::ios::binary);
  file << script.elements << '\n';
  const std::int64_t plane = header.shape.y * header.shape.x, step = std::max<std::int64_t>(1, bytes_at_once / plane);
  std::int64_t number = 1;
  for (std::int64_t z = 0; z < header.shape.z; z += step) {
    const box3 part{{z, 0, 0}, {std::min(z + step, header.shape.z), header.shape.y, header.shape.x}};
    const std::vector<material_number> material = io::read_model_planes(comm, model, header, part);
    // The text of a plane occupies several times the memory of the plane.
    for (std::int64_t p = 0; p < part.shape().z; ++p) {
      std::string text;
      number += io::voxfe::append_elements(text, {material.data() + p * plane, {1, header.shape.y, header.shape.x}}, z + p,
                                           number, ids);
      file << text;
    }
  }
  file.close();
  if (!file) throw cannot_write(path);
}

void write_text(const std::string& text, const std::string& path, const std::string& name) {
  std::ofstream file(name, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw cannot_write(path);
}

}  // namespace

std::vector<std::string> convert(MPI_Comm comm, const std::string& from, const std::string& to,
                                 const reader_options& options, log_sink& log) {
  if (is_script(from) || io::n88::is_model_name(from)) {
    std::vector<problem> problems;
    const spec job = read_job(from, options, problems);
    if (!problems.empty()) throw data_error(join(problems));
    source_of(job).make_model(job, to, log, {});
    return {to};
  }
  if (options.any())
    throw usage_error(fmt::format("--units and --index-base apply to VOX-FE scripts only, not to '{}'", from));
  const voxel::model_header header = io::read_model_header(comm, from, {}, log);
  const io::voxfe::script script = io::voxfe::script_of(header, to);
  make_folder_of(to);
  const auto file = [&](const std::string& name) { return io::voxfe::beside(script, name); };
  const std::vector<std::string> files{file(script.model_file), file(script.materials_file), file(script.constraints_file),
                                       to};
  // All files are written before the first file is renamed to its final name. A full disk therefore leaves no partial
  // result. The script is renamed last, after all files that the script references.
  std::vector<std::unique_ptr<io::temporary_file>> written;
  for (const std::string& path : files) written.push_back(std::make_unique<io::temporary_file>(path));
  write_elements(comm, from, header, script, files[0], written[0]->name());
  write_text(io::voxfe::canonical_materials(script), files[1], written[1]->name());
  write_text(io::voxfe::canonical_constraints(script), files[2], written[2]->name());
  write_text(io::voxfe::canonical_script(script), files[3], written[3]->name());
  for (const auto& file : written) io::sync_file(file->name());  // some file systems report a full disk only here
  for (const auto& file : written) file->commit();
  return files;
}

}  // namespace osteon::physics
