#include <osteon/job/adapters/convert.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/n88/read_n88.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;

namespace {

void write_elements(MPI_Comm comm, const std::string& model, const voxel::model_header& header,
                    const io::voxfe::script& script, const std::string& path) {
  constexpr std::int64_t bytes_at_once = std::int64_t{1} << 26;
  std::vector<int> ids;
  for (const io::voxfe::material_row& m : script.materials) ids.push_back(m.id);
  io::temporary_file temporary(path);
  std::ofstream file(temporary.name(), std::ios::binary);
  file << script.elements << '\n';
  const std::int64_t plane = header.shape.y * header.shape.x, step = std::max<std::int64_t>(1, bytes_at_once / plane);
  std::int64_t number = 1;
  for (std::int64_t z = 0; z < header.shape.z; z += step) {
    const box3 part{{z, 0, 0}, {std::min(z + step, header.shape.z), header.shape.y, header.shape.x}};
    const std::vector<material_number> material = io::read_model_planes(comm, model, header, part);
    for (std::int64_t p = 0; p < part.shape().z; ++p) {  // text is several times as long as a plane is large
      std::string text;
      number += io::voxfe::append_elements(text, {material.data() + p * plane, {1, header.shape.y, header.shape.x}}, z + p,
                                           number, ids);
      file << text;
    }
  }
  file.close();
  if (!file) throw machine_error(fmt::format("cannot write '{}': {}; free some space", path, std::strerror(errno)));
  temporary.commit();
}

}  // namespace

std::vector<std::string> convert(MPI_Comm comm, const std::string& from, const std::string& to,
                                 const script_options& options, log_sink& log) {
  if (is_script(from) || io::n88::is_model_name(from)) {
    std::vector<problem> problems;
    const spec job = read_job(from, options, problems);
    if (!problems.empty()) throw data_error(join(problems));
    source_of(job).make_model(job, to, log, {});
    return {to};
  }
  if (options.any())
    throw usage_error(fmt::format("--units and --index-base are for VOX-FE scripts, which '{}' is not", from));
  const voxel::model_header header = io::read_model_header(comm, from, {}, log);
  const io::voxfe::script script = io::voxfe::script_of(header, to);
  make_folder_of(to);
  const auto file = [&](const std::string& name) { return io::voxfe::beside(script, name); };
  const std::vector<std::string> files{file(script.model_file), file(script.materials_file), file(script.constraints_file),
                                       to};
  // The script last: where it is, all that it names is there, too.
  write_elements(comm, from, header, script, files[0]);
  write_file(files[1], io::voxfe::canonical_materials(script));
  write_file(files[2], io::voxfe::canonical_constraints(script));
  write_file(to, io::voxfe::canonical_script(script));
  return files;
}

}  // namespace osteon::job
