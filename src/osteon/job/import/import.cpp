#include <osteon/job/import/import.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/image_files.hpp>
#include <osteon/job/import/label_images.hpp>
#include <osteon/job/import/model_key.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/import/read_scan.hpp>
#include <osteon/job/import/scan_model.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/digest_of_keys.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

// A name such as scan/*.tif, for slices that lie among other files. The reader of images expands it.
bool is_pattern(const std::string& path) {
  std::error_code failed;
  return path.find_first_of("*?[") != std::string::npos && !fs::exists(path, failed);
}

// Inexpensive fingerprint of an image: the bytes of its files; of a folder names, sizes and times.
std::string fingerprint(const std::string& path, const std::function<void()>& poll) {
  std::string text;
  const bool is_folder = fs::is_directory(path);
  if (is_folder || is_pattern(path)) {
    std::vector<std::string> entries;
    const auto add = [&](const fs::directory_entry& entry) {
      if (entry.is_regular_file())
        entries.push_back(fmt::format("{} {} {}", entry.path().string(), entry.file_size(),
                                      entry.last_write_time().time_since_epoch().count()));
    };
    if (is_folder && is_zarr(path))
      for (const auto& entry : fs::recursive_directory_iterator(path)) add(entry);
    else
      for (const auto& entry : fs::directory_iterator(is_folder ? fs::path(path) : fs::absolute(path).parent_path()))
        add(entry);
    std::sort(entries.begin(), entries.end());
    for (const std::string& entry : entries) text += entry + "\n";
    return text;
  }
  text = sha256_of_file(path, poll);
  for (const std::string& other : other_files_of(path)) text += other + sha256_of_file(other, poll);
  return text;
}

std::string absolute(const spec& job, const fs::path& path) {
  if (path.is_absolute() || job.file.empty()) return path.string();
  return (fs::path(job.file).parent_path() / path).lexically_normal().string();
}

struct named_file {
  std::string key, path;
};

// All image files of a job that are named; the scan is the first.
std::vector<named_file> files_of(const spec& job) {
  std::vector<named_file> files{{"image.path", job.image.path}};
  if (job.modulus_image) files.push_back({"modulus_image.path", job.modulus_image->path});
  if (job.poisson_image) files.push_back({"poisson_image.path", job.poisson_image->path});
  std::erase_if(files, [](const named_file& f) { return f.path.empty(); });
  for (named_file& f : files) f.path = absolute(job, f.path);
  return files;
}

std::optional<std::string> fault_of(const std::string& path) {
  std::error_code failed;
  if (is_pattern(path) && fs::is_directory(fs::absolute(path).parent_path(), failed)) return std::nullopt;
  if (!fs::exists(path, failed))
    return fmt::format("'{}' does not exist; relative paths are relative to the job file", path);
  if (!fs::is_regular_file(path, failed) && !fs::is_directory(path, failed))
    return fmt::format("'{}' is neither a file nor a folder", path);
  if (access(path.c_str(), R_OK) != 0) return fmt::format("'{}' may not be read; change its permissions", path);
  return std::nullopt;
}

}  // namespace

void make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::exists(folder)) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw machine_error(fmt::format("cannot make the output directory '{}': {}; choose another by --output", folder.string(),
                                    failed.message()));
}

std::string rules_of_model(const spec& job) {
  const solid_rules solid = physics_of(job).rules(job);
  const json rules = {{"schema", 9},
                      {"keys", values_of_keys(job, key_digest::model)},
                      {"keep", name_of(keep_of(job))},
                      {"joins", solid.must_join_faces},
                      {"phase", {solid.phase, solid.takes_empty_space, solid.labels, solid.keeps_all, solid.has_others}},
                      {"periodic", solid.periodic},
                      {"percolating", {solid.through, solid.touching}},
                      {"path", fs::absolute(image_path(job)).lexically_normal().string()},
                      {"version", this_build().version}};
  return rules.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string key_of_model(const spec& job, const std::function<void()>& poll) {
  std::string text = rules_of_model(job);
  for (const named_file& f : files_of(job)) text += fingerprint(f.path, poll);
  return sha256_of(std::as_bytes(std::span(text)));
}

std::string key_of_label_images(const spec& job, const std::function<void()>& poll) {
  std::string text;
  for (const std::string& image : label_images_of(job)) text += fingerprint(absolute(job, image), poll);
  return text.empty() ? text : sha256_of(std::as_bytes(std::span(text)));
}

std::string image_path(const spec& job) { return absolute(job, job.image.path); }

std::vector<problem> check_image_files(const spec& job) {
  std::vector<problem> faults;
  for (const named_file& f : files_of(job))
    if (const auto fault = fault_of(f.path)) faults.push_back({f.key, *fault});
  return faults;
}

std::vector<std::string> warnings_of_import(const std::string& provenance_json) {
  const json provenance = json::parse(provenance_json, nullptr, false);
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
  const auto poll = [&](const char* during) { leave_if_asked(is_to_stop, job, during); };
  const std::string key = key_of_model(job, [&] { poll("looking whether the model is of this image"); });
  imported_model result;
  result.path = path;
  if (fs::exists(path)) {
    try {
      const voxel::model_header header = io::read_model_header(path, log);
      const json provenance = json::parse(header.provenance_json, nullptr, false);
      if (!provenance.is_discarded() && provenance.value("key", "") == key) {
        log.stage("using the model that is there");
        for (const std::string& text : warnings_of_import(header.provenance_json)) log.warn(text);
        import_label_images(
            job, path, header, [&] { return taken_scan(job, read_scan(source, job, image_role::scan, is_to_stop).image); },
            log, is_to_stop);
        result.shape = header.shape;
        result.provenance_json = header.provenance_json;
        if (provenance.contains("nodes"))
          result.nodes = {provenance.at("nodes").at("all"), provenance.at("nodes").at("on_face")};
        result.reused = true;
        return result;
      }
    } catch (const data_error&) {
      log.note(fmt::format("'{}' cannot be used and is made anew", path));
    }
  }

  log.stage("importing the image");
  io_clock file_clock;
  const scan input = read_scan(source, job, image_role::scan, is_to_stop);
  const auto read_other = [&](const std::string& name) {
    return read_scan(absolute(job, name), job, image_role::overlay, is_to_stop, grid_of(input.facts));
  };
  const scan_model made = make_scan_model(job, input, source, key, read_other, log);
  poll("segmenting the image");
  make_folder_of(path);
  const io::file_report written = io::write_model(path, made.header, made.solid.material, storage_of(job));
  log.note(file_clock.note("wrote", path, written));
  poll("importing the image");
  import_label_images(job, path, made.header, [&] { return taken_scan(job, input.image); }, log, is_to_stop);
  result.shape = made.header.shape;
  result.nodes = made.nodes;
  result.provenance_json = made.header.provenance_json;
  return result;
}

json imported_model::to_json() const {
  json answer = {{"schema", "osteon.import/1"}, {"model", path}, {"reused", reused}};
  answer.update(json::parse(provenance_json));
  return answer;
}

}  // namespace osteon::job
