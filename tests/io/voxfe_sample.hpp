#pragma once
// VOX-FE files in a separate folder.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <osteon/io/voxfe/script.hpp>
#include <random>
#include <string>

struct voxfe_files {
  std::string script, materials, model, constraints;
};

/// Writes the files `script`, `mat`, `model` and `nodes`. The destructor removes these files.
class voxfe_folder {
 public:
  explicit voxfe_folder(const voxfe_files& files) {
    std::string name = (std::filesystem::temp_directory_path() / "osteon-voxfe-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
    put("script", files.script);
    put("mat", files.materials);
    put("model", files.model);
    put("nodes", files.constraints);
  }
  ~voxfe_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  voxfe_folder(const voxfe_folder&) = delete;
  voxfe_folder& operator=(const voxfe_folder&) = delete;
  void put(const std::string& name, const std::string& text) const { std::ofstream(path_ / name, std::ios::binary) << text; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string script() const { return file("script"); }

 private:
  std::filesystem::path path_;
};

/// Canonical files of a random model. The model is a porous solid of several materials, with supports and forces.
inline voxfe_files random_voxfe(unsigned seed) {
  std::mt19937 draw(seed);
  const auto up_to = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  const auto real = [&] { return std::ldexp(static_cast<double>(draw()) + 1, up_to(40) - 60); };
  osteon::io::voxfe::script s;
  s.version = 1 + up_to(2);
  s.voxels = {3 + up_to(9), 3 + up_to(9), 3 + up_to(12)};
  for (double& h : s.voxel_size) h = 0.01 + real() / 1e7;
  for (int m = 0, id = 0; m < 1 + up_to(5); ++m) {
    id += 1 + up_to(50);
    s.materials.push_back(
        {id, "", 1 + 1000 * static_cast<double>(up_to(50)) + real(), 0.49 * (draw() % 1000) / 1000.0, up_to(2) == 1});
  }
  s.materials_file = "mat";
  s.model_file = "model";
  s.constraints_file = "nodes";
  s.tolerance = 1e-9;
  s.max_iterations = 1 + up_to(60000);
  s.min_iterations = up_to(3) == 0 ? 100 : 0;
  s.compute_sed = up_to(2) == 1;
  s.results = {"d.txt", up_to(2) == 1 ? "e.txt" : "", up_to(2) == 1 ? "r.txt" : "", "s.csv", up_to(2) == 1};
  for (int i = 0; i < 40; ++i) {
    osteon::io::voxfe::node_line l;
    for (std::size_t a = 0; a < 3; ++a) l.node[a] = 1 + up_to(static_cast<int>(s.voxels[a]) + 1);
    l.preserve = up_to(8) == 0;
    const bool hold = up_to(2) == 1;
    for (std::size_t a = 0; a < 3 && !l.preserve; ++a) {
      if (hold) l.flag[a] = up_to(2) == 1;
      if (!hold) l.value[a] = (up_to(2) == 1 ? -1 : 1) * real();
    }
    s.lines.push_back(l);
  }
  voxfe_files f;
  s.elements = 0;
  for (std::int64_t z = 1; z <= s.voxels[2]; ++z)
    for (std::int64_t y = 1; y <= s.voxels[1]; ++y)
      for (std::int64_t x = 1; x <= s.voxels[0]; ++x)
        if (up_to(4) == 0 || (x == s.voxels[0] && y == 1 && z == 1))  // the full index determines the base
          f.model +=
              fmt::format("{} {} {} {} {}\n", ++s.elements,
                          s.materials[static_cast<std::size_t>(up_to(static_cast<int>(s.materials.size())))].id, x, y, z);
  f.model = fmt::format("{}\n", s.elements) + f.model;
  f.script = osteon::io::voxfe::canonical_script(s);
  f.materials = osteon::io::voxfe::canonical_materials(s);
  f.constraints = osteon::io::voxfe::canonical_constraints(s);
  return f;
}
