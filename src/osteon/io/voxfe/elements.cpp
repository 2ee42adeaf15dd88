#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/packed_voxels.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/tokens.hpp>

namespace osteon::io::voxfe {
namespace {

constexpr std::int64_t shortest_line = 10;  // "1 1 1 1 1" and newline

// Parse digits up to the next blank and advance the pointer. The function returns false unless the word is a number of at
// most 18 digits.
bool take_number(const char*& at, const char* end, std::int64_t& value) {
  while (at < end && is_blank(*at)) ++at;
  const char* begin = at;
  value = 0;
  while (at < end && static_cast<unsigned char>(*at - '0') < 10 && at - begin < 18) value = 10 * value + (*at++ - '0');
  return at > begin && (at == end || is_blank(*at));
}

}  // namespace

void throw_fault(const std::string& path, const text_fault& fault) {
  throw data_error(fmt::format("{}:{}: {}", path, line_number(path, fault.offset), fault.text));
}

model_head read_model_head(const std::string& path) {
  constexpr std::int64_t most = 65536;  // maximum size of the head, including blank lines and comments
  const std::int64_t size = text_size(path);
  model_head head;
  bool found = false;
  const auto fault = for_each_line_block(path, 0, std::min(size, most), [&](std::string_view text, std::int64_t offset) {
    std::optional<text_fault> bad;
    while (!found && !bad && !text.empty()) {
      const std::size_t length = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, length);
      if (offset == 0 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      line = trimmed(line);
      const std::int64_t begin = offset;
      text.remove_prefix(std::min(length + 1, text.size()));
      offset += static_cast<std::int64_t>(length) + 1;
      if (line.empty() || line.front() == '#') continue;
      std::string_view rest = line;
      std::array<std::string_view, 3> words{next_word(rest), next_word(rest), next_word(rest)};
      const bool more = !trimmed(rest).empty();
      if (words[1].empty() && to_number(words[0], head.elements)) {
        head.body = offset;
        found = true;
      } else if (!words[2].empty() && !more && head.voxel_size[0] == 0) {
        for (std::size_t a = 0; a < 3 && !bad; ++a)
          if (!to_number(words[a], head.voxel_size[a]) || !(head.voxel_size[a] > 0))
            bad = text_fault{begin, fmt::format("voxel size '{}' must be three numbers > 0", printable(line))};
      } else {
        bad = text_fault{begin, fmt::format("'{}': the number of elements must precede the elements", printable(line))};
      }
    }
    return bad;
  });
  if (fault) throw_fault(path, *fault);
  if (!found)
    throw data_error(
        fmt::format("'{}': missing number of elements in the first lines; the file may not be a VOX-FE model", path));
  if (head.elements < 1 || head.elements > (size - head.body + 1) / shortest_line)
    throw data_error(
        fmt::format("'{}': {} elements are declared, but the following {} bytes contain at most {} elements; the file is "
                    "truncated or not a "
                    "VOX-FE model",
                    path, head.elements, std::max<std::int64_t>(size - head.body, 0),
                    std::max<std::int64_t>(size - head.body + 1, 0) / shortest_line));
  return head;
}

void element_facts::add(const element_line& line) {
  for (std::size_t c = 0; c < 4; ++c) {
    low[c] = std::min<std::int64_t>(low[c], line[c]);
    high[c] = std::max<std::int64_t>(high[c], line[c]);
  }
  if (line[0] < most_ids) first_seen[static_cast<std::size_t>(line[0])] = 1;
  if (line[3] < most_ids) last_seen[static_cast<std::size_t>(line[3])] = 1;
}

namespace {

/// Call `process(offset, line)` for the elements of a text; blank lines are skipped.
template <class F>
std::optional<text_fault> parse_elements(std::string_view text, std::int64_t offset, F&& process) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const char* line = at;
    while (at < end && is_blank(*at)) ++at;
    if (at < end && *at == '\n') {
      ++at;
      continue;
    }
    if (at == end) break;
    // Find the end of the line first, because take_number() stops only at blanks.
    const char* stop = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (!stop) stop = end;
    std::int64_t number = 0, value = 0;
    element_line element{};
    bool good = take_number(at, stop, number);
    for (std::int32_t& v : element) {
      good = good && take_number(at, stop, value) && value <= std::numeric_limits<std::int32_t>::max();
      v = static_cast<std::int32_t>(value);
    }
    while (at < stop && is_blank(*at)) ++at;
    const std::int64_t where = offset + (line - text.data());
    if (!good || at != stop)
      return text_fault{where, fmt::format("element '{}' must be five integers: number, material, x, y, z",
                                           printable(trimmed({line, static_cast<std::size_t>(stop - line)})))};
    process(where, element);
    at = stop == end ? end : stop + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<text_fault> read_elements(const std::string& path, std::int64_t begin, std::int64_t end,
                                        std::vector<element_line>& elements, element_facts& facts) {
  return for_each_line_block(path, begin, end, [&](std::string_view text, std::int64_t offset) {
    return parse_elements(text, offset, [&](std::int64_t, const element_line& line) {
      elements.push_back(line);
      facts.add(line);
    });
  });
}

std::int64_t find_element(const std::string& path, std::int64_t begin, std::int64_t end,
                          const std::function<bool(std::int64_t, const element_line&)>& is_selected) {
  std::int64_t found = -1, place = 0;
  for_each_line_block(path, begin, end, [&](std::string_view text, std::int64_t offset) {
    return parse_elements(text, offset, [&](std::int64_t at, const element_line& line) {
      if (is_selected(place++, line)) found = at;
    });
  });
  return found;
}

element_layout find_layout(const script& s, const element_facts& facts, const reading_options& options) {
  std::vector<std::uint8_t> known(element_facts::most_ids);
  for (const material_row& m : s.materials) known[static_cast<std::size_t>(m.id)] = 1;
  const auto materials_in = [&](std::size_t column, const std::vector<std::uint8_t>& seen) {
    if (facts.high[column] >= element_facts::most_ids) return false;
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] && !known[i]) return false;
    return true;
  };
  const auto places_from = [&](std::size_t column) {
    for (std::size_t a = 0; a < 3; ++a)
      if (facts.high[column + a] > s.voxels[a]) return false;
    return true;
  };
  const bool first = materials_in(0, facts.first_seen) && places_from(1);
  const bool last = materials_in(3, facts.last_seen) && places_from(0);
  element_layout layout;
  // If the material may be in either column, the column with fewer different values is used.
  layout.material_first = first == last ? std::count(facts.first_seen.begin(), facts.first_seen.end(), 1) <=
                                              std::count(facts.last_seen.begin(), facts.last_seen.end(), 1)
                                        : first;
  if (!first && !last) layout.material_first = true;
  if (options.index_base >= 0) {
    layout.base = options.index_base;
    return layout;
  }
  // The index base is determined only from indices at the ends of the range: first from the indices of elements, then from
  // the indices of nodes. The range of node indices is longer by one.
  const std::size_t column = layout.material_first ? 1 : 0;
  bool zero = false, full = false;
  for (std::size_t a = 0; a < 3; ++a) {
    zero |= facts.low[column + a] == 0;
    full |= facts.high[column + a] == s.voxels[a];
  }
  if (!zero && !full)
    for (const node_line& line : s.lines)
      for (std::size_t a = 0; a < 3; ++a) {
        zero |= line.node[a] == 0;
        full |= line.node[a] == s.voxels[a] + 1;
      }
  layout.base = zero ? 0 : 1;  // an index out of range is reported later, with its line
  return layout;
}

element_decoder::element_decoder(const script& s, element_layout layout)
    : s_(s), layout_(layout), number_(element_facts::most_ids) {
  for (std::size_t m = 0; m < s.materials.size(); ++m)
    number_[static_cast<std::size_t>(s.materials[m].id)] = static_cast<material_number>(m + 1);
}

std::int64_t element_decoder::voxel(const element_line& line) const {
  const std::size_t column = layout_.material_first ? 1 : 0;
  const std::int64_t x = line[column] - layout_.base, y = line[column + 1] - layout_.base,
                     z = line[column + 2] - layout_.base, id = line[layout_.material_first ? 0 : 3];
  if (x < 0 || y < 0 || z < 0 || x >= s_.voxels[0] || y >= s_.voxels[1] || z >= s_.voxels[2]) return -1;
  if (id >= element_facts::most_ids || number_[static_cast<std::size_t>(id)] == 0) return -1;
  return pack_voxel((z * s_.voxels[1] + y) * s_.voxels[0] + x, number_[static_cast<std::size_t>(id)]);
}

std::string element_decoder::fault(const element_line& line) const {
  const std::size_t column = layout_.material_first ? 1 : 0;
  for (std::size_t a = 0; a < 3; ++a)
    if (line[column + a] < layout_.base || line[column + a] >= s_.voxels[a] + layout_.base)
      return fmt::format(
          "{} = {} is outside of the grid of {} x {} x {} voxels with first index {}; correct LOAD_MCTSCAN or the element, "
          "or set the first index with --index-base",
          "xyz"[a], line[column + a], s_.voxels[0], s_.voxels[1], s_.voxels[2], layout_.base);
  return fmt::format("material {} is not in the table of {} materials; add the material to the materials file",
                     line[layout_.material_first ? 0 : 3], s_.materials.size());
}

void check_grid(const script& s, const model_head& head) {
  constexpr double most_voxels_per_element = 1e4;
  const index3 shape = s.shape();
  check_geometry(shape, {1, 1, 1}, {});
  const double voxels = static_cast<double>(shape.z) * static_cast<double>(shape.y) * static_cast<double>(shape.x);
  if (voxels > most_voxels_per_element * (static_cast<double>(head.elements) + 1000))
    throw data_error(fmt::format("'{}': a grid of {} x {} x {} voxels for {} elements is improbable; correct LOAD_MCTSCAN",
                                 s.path, s.voxels[0], s.voxels[1], s.voxels[2], head.elements));
  for (std::size_t a = 0; a < 3; ++a)
    if (const double h = head.voxel_size[a]; h > 0 && std::abs(h - s.voxel_size[a]) > 1e-6 * h)
      throw data_error(
          fmt::format("'{}': the voxel size {} along {} differs from that of '{}' ({}); correct one of the files",
                      beside(s, s.model_file), h, "xyz"[a], s.path, s.voxel_size[a]));
  if (static_cast<double>(head.elements) > voxels)
    throw data_error(fmt::format("'{}': {} elements exceed the grid of '{}' ({} x {} x {} voxels); correct LOAD_MCTSCAN",
                                 beside(s, s.model_file), head.elements, s.path, s.voxels[0], s.voxels[1], s.voxels[2]));
  if (s.elements >= 0 && s.elements != head.elements)
    throw data_error(
        fmt::format("'{}': the number of elements ({}) differs from that of '{}' ({}); correct one of the files",
                    beside(s, s.model_file), head.elements, s.path, s.elements));
}

std::int64_t append_elements(std::string& text, view3<const material_number> planes, std::int64_t first_plane,
                             std::int64_t first_number, std::span<const int> ids) {
  const index3 n = planes.shape();
  std::int64_t number = first_number;
  auto out = std::back_inserter(text);
  for (std::int64_t z = 0; z < n.z; ++z)
    for (std::int64_t y = 0; y < n.y; ++y)
      for (std::int64_t x = 0; x < n.x; ++x)
        if (const material_number m = planes(z, y, x))
          fmt::format_to(out, "{} {} {} {} {}\n", number++, ids[m - std::size_t{1}], x + 1, y + 1, first_plane + z + 1);
  return number - first_number;
}

whole_model read_whole_model(const script& s, const reading_options& options) {
  const std::string path = beside(s, s.model_file);
  const model_head head = read_model_head(path);
  check_grid(s, head);
  std::vector<element_line> elements;
  element_facts facts;
  elements.reserve(static_cast<std::size_t>(head.elements));
  const std::int64_t end = text_size(path);
  if (const auto fault = read_elements(path, head.body, end, elements, facts)) throw_fault(path, *fault);
  if (std::ssize(elements) != head.elements)
    throw data_error(fmt::format("'{}': {} elements are declared, but {} found; the file is truncated or damaged", path,
                                 head.elements, elements.size()));
  whole_model model;
  model.layout = find_layout(s, facts, options);
  const element_decoder decode(s, model.layout);
  const index3 shape = s.shape();
  model.material.resize(static_cast<std::size_t>(shape.volume()));
  model.header = header_of(s, options.units, model.layout.base);
  model.header.active_per_plane.resize(static_cast<std::size_t>(shape.z));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::int64_t voxel = decode.voxel(elements[i]);
    const std::size_t place = voxel < 0 ? 0 : static_cast<std::size_t>(voxel / packed_materials);
    if (voxel < 0 || model.material[place] != 0)
      throw_fault(path,
                  {find_element(path, head.body, end,
                                [&](std::int64_t at, const element_line&) { return at == static_cast<std::int64_t>(i); }),
                   voxel < 0 ? decode.fault(elements[i]) : listed_twice});
    model.material[place] = static_cast<material_number>(voxel % packed_materials);
    ++model.header.active_per_plane[place / static_cast<std::size_t>(shape.y * shape.x)];
  }
  return model;
}

}  // namespace osteon::io::voxfe
