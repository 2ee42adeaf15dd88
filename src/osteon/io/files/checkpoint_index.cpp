#include <osteon/io/files/checkpoint_index.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <numeric>
#include <osteon/base/digest.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/json_text.hpp>

namespace osteon::io {

namespace {

using json = nlohmann::ordered_json;

// Seal: "\nosteon-checkpoint-1 ", length of the index in 16 hexadecimal digits, blank, SHA-256 of the index, newline.
constexpr std::string_view seal_magic = "\nosteon-checkpoint-1 ";
constexpr std::size_t length_digits = 16, seal_line_length = seal_magic.size() + length_digits + 1 + sha256_digits + 1;
constexpr std::int64_t largest_index = std::int64_t{1} << 30, largest_axis_of_nodes = (1 << 20) + 1;

std::string hash(std::string_view text) { return sha256_of(std::as_bytes(std::span(text))); }

[[noreturn]] void reject(const std::string& path, const std::string& fault) {
  throw data_error(fmt::format("cannot use the checkpoint '{}': {}", path, fault));
}

std::int64_t whole(const std::string& path, const json& value, std::int64_t low, std::int64_t high) {
  if (!value.is_number_integer()) reject(path, "the index contains a count that is not an integer");
  const auto number = value.get<std::int64_t>();
  if (number < low || number > high)
    reject(path, fmt::format("the index contains the count {}; must be {} to {}", number, low, high));
  return number;
}

}  // namespace

std::int64_t checkpoint_index::points() const {
  return std::accumulate(per_plane.begin(), per_plane.end(), std::int64_t{0});
}

std::int64_t checkpoint_index::lay_out() {
  std::int64_t at = 0;
  for (vector& v : vectors) {
    v.offset = at;
    at += points() * v.bytes();
  }
  return at;
}

std::string seal_checkpoint(const checkpoint_index& index) {
  json vectors = json::array();
  for (const auto& v : index.vectors)
    vectors.push_back(
        {{"name", v.name}, {"components", v.components}, {"value_bytes", v.value_bytes}, {"sha256", v.digests}});
  const json all = {{"shape", {index.shape.z, index.shape.y, index.shape.x}},
                    {"points_per_plane", index.per_plane},
                    {"vectors", vectors},
                    {"facts", index.facts}};
  std::string text = json_to_text(all);
  const std::string digest = hash(text);
  text += fmt::format("{}{:016x} {}\n", seal_magic, text.size(), digest);
  return text;
}

checkpoint_index parse_checkpoint_index(const std::string& path, std::string_view text, std::int64_t payload) {
  checkpoint_index index;
  const auto all = json_from_text<json>(text);
  if (!all.is_object()) reject(path, "the index is not a JSON object");
  const auto list = [&](const json& of, const char* name) -> const json& {
    if (!of.contains(name) || !of[name].is_array()) reject(path, fmt::format("the index has no list '{}'", name));
    return of[name];
  };
  const json& shape = list(all, "shape");
  if (shape.size() != 3) reject(path, "the shape must have three extents");
  for (int a = 0; a < 3; ++a) index.shape[a] = whole(path, shape[static_cast<std::size_t>(a)], 1, largest_axis_of_nodes);
  const json& planes = list(all, "points_per_plane");
  if (std::ssize(planes) != index.shape.z) reject(path, "the number of points of each plane is required in the index");
  for (const json& n : planes) index.per_plane.push_back(whole(path, n, 0, index.shape.y * index.shape.x));

  double bytes = 0;  // a sum of integers could overflow
  for (const json& v : list(all, "vectors")) {
    auto& vector = index.vectors.emplace_back();
    for (const char* key : {"name", "sha256"})
      if (!v.is_object() || !v.contains(key) || !v[key].is_string()) reject(path, "a vector requires a name and digests");
    if (!v.contains("components") || !v.contains("value_bytes"))
      reject(path, "a vector requires components and value_bytes");
    vector.name = v["name"].get<std::string>();
    vector.digests = v["sha256"].get<std::string>();
    vector.components = static_cast<int>(whole(path, v["components"], 1, most_components));
    vector.value_bytes = static_cast<int>(whole(path, v["value_bytes"], 4, 8));
    if (vector.value_bytes != 4 && vector.value_bytes != 8) reject(path, "value_bytes must be 4 (float) or 8 (double)");
    if (std::ssize(vector.digests) != index.shape.z * static_cast<std::int64_t>(sha256_digits))
      reject(path, fmt::format("vector '{:.40}' must have a digest for each plane", vector.name));
    for (const std::int64_t n : index.per_plane) bytes += static_cast<double>(n) * static_cast<double>(vector.bytes());
  }
  if (bytes != static_cast<double>(payload) || index.lay_out() != payload)
    reject(path, fmt::format("the vectors require {:.0f} bytes, but the file contains {}", bytes, payload));
  index.facts = json::object();
  if (all.contains("facts") && all["facts"].is_object()) index.facts = all["facts"];
  return index;
}

checkpoint_index read_checkpoint_index(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw data_error(fmt::format("cannot read the checkpoint '{}': {}", path, std::strerror(errno)));
  const auto size = static_cast<std::int64_t>(file.tellg());
  const std::int64_t end = size - static_cast<std::int64_t>(seal_line_length);
  std::string seal(seal_line_length, '\0');
  if (end > 0) file.seekg(end).read(seal.data(), static_cast<std::streamsize>(seal_line_length));
  if (end <= 0 || !file || !seal.starts_with(seal_magic) || seal.back() != '\n')
    reject(path, "no seal at its end (truncated, or another kind of file)");
  const char* digits = seal.data() + seal_magic.size();
  std::int64_t length = 0;
  const auto [last, status] = std::from_chars(digits, digits + length_digits, length, 16);
  if (status != std::errc() || last != digits + length_digits || *last != ' ' || length < 2 ||
      length > std::min(end, largest_index))
    reject(path, "the seal is damaged");
  std::string text(static_cast<std::size_t>(length), '\0');
  file.seekg(end - length).read(text.data(), length);
  // The seal is compared as text, because a damaged seal with upper-case digits would yield the same number.
  if (!file || seal != fmt::format("{}{:016x} {}\n", seal_magic, length, hash(text)))
    reject(path, "the index does not match its seal");
  return parse_checkpoint_index(path, text, end - length);
}

}  // namespace osteon::io
