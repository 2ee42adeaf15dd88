#include <osteon/io/n88/read_n88.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/model_checks.hpp>
#include <osteon/io/files/model_header_bytes.hpp>
#include <osteon/io/n88/n88_group.hpp>
#include <osteon/io/n88/n88_names.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/packed_voxels.hpp>

namespace osteon::io::n88 {

namespace {

constexpr std::int64_t nodes_at_once = std::int64_t{1} << 20, elements_at_once = std::int64_t{1} << 18;
constexpr double off_grid = 0.05;  // tolerance as a fraction of a voxel, because positions are in single precision

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string name = list.substr(begin, end - begin);
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back()))) name.pop_back();
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.front()))) name.erase(name.begin());
    if (!name.empty()) names.push_back(name);
    begin = end + 1;
  }
  return names;
}

// Select the active problem of a file.
group active_problem(const group& file, std::vector<std::string>& notes) {
  const group problems = file.at("Problems");
  const auto all = problems.all();
  const auto name = file.text("ActiveProblem");
  if (!name && all.size() != 1)
    problems.fail(fmt::format("the file has {} problems; the attribute ActiveProblem is required", all.size()));
  if (all.size() > 1)
    notes.push_back(fmt::format("the file has {} problems; the active problem '{}' is used", all.size(), *name));
  return name ? problems.at(*name) : all.front();
}

void check_material(const group& definition, double modulus, double ratio) {
  if (!(modulus > 0) || !std::isfinite(modulus))
    definition.fail(fmt::format("E is {} MPa; must be finite and > 0", modulus));
  if (!(ratio > -1 && ratio < 0.5)) definition.fail(fmt::format("nu is {}; must be in (-1, 0.5)", ratio));
}

// Read materials by ID. An array of materials has consecutive IDs.
void read_materials(const group& file, const group& part, outline& out) {
  const group definitions = file.at("MaterialDefinitions"), table = part.at("MaterialTable");
  const auto ids = table.integers("ID");
  const auto names = table.texts("MaterialName");
  if (ids.size() != names.size()) table.fail("ID and MaterialName have different lengths");
  std::map<std::int64_t, voxel::material> by_id;
  const auto add = [&](std::int64_t id, const group& of, std::string name, double modulus, double ratio) {
    check_material(of, modulus, ratio);
    if (!by_id.insert({id, {std::move(name), modulus, ratio, 0}}).second)
      table.fail(fmt::format("duplicate ID {}; each material requires a unique ID", id));
  };
  for (std::size_t n = 0; n < ids.size(); ++n) {
    if (ids[n] == 0) continue;  // unused row
    const group of = definitions.at(names[n]);
    const std::string type = of.text("Type").value_or("");
    if (type != type_of_materials && type != "VonMisesIsotropic" && type != "MohrCoulombIsotropic" &&
        type != "MaximumPrincipalStrainIsotropic")
      of.fail(fmt::format("material type '{}' is not supported; use an isotropic material", type));
    if (type != type_of_materials)
      out.notes.push_back(fmt::format("material '{}': yield ({}) is ignored; the model is elastic", names[n], type));
    if (of.has("E")) {
      const auto modulus = of.numbers("E"), ratio = of.numbers("nu");
      if (modulus.size() != ratio.size()) of.fail("E and nu have different lengths");
      if (modulus.size() > most_materials)
        of.fail(fmt::format("the number of materials ({}) exceeds the limit of {}", modulus.size(), most_materials));
      for (std::size_t k = 0; k < modulus.size(); ++k)
        add(ids[n] + static_cast<std::int64_t>(k), of, fmt::format("{} {}", names[n], k + 1), modulus[k], ratio[k]);
      continue;
    }
    const auto modulus = of.number("E"), ratio = of.number("nu");
    if (!modulus || !ratio) of.fail("missing E or nu");
    add(ids[n], of, names[n], *modulus, *ratio);
  }
  if (by_id.empty()) table.fail("the table contains no material");
  if (by_id.size() > most_materials)
    table.fail(fmt::format("the number of materials ({}) exceeds the limit of {}", by_id.size(), most_materials));
  out.header.materials.push_back({"empty", 0, 0, 0});
  for (auto& [id, m] : by_id) {
    out.number[id] = static_cast<material_number>(out.header.materials.size());
    out.header.materials.push_back(std::move(m));
  }
}

struct node_positions {
  const group& part;
  std::int64_t first = 0;
  std::vector<double> xyz{};

  void load(std::int64_t begin, std::int64_t end) {
    first = begin;
    xyz = part.numbers("NodeCoordinates", static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  vector3 operator[](std::int64_t node) const {
    const double* const p = xyz.data() + 3 * (node - first);
    return {p[2], p[1], p[0]};
  }
};

// Grid index of a position in mm. @return an empty value if the position is not on the grid
std::optional<index3> on_grid(const voxel::model_header& header, const vector3& at_mm) {
  index3 place;
  for (int a = 0; a < 3; ++a) {
    const double exact = (at_mm[a] - header.origin_mm[a]) / header.spacing_mm[a], near = std::round(exact);
    if (!(std::abs(exact - near) <= off_grid) || near < 0 || near > static_cast<double>(header.shape[a]))
      return std::nullopt;
    place[a] = static_cast<std::int64_t>(near);
  }
  return place;
}

std::int64_t node_in(const group& of, long long number, std::int64_t nodes) {
  if (number < 1 || number > nodes)
    of.fail(fmt::format("node {} does not exist; the file has the nodes 1 to {}", number, nodes));
  return number - 1;
}

// Compute the edge lengths from one element. Then compute the number of voxels, and more precise edge lengths, from the
// bounding box of all nodes.
void find_grid(const group& part, const group& hexahedra, outline& out) {
  const auto extents = part.extents("NodeCoordinates"), corners = hexahedra.extents("NodeNumbers");
  if (extents.size() != 2 || extents[1] != 3) part.fail("NodeCoordinates must have 3 columns (x, y, z)");
  if (corners.size() != 2 || corners[1] != 8) hexahedra.fail("NodeNumbers must have 8 columns (corners)");
  out.nodes = static_cast<std::int64_t>(extents[0]);
  out.elements = static_cast<std::int64_t>(corners[0]);
  if (out.elements == 0) hexahedra.fail("the model contains no elements");
  if (hexahedra.length("MaterialID") != corners[0]) hexahedra.fail("MaterialID and NodeNumbers have different lengths");
  const auto first = hexahedra.integers("NodeNumbers", 0, 1);
  std::array<vector3, 8> at;
  node_positions some{part};
  for (std::size_t c = 0; c < 8; ++c) {
    const std::int64_t node = node_in(hexahedra, first[c], out.nodes);
    some.load(node, node + 1);
    at[c] = some[node];
  }
  vector3 edge{at[4].z - at[0].z, at[2].y - at[0].y, at[1].x - at[0].x};
  vector3 low = at[0], high = at[0];
  for (std::int64_t begin = 0; begin < out.nodes; begin += nodes_at_once) {
    const std::int64_t end = std::min(begin + nodes_at_once, out.nodes);
    some.load(begin, end);
    for (std::int64_t n = begin; n < end; ++n)
      for (int a = 0; a < 3; ++a) {
        const double p = some[n][a];
        if (!std::isfinite(p)) part.fail(fmt::format("the position of node {} must be finite", n + 1));
        low[a] = std::min(low[a], p);
        high[a] = std::max(high[a], p);
      }
  }
  constexpr double most = 1e9;  // limit of voxels along an axis
  for (int a = 0; a < 3; ++a) {
    const double count = std::round((high[a] - low[a]) / edge[a]);
    if (!(edge[a] > 0) || !(count >= 1 && count < most))
      hexahedra.fail(fmt::format("the first element (edges of {}, {}, {} mm along z, y, x) must be an axis-aligned voxel",
                                 edge.z, edge.y, edge.x));
    out.header.shape[a] = static_cast<std::int64_t>(count);
    edge[a] = (high[a] - low[a]) / count;
  }
  // Positions in single precision limit the precision of the edge lengths. Round each edge length to the shortest decimal
  // number within this precision.
  vector3 off;
  for (int a = 0; a < 3; ++a) {
    off[a] = static_cast<double>(std::numeric_limits<float>::epsilon()) * std::max(std::abs(low[a]), std::abs(high[a])) /
                 static_cast<double>(out.header.shape[a]) +
             1e-7 * edge[a];
    for (const double unit : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
      if (const double neat = std::round(edge[a] / unit) * unit; std::abs(neat - edge[a]) <= off[a]) {
        edge[a] = neat;
        break;
      }
  }
  // If the edge lengths of the axes are equal within this precision, use the most precise edge length.
  const auto [least, largest] = std::minmax({edge.z, edge.y, edge.x});
  if (largest - least <= 2 * std::max({off.z, off.y, off.x})) {
    const double h = off.z <= off.y && off.z <= off.x ? edge.z : off.y <= off.x ? edge.y : edge.x;
    edge = {h, h, h};
  }
  out.header.spacing_mm = edge;
  out.header.origin_mm = low;
  constexpr double most_voxels_per_element = 1e4;
  const index3 n = out.header.shape;
  const double voxels = static_cast<double>(n.z) * static_cast<double>(n.y) * static_cast<double>(n.x);
  if (voxels > most_voxels_per_element * (static_cast<double>(out.elements) + 1000))
    hexahedra.fail(
        fmt::format("{} elements in a box of {} x {} x {} voxels are improbable; check the positions of the nodes",
                    out.elements, out.header.shape.z, out.header.shape.y, out.header.shape.x));
  check_geometry(n, edge, low);
}

// Read the displacements and forces of the problem, sorted by node.
void read_constraints(const group& file, const group& problem, const group& part, outline& out) {
  struct value {
    std::int64_t node;
    int axis;
    double value;
    bool is_force;
  };
  std::vector<value> values;
  for (const std::string& name : split(problem.text("Constraints").value_or(""))) {
    const group of = file.at("Constraints").at(name);
    const std::string type = of.text("Type").value_or("");
    if (type != type_of_displacements && type != type_of_forces)
      of.fail(fmt::format("constraint type '{}' is not supported; must be {} or {}", type, type_of_displacements,
                          type_of_forces));
    const auto nodes = of.integers("NodeNumber"), senses = of.integers("Sense");
    const auto amounts = of.numbers("Value");
    if (nodes.size() != senses.size() || nodes.size() != amounts.size())
      of.fail("NodeNumber, Sense and Value have different lengths");
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (senses[n] < 1 || senses[n] > 3) of.fail(fmt::format("Sense {} must be 1 (x), 2 (y) or 3 (z)", senses[n]));
      if (!std::isfinite(amounts[n])) of.fail(fmt::format("Value of node {} must be finite", nodes[n]));
      values.push_back({node_in(of, nodes[n], out.nodes), axis_of_sense(static_cast<int>(senses[n])), amounts[n],
                        type == type_of_forces});
    }
  }
  if (values.size() > 3 * most_conditions)
    problem.fail(fmt::format("the number of constraints ({}) exceeds the limit of {}", values.size(), 3 * most_conditions));
  std::stable_sort(values.begin(), values.end(), [](const value& a, const value& b) { return a.node < b.node; });
  node_positions near{part};
  std::int64_t loaded = 0;  // end of the nodes that have been read
  for (std::size_t i = 0; i < values.size();) {
    const std::int64_t node = values[i].node;
    if (node >= loaded) {
      loaded = std::min(node + nodes_at_once, out.nodes);
      near.load(node, loaded);
    }
    const auto place = on_grid(out.header, near[node]);
    if (!place) part.fail(fmt::format("node {} must be at the corner of a voxel", node + 1));
    voxel::node_condition c;
    c.node = *place;
    for (; i < values.size() && values[i].node == node; ++i) {
      const value& v = values[i];
      const auto a = static_cast<std::size_t>(v.axis);
      if (v.is_force) {
        c.force_N[v.axis] += v.value;
        continue;
      }
      if (c.held[a] && c.move_mm[v.axis] != v.value)
        problem.fail(fmt::format("node {} has contradictory displacements of {:.6g} and {:.6g} mm along {}", node + 1,
                                 c.move_mm[v.axis], v.value, "zyx"[a]));
      c.held[a] = true;
      c.move_mm[v.axis] = v.value;
    }
    out.header.conditions.push_back(c);
  }
}

std::string provenance_of(const outline& out, const group& file) {
  using json = nlohmann::ordered_json;
  const voxel::model_header& h = out.header;
  json ids = json::array();
  for (const auto& [id, number] : out.number) ids.push_back(id);
  const json image = {
      {"path", h.source},
      {"sha256", h.source_sha256},
      {"format", "n88model"},
      {"shape", {h.shape.z, h.shape.y, h.shape.x}},
      {"dtype", "uint16"},
      {"spacing_mm", {h.spacing_mm.z, h.spacing_mm.y, h.spacing_mm.x}},
      {"spacing_note", "Edges of the elements of the model, assumed to be in mm (moduli in MPa, forces in N)."}};
  json record = {{"material_ids", ids}};
  if (const auto history = file.text("History")) record["history"] = *history;
  return json_to_text(json{{"image", image}, {"segmentation", {{"method", "given"}}}, {"n88", record}});
}

// Group of the hexahedra of a part. @throws data_error if the part has other elements
group hexahedra_of(const group& part) {
  const group elements = part.at("Elements");
  for (const group& kind : elements.all())
    if (!kind.name().ends_with("/Hexahedrons")) kind.fail("element type not supported; use hexahedra");
  return elements.at("Hexahedrons");
}

// Packed voxels of the elements [begin, end).
std::vector<std::int64_t> read_elements(const outline& of, std::int64_t begin, std::int64_t end) {
  const netcdf_file opened = open_to_read(of.path, "the model ");
  const group file(opened.id(), of.path, ""), part = file.at("Parts").at(of.part), hexahedra = hexahedra_of(part);
  const index3 shape = of.header.shape;
  std::vector<std::int64_t> voxels;
  voxels.reserve(static_cast<std::size_t>(end - begin));
  node_positions near{part};
  for (std::int64_t first = begin; first < end; first += elements_at_once) {
    const auto count = static_cast<std::size_t>(std::min(elements_at_once, end - first));
    const auto corners = hexahedra.integers("NodeNumbers", static_cast<std::size_t>(first), count);
    const auto ids = hexahedra.integers("MaterialID", static_cast<std::size_t>(first), count);
    const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
    near.load(node_in(hexahedra, *low, of.nodes), node_in(hexahedra, *high, of.nodes) + 1);
    for (std::size_t e = 0; e < count; ++e) {
      const auto corner = on_grid(of.header, near[corners[8 * e] - 1]);
      bool is_voxel = corner.has_value();
      for (std::size_t c = 1; c < 8 && is_voxel; ++c) {
        const index3 step{static_cast<std::int64_t>(c >> 2), static_cast<std::int64_t>(c >> 1 & 1),
                          static_cast<std::int64_t>(c & 1)};
        const auto place = on_grid(of.header, near[corners[8 * e + c] - 1]);
        is_voxel = place && *place == *corner + step;
      }
      const std::int64_t number = first + static_cast<std::int64_t>(e) + 1;
      if (!is_voxel)
        hexahedra.fail(fmt::format("element {} is not on the grid of the other elements ({} x {} x {} mm, z, y, x)", number,
                                   of.header.spacing_mm.z, of.header.spacing_mm.y, of.header.spacing_mm.x));
      const auto material = of.number.find(ids[e]);
      if (material == of.number.end())
        hexahedra.fail(fmt::format("element {}: material {} is not in the table", number, ids[e]));
      voxels.push_back(pack_voxel((corner->z * shape.y + corner->y) * shape.x + corner->x, material->second));
    }
  }
  return voxels;
}

[[noreturn]] void reject_duplicate(const outline& of, std::int64_t place) {
  const index3 n = of.header.shape;
  throw data_error(fmt::format("'{}': duplicate element at voxel x, y, z = {}, {}, {} (from 0)", of.path, place % n.x,
                               place / n.x % n.y, place / n.x / n.y));
}

// Broadcast the data read by rank 0. @collective on comm
void broadcast(MPI_Comm comm, outline& of) {
  std::string bytes;
  const bool root = comm::rank(comm) == 0;
  comm::collectively(comm, [&] {
    if (!root) return;
    nlohmann::json rest = {{"ids", nlohmann::json::array()},
                           {"part", of.part},
                           {"nodes", of.nodes},
                           {"elements", of.elements},
                           {"notes", of.notes}};
    for (const auto& [id, number] : of.number) rest["ids"].push_back(id);
    const std::string text = json_to_text(rest);
    const std::vector<char> header = pack(of.header);
    bytes = fmt::format("{:016}{}", text.size(), text);
    bytes.append(header.begin(), header.end());
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw data_error(fmt::format("'{}': the constraints exceed the limit of 2 GiB", of.path));
  });
  bytes = comm::broadcast(comm, std::move(bytes));
  comm::collectively(comm, [&] {
    if (root) return;
    const std::size_t length = std::stoull(bytes.substr(0, 16));
    const auto rest = valid_json_from_text<nlohmann::json>(bytes.substr(16, length));
    of.header = unpack({bytes.begin() + 16 + static_cast<std::ptrdiff_t>(length), bytes.end()});
    of.part = rest.at("part");
    of.nodes = rest.at("nodes");
    of.elements = rest.at("elements");
    of.notes = rest.at("notes").get<std::vector<std::string>>();
    material_number number = 0;
    for (const auto& id : rest.at("ids")) of.number[id.get<std::int64_t>()] = ++number;
  });
}

}  // namespace

bool is_model_name(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".n88model";
}

outline read_outline(const std::string& path) {
  const netcdf_file opened = open_to_read(path, "the model ");
  const group file(opened.id(), path, "");
  if (const auto found = file.text("Conventions"); found.value_or("") != conventions)
    file.fail(fmt::format("attribute Conventions ('{}') must be '{}' for models of FAIM and n88tools", found.value_or(""),
                          conventions));
  outline out;
  out.path = path;
  const group problem = active_problem(file, out.notes);
  out.part = problem.text("Part").value_or("Part1");
  const group part = file.at("Parts").at(out.part);
  read_materials(file, part, out);
  find_grid(part, hexahedra_of(part), out);
  read_constraints(file, problem, part, out);
  out.header.source = std::filesystem::absolute(path).lexically_normal().string();
  out.header.source_sha256 = sha256_of_file(path);
  out.header.provenance_json = provenance_of(out, file);
  return out;
}

whole_model read_whole_model(const std::string& path) {
  whole_model model{read_outline(path), {}};
  const index3 shape = model.file.header.shape;
  const auto voxels = read_elements(model.file, 0, model.file.elements);
  unpacked_planes all = unpack_voxels({{0, 0, 0}, shape}, voxels);
  if (all.twice) reject_duplicate(model.file, *all.twice);
  model.material = std::move(all.material);
  auto& active = model.file.header.active_per_plane;
  active.resize(static_cast<std::size_t>(shape.z));
  for (const std::int64_t v : voxels) ++active[static_cast<std::size_t>(v / packed_materials / (shape.y * shape.x))];
  return model;
}

model_planes read_model(MPI_Comm comm, const std::string& path) {
  model_planes model;
  model.file.path = path;
  comm::collectively(comm, [&] {
    if (comm::rank(comm) == 0) model.file = read_outline(path);
  });
  broadcast(comm, model.file);
  const std::int64_t rank = comm::rank(comm), ranks = comm::size(comm), all = model.file.elements;
  const index3 shape = model.file.header.shape;
  std::vector<std::int64_t> voxels, active(static_cast<std::size_t>(shape.z));
  comm::collectively(comm, [&] {
    voxels = read_elements(model.file, all * rank / ranks, all * (rank + 1) / ranks);
    for (const std::int64_t v : voxels) ++active[static_cast<std::size_t>(v / packed_materials / (shape.y * shape.x))];
  });
  comm::all_reduce(comm, active.data(), active.size(), MPI_SUM);
  model.file.header.active_per_plane = active;
  model.where = grid::make_block(comm, shape, active);
  const std::vector<std::int64_t> mine = send_to_owners(model.where, voxels);
  comm::collectively(comm, [&] {
    unpacked_planes planes = unpack_voxels(model.where.owned, mine);
    if (planes.twice) reject_duplicate(model.file, *planes.twice);
    model.material = std::move(planes.material);
  });
  return model;
}

}  // namespace osteon::io::n88
