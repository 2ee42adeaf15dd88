#include <osteon/job/import/image_files.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <osteon/base/digest.hpp>
#include <osteon/base/text_pattern.hpp>
#include <sstream>
#include <string_view>
#include <utility>

namespace osteon::job {

namespace fs = std::filesystem;

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

// Return the files of a folder that match a pattern such as s%03d.raw.
std::vector<fs::path> numbered(const fs::path& pattern) {
  const std::string name = pattern.filename().string();
  const auto percent = name.find('%');
  const auto letter = name.find_first_of("diu", percent);
  if (letter == std::string::npos) return {};
  std::string end = name.substr(letter + 1);
  end.resize(std::min(end.size(), end.find(' ')));  // remove the numbers after the name
  std::vector<fs::path> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(pattern.parent_path(), failed)) {
    const std::string other = entry.path().filename().string();
    if (other.starts_with(name.substr(0, percent)) && other.ends_with(end)) found.push_back(entry.path());
  }
  return found;
}

// Return the files named by the field ElementDataFile (MetaImage) or data file (NRRD), or by the list after this field.
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

// Convert bytes in the byte order of a TIFF file to an unsigned number.
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

// Return the files named by the attributes FileName of an OME-TIFF, which contain further pages.
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

// Return the header and the voxel file of a raw image: files with the same stem in the same folder.
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
  static const text_pattern in_json(R"(\"file\"\s*:\s*\"([^\"]*)\")"),
      in_vgi(R"(\n\s*[Nn]ame\s*=\s*(?:[^\n]*[\\/])?([^\n\r]*))");
  for (const text_pattern& form : {in_json, in_vgi})
    for (const std::string& name : form.find_all(text)) found.push_back(path.parent_path() / trimmed(name));
  return found;
}

// Return true if a folder is an array or group of Zarr. The chunks of Zarr are files in subfolders.
bool is_zarr(const std::string& folder) {
  std::error_code failed;
  const std::array marks{".zarray", ".zgroup", "zarr.json"};
  return std::any_of(marks.begin(), marks.end(),
                     [&](const char* mark) { return fs::is_regular_file(fs::path(folder) / mark, failed); });
}

// Return the existing further files of an image in a fixed order. Further files are voxel files of a MetaImage or NRRD
// header, the header or voxels of a raw image, parts of an OME-TIFF, and the description of an exported array. A damaged
// header refers to no files; the reader reports the damage.
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

// Return true for a pattern such as scan/*.tif, which selects slices in a folder with other files. The image reader expands
// patterns.
bool is_pattern(const std::string& path) {
  std::error_code failed;
  return path.find_first_of("*?[") != std::string::npos && !fs::exists(path, failed);
}

std::optional<std::string> fault_of(const std::string& path) {
  std::error_code failed;
  if (is_pattern(path) && fs::is_directory(fs::absolute(path).parent_path(), failed)) return std::nullopt;
  if (!fs::exists(path, failed))
    return fmt::format("'{}' does not exist; relative paths are relative to the job file", path);
  if (!fs::is_regular_file(path, failed) && !fs::is_directory(path, failed))
    return fmt::format("'{}' is neither a file nor a folder", path);
  if (access(path.c_str(), R_OK) != 0) return fmt::format("no permission to read '{}'; change its permissions", path);
  return std::nullopt;
}

}  // namespace

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

std::string absolute_path(const spec& job, const std::string& name) {
  const fs::path path(name);
  if (path.is_absolute() || job.file.empty()) return path.string();
  return (fs::path(job.file).parent_path() / path).lexically_normal().string();
}

std::vector<named_file> image_files_of(const spec& job) {
  std::vector<named_file> files{{"image.path", job.image.path}};
  if (job.modulus_image) files.push_back({"modulus_image.path", job.modulus_image->path});
  if (job.poisson_image) files.push_back({"poisson_image.path", job.poisson_image->path});
  std::erase_if(files, [](const named_file& f) { return f.path.empty(); });
  for (named_file& f : files) f.path = absolute_path(job, f.path);
  return files;
}

bool is_one_file(const spec& job) {
  const std::vector<named_file> files = image_files_of(job);
  return files.size() == 1 && fs::is_regular_file(files[0].path) && other_files_of(files[0].path).empty();
}

std::string image_path(const spec& job) { return absolute_path(job, job.image.path); }

std::vector<problem> check_image_files(const spec& job) {
  std::vector<problem> faults;
  for (const named_file& f : image_files_of(job))
    if (const auto fault = fault_of(f.path)) faults.push_back({f.key, *fault});
  return faults;
}

}  // namespace osteon::job
