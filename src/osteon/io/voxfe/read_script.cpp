#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/io/voxfe/text_file.hpp>

namespace osteon::io::voxfe {

namespace fs = std::filesystem;

namespace {

// Read the materials file. Rows of the script replace rows of the file.
void read_materials(script& s, std::vector<problem>& faults) {
  if (s.materials_file.empty()) return;
  const std::string path = beside(s, s.materials_file);
  std::vector<material_row> rows;
  parse_materials(read_text(path, largest_text_file), path, rows, faults);
  for (const material_row& own : s.materials) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const material_row& r) { return r.id == own.id; });
    if (same != rows.end())
      *same = own;
    else
      rows.push_back(own);
  }
  s.materials = std::move(rows);
}

void check_materials(const script& s, std::vector<problem>& faults) {
  const auto expect = [&](bool holds, const std::string& text) {
    if (!holds) faults.push_back({s.path, text});
  };
  expect(!s.materials.empty(), "missing materials; add LOAD_MATERIALS_FILE with a file of rows: number E nu flag");
  expect(s.materials.size() <= most_materials,
         fmt::format("the number of materials exceeds the limit of {}", most_materials));
  for (const material_row& m : s.materials) {
    expect(m.youngs_modulus > 0, fmt::format("material {}: Young's modulus {} must be > 0", m.id, m.youngs_modulus));
    expect(m.poisson_ratio > -1 && m.poisson_ratio < 0.5,
           fmt::format("material {}: Poisson's ratio {} must be in (-1, 0.5)", m.id, m.poisson_ratio));
  }
}

// The files do not contain units. If a voxel size or modulus indicates that mm is wrong, the user must specify the units.
void check_units(const script& s, std::vector<problem>& faults) {
  constexpr double no_solid_in_MPa = 1e7;
  const auto& h = s.voxel_size;
  if (h[0] == 1 && h[1] == 1 && h[2] == 1)
    faults.push_back(
        {s.path, "VOXEL_SIZE 1 1 1 may be a placeholder; correct the size, or confirm it with --units mm (or m)"});
  for (const material_row& m : s.materials)
    if (m.youngs_modulus >= no_solid_in_MPa) {
      faults.push_back(
          {s.path, fmt::format("material {}: Young's modulus {} is too large for MPa; use --units m for files in m and Pa",
                               m.id, m.youngs_modulus)});
      return;
    }
}

}  // namespace

std::string beside(const script& s, const std::string& file) {
  const fs::path path(file);
  return path.is_absolute() ? file : (fs::path(s.path).parent_path() / path).lexically_normal().string();
}

script read_script(const std::string& path, const reading_options& options) {
  std::vector<problem> faults;
  script s = parse_script(read_text(path, largest_text_file), path, faults);
  if (faults.empty()) {
    const auto expect = [&](bool holds, const char* text) {
      if (!holds) faults.push_back({path, text});
    };
    expect(s.voxel_size[0] > 0, "missing VOXEL_SIZE; add VOXEL_SIZE x y z 1");
    expect(!s.model_file.empty(), "missing LOAD_MCTSCAN; add LOAD_MCTSCAN nx ny nz FILE");
    read_materials(s, faults);
    check_materials(s, faults);
    if (!options.units_given) check_units(s, faults);
    if (!s.constraints_file.empty()) {
      const std::string file = beside(s, s.constraints_file);
      parse_node_lines(read_text(file, largest_text_file), file, s.lines, faults);
    }
  }
  if (faults.empty()) return s;
  std::string text;
  for (const problem& p : faults) text += (text.empty() ? "" : "\n") + p.where + ": " + p.text;
  throw data_error(text);
}

}  // namespace osteon::io::voxfe
