#include <osteon/job/import/import.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/io/files/model_file.hpp>
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
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace osteon::job {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t longest_header = 1 << 20;  // same limit as in the readers

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string trimmed(const std::string& text) {
  constexpr const char* space = " \t\r\n";
  const auto first = text.find_first_not_of(space);
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::string bytes_at(std::ifstream& file, std::uint64_t at, std::size_t length) {
  std::string bytes(length, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(at));
  file.read(bytes.data(), static_cast<std::streamsize>(length));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

// Files of a folder with the prefix and suffix of a pattern such as s%03d.raw.
std::vector<fs::path> numbered(const fs::path& pattern) {
  const std::string name = pattern.filename().string();
  const auto percent = name.find('%');
  const auto letter = name.find_first_of("diu", percent);
  if (letter == std::string::npos) return {};
  std::string end = name.substr(letter + 1);
  end.resize(std::min(end.size(), end.find(' ')));  // the numbers after the name
  std::vector<fs::path> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(pattern.parent_path(), failed)) {
    const std::string other = entry.path().filename().string();
    if (other.starts_with(name.substr(0, percent)) && other.ends_with(end)) found.push_back(entry.path());
  }
  return found;
}

// The files of the line ElementDataFile (MetaImage) or data file (NRRD), and of the list that follows it.
std::vector<fs::path> named_by_header(const fs::path& header) {
  std::ifstream file(header, std::ios::binary);
  std::istringstream lines(bytes_at(file, 0, longest_header));
  std::vector<fs::path> found;
  bool is_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (is_list) {
      if (const std::string name = trimmed(line); !name.empty()) found.push_back(header.parent_path() / name);
      continue;
    }
    const auto sign = line.find_first_of("=:");
    if (trimmed(line).empty()) break;  // the end of an NRRD header
    if (sign == std::string::npos) continue;
    const std::string key = in_small_letters(trimmed(line.substr(0, sign)));
    if (key != "elementdatafile" && key != "data file" && key != "datafile") continue;
    const std::string value = trimmed(line.substr(sign + 1));
    is_list = value == "LIST" || value.starts_with("LIST ");
    if (in_small_letters(value) == "local") break;
    if (is_list) continue;
    const fs::path name = header.parent_path() / value;
    std::error_code failed;
    if (value.find('%') == std::string::npos || fs::exists(name, failed))
      found.push_back(name);
    else
      for (const fs::path& each : numbered(name)) found.push_back(each);
    break;
  }
  return found;
}

// The bytes of an unsigned number in the byte order of a TIFF file.
std::uint64_t unsigned_of(std::string bytes, bool is_big) {
  if (is_big) std::reverse(bytes.begin(), bytes.end());
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

// The first image description of a TIFF file, which contains the metadata of an OME-TIFF.
std::string first_description(const fs::path& path) {
  constexpr std::uint64_t image_description = 270;
  std::ifstream file(path, std::ios::binary);
  const std::string head = bytes_at(file, 0, 16);
  if (head.size() < 16) return {};
  const bool is_big = head.starts_with("MM"), is_long = unsigned_of(head.substr(2, 2), is_big) == 43;
  const std::size_t word = is_long ? 8 : 4, count_bytes = is_long ? 8 : 2, entry_bytes = is_long ? 20 : 12;
  const std::uint64_t directory = unsigned_of(head.substr(is_long ? 8 : 4, word), is_big);
  const std::uint64_t entries =
      std::min<std::uint64_t>(unsigned_of(bytes_at(file, directory, count_bytes), is_big), longest_header / entry_bytes);
  const std::string table = bytes_at(file, directory + count_bytes, static_cast<std::size_t>(entries) * entry_bytes);
  for (std::size_t at = 0; at + entry_bytes <= table.size(); at += entry_bytes) {
    if (unsigned_of(table.substr(at, 2), is_big) != image_description) continue;
    const std::uint64_t length = unsigned_of(table.substr(at + 4, word), is_big);
    if (length <= word) return {};
    return bytes_at(file, unsigned_of(table.substr(at + 4 + word, word), is_big),
                    static_cast<std::size_t>(std::min<std::uint64_t>(length, fs::file_size(path))));
  }
  return {};
}

std::string without_xml_escapes(std::string text) {
  for (const auto& [escape, letter] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}})
    for (auto at = text.find(escape); at != std::string::npos; at = text.find(escape, at + 1))
      text.replace(at, std::strlen(escape), letter);
  return text;
}

// The attributes FileName of an OME-TIFF: files of further pages.
std::vector<fs::path> named_by_ome(const fs::path& path) {
  constexpr std::string_view attribute = "FileName=";
  std::vector<fs::path> found;
  const std::string text = first_description(path);
  for (auto at = text.find(attribute); at != std::string::npos; at = text.find(attribute, at + 1)) {
    const std::size_t open = at + attribute.size();
    if (open >= text.size() || (text[open] != '"' && text[open] != '\'')) continue;
    const auto close = text.find(text[open], open + 1);
    if (close == std::string::npos) break;
    found.push_back(path.parent_path() / without_xml_escapes(text.substr(open + 1, close - open - 1)));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Header and voxels of a raw image, given either name: files with the same stem in the same folder.
std::vector<fs::path> halves_of_raw(const fs::path& path) {
  std::vector<fs::path> found;
  for (const char* ending : {".json", ".vgi", ".raw", ".vol", ".dat"}) {
    found.push_back(fs::path(path).replace_extension(ending));
    found.push_back(path.string() + ending);
  }
  found.push_back(fs::path(path).replace_extension());
  std::ifstream file(path, std::ios::binary);
  if (const std::string ending = in_small_letters(path.extension().string()); ending != ".json" && ending != ".vgi")
    return found;
  const std::string text = bytes_at(file, 0, longest_header);
  static const std::regex in_json(R"(\"file\"\s*:\s*\"([^\"]*)\")"),
      in_vgi(R"(\n\s*[Nn]ame\s*=\s*(?:[^\n]*[\\/])?([^\n\r]*))");
  for (const std::regex& form : {in_json, in_vgi})
    for (std::sregex_iterator match(text.begin(), text.end(), form), end; match != end; ++match)
      found.push_back(path.parent_path() / trimmed((*match)[1]));
  return found;
}

// Return true if a folder is an array or group of Zarr, whose chunks are files in subfolders.
bool is_zarr(const std::string& folder) {
  std::error_code failed;
  const std::array marks{".zarray", ".zgroup", "zarr.json"};
  return std::any_of(marks.begin(), marks.end(),
                     [&](const char* mark) { return fs::is_regular_file(fs::path(folder) / mark, failed); });
}

// The other files of an image: voxels referenced by a MetaImage or NRRD header, individually, in a list or by a pattern; the
// two halves of a raw image; further parts of an OME-TIFF; the description of an exported array. Existing files only, in a
// fixed order. Damaged headers reference none: the reader reports the damage.
// @collective local
std::vector<std::string> other_files_of(const std::string& path) {
  const std::string ending = in_small_letters(fs::path(path).extension().string());
  const auto is_one_of = [&](std::initializer_list<const char*> endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  std::vector<fs::path> named;
  if (is_one_of({".mhd", ".mha", ".nhdr", ".nrrd"}))
    named = named_by_header(path);
  else if (is_one_of({".tif", ".tiff"}))
    named = named_by_ome(path);
  else if (is_one_of({".json", ".vgi", ".raw", ".vol", ".dat"}))
    named = halves_of_raw(path);
  else if (ending == ".npy")
    named = {fs::path(path).replace_extension(".json")};
  std::vector<std::string> found;
  for (const fs::path& other : named) {
    std::error_code failed;
    if (fs::is_regular_file(other, failed) && !fs::equivalent(other, path, failed)) found.push_back(other.string());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// A pattern such as scan/*.tif, for slices in a folder with other files. The reader of images expands it.
bool is_pattern(const std::string& path) {
  std::error_code failed;
  return path.find_first_of("*?[") != std::string::npos && !fs::exists(path, failed);
}

// Inexpensive fingerprint of an image: the bytes of its files; for a folder names, sizes and times.
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

// All image files given by a job; the scan is the first.
std::vector<named_file> files_of(const spec& job) {
  std::vector<named_file> files{{"image.path", job.image.path}};
  if (job.modulus_image) files.push_back({"modulus_image.path", job.modulus_image->path});
  if (job.poisson_image) files.push_back({"poisson_image.path", job.poisson_image->path});
  std::erase_if(files, [](const named_file& f) { return f.path.empty(); });
  for (named_file& f : files) f.path = absolute(job, f.path);
  return files;
}

// Return true if the images of a job are one plain file, whose digest is that of its bytes alone.
bool is_one_file(const spec& job) {
  const std::vector<named_file> files = files_of(job);
  return files.size() == 1 && fs::is_regular_file(files[0].path) && other_files_of(files[0].path).empty();
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

std::string digest_of_images(const spec& job, const std::function<void()>& poll) {
  if (!job.digests.images.empty()) return job.digests.images;
  std::string text;
  for (const named_file& f : files_of(job)) text += fingerprint(f.path, poll);
  return is_one_file(job) ? text : sha256_of(std::as_bytes(std::span(text)));
}

std::string key_of_model(const spec& job, const std::function<void()>& poll) {
  const std::string text = rules_of_model(job) + digest_of_images(job, poll);
  return sha256_of(std::as_bytes(std::span(text)));
}

image_digests digests_of(const spec& job, const stop_query& is_to_stop) {
  if (job.from || !check_image_files(job).empty()) return {};
  const auto poll = [&] { leave_if_asked(is_to_stop, job, "looking whether the model is of this image"); };
  image_digests all{digest_of_images(job, poll), ""};
  try {
    all.labels = key_of_label_images(job, poll);
  } catch (const data_error&) {  // the import describes the fault
  }
  return all;
}

std::string key_of_label_images(const spec& job, const std::function<void()>& poll) {
  if (!job.digests.labels.empty()) return job.digests.labels;
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
  spec known = job;
  known.digests.images = digest_of_images(job, [&] { poll("looking whether the model is of this image"); });
  const std::string key = key_of_model(known);
  const auto read = [&] {
    return read_scan(source, job, image_role::scan, is_to_stop, {}, is_one_file(job) ? known.digests.images : "");
  };
  imported_model result;
  result.path = path;
  if (fs::exists(path)) {
    try {
      const voxel::model_header header = io::read_model_header(path, log);
      const json provenance = json::parse(header.provenance_json, nullptr, false);
      if (!provenance.is_discarded() && provenance.value("key", "") == key) {
        log.stage("using the model that is there");
        for (const std::string& text : warnings_of_import(header.provenance_json)) log.warn(text);
        import_label_images(job, path, header, [&] { return taken_scan(job, read().image); }, log, is_to_stop);
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
  const scan input = read();
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
