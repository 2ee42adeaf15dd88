#include <osteon/job/import/import.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/label_images.hpp>
#include <osteon/job/import/model_key.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/import/read_scan.hpp>
#include <osteon/job/import/scan_model.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <string>
#include <vector>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

void make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::exists(folder)) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw machine_error(fmt::format("cannot create the output directory '{}': {}; choose another directory with --output",
                                    folder.string(), failed.message()));
}

std::vector<std::string> warnings_of_import(const std::string& provenance_json) {
  const json provenance = json_from_text<json>(provenance_json);
  std::vector<std::string> texts;
  if (!provenance.is_object() || !provenance.contains("warnings") || !provenance.at("warnings").is_array()) return texts;
  for (const json& text : provenance.at("warnings"))
    if (text.is_string()) texts.push_back(text);
  return texts;
}

imported_model import_model(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop) {
  if (const auto faults = check_image_files(job); !faults.empty()) throw data_error(join(faults));
  return source_of(job).make_model(job, path, log, is_to_stop);
}

imported_model import_image(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop) {
  const std::string source = image_path(job);
  const auto poll = [&](const char* during) { stop_if_requested(is_to_stop, job, during); };
  spec known = job;
  known.digests.images = digest_of_images(job, [&] { poll("comparing the model with the image"); });
  const std::string key = key_of_model(known);
  const auto read = [&] {
    return read_scan(source, job, image_role::scan, is_to_stop, {}, is_one_file(job) ? known.digests.images : "");
  };
  const auto import_labels = [&](const voxel::model_header& model, const std::function<voxel::image_planes()>& read_image) {
    const auto read_greys = [&] { return scan_of_model(job, read_image(), model.provenance_json); };
    import_label_images(crop_of_model(job, model.provenance_json), path, model, read_greys, log, is_to_stop);
  };
  imported_model result;
  result.path = path;
  if (fs::exists(path)) {
    try {
      const voxel::model_header header = io::read_model_header(path, log);
      const json provenance = json_from_text<json>(header.provenance_json);
      if (!provenance.is_discarded() && provenance.value("key", "") == key) {
        log.stage("using the existing model");
        for (const std::string& text : warnings_of_import(header.provenance_json)) log.warn(text);
        import_labels(header, [&] { return read().image; });
        result.shape = header.shape;
        result.provenance_json = header.provenance_json;
        if (provenance.contains("nodes"))
          result.nodes = {provenance.at("nodes").at("all"), provenance.at("nodes").at("on_face")};
        result.reused = true;
        return result;
      }
    } catch (const data_error&) {
      log.note(fmt::format("'{}' is not a valid model; importing the image again", path));
    }
  }

  log.stage("importing the image");
  io_clock file_clock;
  const scan input = read();
  const auto read_other = [&](const std::string& name) {
    return read_scan(absolute_path(job, name), job, image_role::overlay, is_to_stop, grid_of(input.facts));
  };
  const scan_model made = make_scan_model(job, input, source, key, read_other, log);
  poll("segmenting the image");
  make_folder_of(path);
  const io::file_report written = io::write_model(path, made.header, made.solid.material, storage_of(job));
  log.note(file_clock.note("wrote", path, written));
  poll("importing the image");
  import_labels(made.header, [&] { return input.image; });
  result.shape = made.header.shape;
  result.nodes = made.nodes;
  result.provenance_json = made.header.provenance_json;
  return result;
}

json imported_model::to_json() const {
  json answer = {{"schema", "osteon.import/1"}, {"model", path}, {"reused", reused}};
  answer.update(valid_json_from_text<json>(provenance_json));
  return answer;
}

}  // namespace osteon::job
