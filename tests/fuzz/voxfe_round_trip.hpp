#pragma once
/// @file
/// Contract of the parsers of VOX-FE text for arbitrary bytes.
#include <cstdlib>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/script.hpp>

#include "fuzz/bytes_as_file.hpp"

namespace osteon::fuzz {

/// Parses the text as a script, as materials and as constraints. A result without a fault must be equal to the result for
/// its canonical text.
/// @return how many of the three kinds were read
inline int round_trip_texts(std::string_view text) {
  using namespace io::voxfe;
  int read = 0;
  const auto same = [&](const auto& parse, const auto& canonical) {
    std::vector<problem> faults;
    const auto first = parse(text, faults);
    if (!faults.empty()) return;
    ++read;
    const std::string out = canonical(first);
    const auto second = parse(out, faults);
    if (!faults.empty() || canonical(second) != out) std::abort();
  };
  same([](std::string_view t, std::vector<problem>& f) { return parse_script(t, "script", f); },
       [](script s) {
         for (std::string* name : {&s.materials_file, &s.model_file, &s.constraints_file})
           if (name->empty()) name->push_back('f');
         for (double& h : s.voxel_size)
           if (h == 0) h = 1;
         for (std::int64_t& n : s.voxels)
           if (n == 0) n = 1;
         s.elements = std::max<std::int64_t>(s.elements, 1);
         return canonical_script(s);
       });
  same(
      [](std::string_view t, std::vector<problem>& f) {
        script s;
        parse_materials(t, "materials", s.materials, f);
        return s;
      },
      [](const script& s) { return canonical_materials(s); });
  same(
      [](std::string_view t, std::vector<problem>& f) {
        script s;
        parse_node_lines(t, "constraints", s.lines, f);
        return s;
      },
      [](const script& s) { return canonical_constraints(s); });
  return read;
}

/// Reads the text as a model of a fixed small grid. A model that is read must be equal to the model that is read from its
/// canonical text.
/// @return whether the model was read
inline bool round_trip_model(const std::uint8_t* data, std::size_t size) {
  using namespace io::voxfe;
  script s;
  s.path = "/dev/null";
  s.voxels = {7, 6, 5};
  s.voxel_size = {0.1, 0.1, 0.1};
  s.materials = {{1, "", 1000, 0.3, true}, {40, "", 2000, 0.3, true}};
  const auto read = [&](const std::uint8_t* bytes, std::size_t length) {
    const bytes_as_file file(bytes, length);
    s.model_file = file.path();
    return read_whole_model(s);
  };
  whole_model first;
  try {
    first = read(data, size);
  } catch (const data_error&) {
    return false;
  }
  std::string elements, text;
  const std::int64_t count = append_elements(elements, {first.material.data(), s.shape()}, 0, 1, std::vector<int>{1, 40});
  text = std::to_string(count) + "\n" + elements;
  reading_options how;
  how.index_base = 1;
  s.elements = count;
  const bytes_as_file again(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  s.model_file = again.path();
  whole_model second;
  try {
    second = read_whole_model(s, how);
  } catch (const data_error&) {
    std::abort();
  }
  // The material column is a guess if every column is possible. In this case the voxels may differ, but their number must
  // not differ.
  if (second.layout.material_first && second.material != first.material) std::abort();
  return true;
}

}  // namespace osteon::fuzz
