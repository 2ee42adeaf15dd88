#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/io/voxfe/script.hpp>
#include <set>

namespace osteon::io::voxfe {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

bool acts(const node_line& line) {
  return !line.preserve && std::any_of(line.value.begin(), line.value.end(), [](double v) { return v != 0; });
}
bool is_flagged(const node_line& line) {
  return std::any_of(line.flag.begin(), line.flag.end(), [](bool c) { return c; });
}

// Detect the dialect. In VOX-FE, flags lock axes. In some files of VoxFE-UV, the flags of a force select its components.
flag_dialect find_dialect(const script& s) {
  if (s.dialect != flag_dialect::automatic) return s.dialect;
  const auto forces = std::count_if(s.lines.begin(), s.lines.end(), acts);
  const auto plain =
      std::count_if(s.lines.begin(), s.lines.end(), [](const node_line& l) { return acts(l) && !is_flagged(l); });
  return 2 * plain >= forces ? flag_dialect::lock_flags : flag_dialect::force_mask;
}

// File name without folders. All files are written to the folder of the new script.
std::string plain_name(const std::string& path, const char* otherwise) {
  const std::string name = fs::path(path).filename().string();
  return name.empty() || name == "." || name == ".." ? otherwise : name;
}

}  // namespace

std::vector<voxel::node_condition> conditions_of(const script& s, int base, std::vector<std::string>& notes) {
  const flag_dialect dialect = find_dialect(s);
  std::vector<voxel::node_condition> conditions;
  std::set<std::array<std::int64_t, 3>> nodes;
  std::int64_t ignored = 0, repeated = 0;
  for (std::size_t i = 0; i < s.lines.size(); ++i) {
    const node_line& line = s.lines[i];
    voxel::node_condition c;
    for (int a = 0; a < 3; ++a) {
      const auto xyz = static_cast<std::size_t>(2 - a);
      c.node[a] = line.node[xyz] - base;
      if (c.node[a] < 0 || c.node[a] > s.voxels[xyz])
        throw data_error(fmt::format(
            "{}:{}: {} = {} is not a node of the grid of {} x {} x {} voxels with first index {}; the last index is {}",
            i < s.lines_of_script ? s.path : beside(s, s.constraints_file), line.line, "zyx"[a], line.node[xyz], s.voxels[0],
            s.voxels[1], s.voxels[2], base, s.voxels[xyz] + base));
    }
    c.preserved = line.preserve;
    if (!line.preserve) {
      const bool masked = dialect == flag_dialect::force_mask && acts(line);
      for (int a = 0; a < 3; ++a) {
        const auto xyz = static_cast<std::size_t>(2 - a);
        if (masked)
          c.force_N[a] = line.flag[xyz] ? line.value[xyz] : 0;
        else if (is_flagged(line))
          c.held[static_cast<std::size_t>(a)] = line.flag[xyz];
        else
          c.force_N[a] = line.value[xyz];
      }
      ignored += !masked && is_flagged(line) && acts(line);
      repeated += !nodes.insert(line.node).second;
    }
    conditions.push_back(c);
  }
  if (dialect == flag_dialect::force_mask && s.dialect == flag_dialect::automatic)
    notes.push_back(
        "most forces have flags: flags are interpreted as components of the force; use SELECT_NODE_MODE lock_flags to "
        "interpret flags as locks");
  if (ignored > 0)
    notes.push_back(fmt::format(
        "{} lines contain locks and a vector; the vector is ignored as in VOX-FE: locked displacements are 0", ignored));
  if (repeated > 0)
    notes.push_back(fmt::format("{} lines refer to a previous node: forces are added, locks are combined", repeated));
  return conditions;
}

voxel::model_header header_of(const script& s, unit_system units, int base) {
  const double length = units == unit_system::m_Pa ? 1e3 : 1, modulus = units == unit_system::m_Pa ? 1e-6 : 1;
  voxel::model_header header;
  header.shape = s.shape();
  header.spacing_mm = {s.voxel_size[2] * length, s.voxel_size[1] * length, s.voxel_size[0] * length};
  header.materials.push_back({"empty", 0, 0, 0});
  json ids = json::array(), fixed_density = json::array();
  for (const material_row& m : s.materials) {
    header.materials.push_back(
        {m.name.empty() ? fmt::format("material {}", m.id) : m.name, m.youngs_modulus * modulus, m.poisson_ratio, 0});
    ids.push_back(m.id);
    if (!m.remodelled) fixed_density.push_back(m.id);
  }
  std::vector<std::string> notes;
  header.conditions = conditions_of(s, base, notes);
  const std::string model = beside(s, s.model_file);
  header.source = model;
  header.source_sha256 = sha256_of_file(s.path);
  const json image = {{"path", fs::absolute(model).lexically_normal().string()},
                      {"sha256", header.source_sha256},
                      {"format", "VOX-FE text"},
                      {"shape", {header.shape.z, header.shape.y, header.shape.x}},
                      {"dtype", "uint8"},
                      {"spacing_mm", {header.spacing_mm.z, header.spacing_mm.y, header.spacing_mm.x}},
                      {"spacing_note", units == unit_system::m_Pa
                                           ? "VOXEL_SIZE of the script, assumed to be in m (moduli in Pa, forces in N)."
                                           : "VOXEL_SIZE of the script, assumed to be in mm (moduli in MPa, forces in N)."}};
  const json record = {{"version", s.version},
                       {"scale", s.scale},
                       {"materials_file", s.materials_file},
                       {"material_ids", ids},
                       {"not_remodelled", fixed_density},
                       {"model_file", s.model_file},
                       {"algorithm", s.algorithm},
                       {"max_iterations", s.max_iterations},
                       {"min_iterations", s.min_iterations},
                       {"tolerance", s.tolerance},
                       {"constraints_file", s.constraints_file},
                       {"compute_sed", s.compute_sed},
                       {"displacement", s.results.displacement},
                       {"displacement_with_places", s.results.with_places},
                       {"strain", s.results.strain},
                       {"reaction", s.results.reaction},
                       {"sed", s.results.sed}};
  header.provenance_json = json_to_text(json{{"image", image}, {"segmentation", {{"method", "given"}}}, {"voxfe", record}});
  return header;
}

script script_of(const voxel::model_header& header, const std::string& script_path) {
  script s;
  s.path = script_path;
  for (int a = 0; a < 3; ++a) {
    s.voxel_size[static_cast<std::size_t>(a)] = header.spacing_mm[2 - a];
    s.voxels[static_cast<std::size_t>(a)] = header.shape[2 - a];
  }
  for (std::int64_t n : header.active_per_plane) s.elements = std::max<std::int64_t>(s.elements, 0) + n;
  for (std::size_t m = 1; m < header.materials.size(); ++m)
    s.materials.push_back(
        {static_cast<int>(m), "", header.materials[m].youngs_modulus_MPa, header.materials[m].poisson_ratio, true});
  const auto provenance = json_from_text<json>(header.provenance_json);
  if (provenance.is_object() && provenance.contains("voxfe")) try {
      const json& record = provenance.at("voxfe");
      s.version = record.at("version") == 2 ? 2 : 1;
      s.scale = record.at("scale");
      s.materials_file = record.at("materials_file");
      s.model_file = record.at("model_file");
      s.algorithm = record.at("algorithm");
      s.max_iterations = record.at("max_iterations");
      s.min_iterations = record.at("min_iterations");
      s.tolerance = record.at("tolerance");
      s.constraints_file = record.at("constraints_file");
      s.compute_sed = record.at("compute_sed");
      s.results = {record.at("displacement"), record.at("strain"), record.at("reaction"), record.at("sed"),
                   record.at("displacement_with_places")};
      for (std::size_t m = 0; m < s.materials.size(); ++m) s.materials[m].id = record.at("material_ids").at(m);
      for (const int id : record.at("not_remodelled"))
        for (material_row& m : s.materials)
          if (m.id == id) m.remodelled = false;
    } catch (const json::exception& bad) {
      throw data_error(fmt::format("the provenance of the model contains an invalid VOX-FE script: {}", bad.what()));
    }
  s.materials_file = plain_name(s.materials_file, "materials.txt");
  s.model_file = plain_name(s.model_file, "model.txt");
  s.constraints_file = plain_name(s.constraints_file, "constraints.txt");
  const std::string own_name = fs::path(script_path).filename().string();
  const std::set<std::string> names{own_name, s.materials_file, s.model_file, s.constraints_file};
  if (names.size() != 4)
    throw usage_error(
        fmt::format("script, materials, model and constraints require different file names; '{}' is used twice: choose "
                    "another name for the script",
                    own_name));
  for (const voxel::node_condition& c : header.conditions) {
    node_line locked, loaded;
    locked.preserve = loaded.preserve = c.preserved;
    for (int a = 0; a < 3; ++a) {
      if (c.move_mm[a] != 0)
        throw usage_error(fmt::format(
            "node x, y, z = {}, {}, {} (from 0) has a displacement of {:.6g} mm; VOX-FE scripts support only fixed "
            "nodes: run the model directly, or export its job as .inp, .h5 or .n88model",
            c.node.x, c.node.y, c.node.z, c.move_mm[a]));
      const auto xyz = static_cast<std::size_t>(2 - a);
      locked.node[xyz] = loaded.node[xyz] = c.node[a] + 1;
      locked.flag[xyz] = c.held[static_cast<std::size_t>(a)];
      loaded.value[xyz] = c.force_N[a];
    }
    // A node with locks and a force requires two lines, because the vector of a line with flags is ignored.
    const bool is_locked = c.held[0] || c.held[1] || c.held[2], is_loaded = !(c.force_N == vector3{});
    if (is_locked || !is_loaded) s.lines.push_back(locked);
    if (is_loaded) s.lines.push_back(loaded);
  }
  return s;
}

std::string canonical_script(const script& s) {
  std::string text;
  const auto line = [&](const char* command, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} {}\n", command, value);
  };
  if (s.version == 2) text += "SET_SCRIPT_VERSION 2\n";
  text += fmt::format("LOAD_MATERIALS_FILE {}\n", s.materials_file);
  text += fmt::format("VOXEL_SIZE {} {} {} {}\n", s.voxel_size[0], s.voxel_size[1], s.voxel_size[2], s.scale);
  line("ALGORITHM_FEA", s.algorithm);
  text += fmt::format("MAX_ITER {}\n", s.max_iterations);
  if (s.min_iterations > 0) text += fmt::format("MIN_ITER {}\n", s.min_iterations);
  text += fmt::format("TOLERANCE {}\n", s.tolerance);
  text += fmt::format("LOAD_MCTSCAN {} {} {} ", s.voxels[0], s.voxels[1], s.voxels[2]);
  if (s.version == 2) text += fmt::format("{} ", s.elements);
  text += fmt::format("{}\nSELECTION_OF_NODES\nSELECT_NODE_FILE {}\n", s.model_file, s.constraints_file);
  if (s.compute_sed) text += "COMPUTE_SED\n";
  line(s.results.with_places ? "PRINT_DISPLACEMENTS" : "PRINT_X", s.results.displacement);
  line("PRINT_FULL_STRAIN", s.results.strain);
  line("REACTION", s.results.reaction);
  line("PRINT_SED", s.results.sed);
  return text;
}

std::string canonical_materials(const script& s) {
  std::string text;
  for (const material_row& m : s.materials)
    text += fmt::format("{} {} {} {}\n", m.id, m.youngs_modulus, m.poisson_ratio, m.remodelled ? 1 : 0);
  return text;
}

std::string canonical_constraints(const script& s) {
  std::string text;
  for (const node_line& l : s.lines)
    text +=
        fmt::format("{} {} {} {} {} {} {} {:d} {:d} {:d}\n", l.preserve ? "PRESERVE_NODE_3D" : "SELECT_NODE_3D", l.node[0],
                    l.node[1], l.node[2], l.value[0], l.value[1], l.value[2], l.flag[0], l.flag[1], l.flag[2]);
  return text;
}

}  // namespace osteon::io::voxfe
