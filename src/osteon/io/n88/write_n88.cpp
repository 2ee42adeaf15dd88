#include <osteon/io/n88/write_n88.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cctype>
#include <osteon/base/at.hpp>
#include <osteon/io/n88/n88_names.hpp>
#include <osteon/io/netcdf.hpp>
#include <set>

namespace osteon::io::n88 {

namespace {

constexpr std::size_t bytes_of_chunk = std::size_t{1} << 22;

void put_number(int group, const char* name, double value) {
  check_netcdf(nc_put_att_double(group, NC_GLOBAL, name, NC_DOUBLE, 1, &value), fmt::format("define '{}'", name));
}

// Define a variable of `rows` rows and `columns` columns; a single column has one dimension.
int define_list(int group, const char* name, nc_type type, std::array<int, 2> dimensions, std::size_t rows,
                std::size_t columns, std::size_t value_bytes) {
  const int id = define_variable(group, name, type, std::span(dimensions).first(columns > 1 ? 2 : 1));
  if (rows == 0) return id;
  const std::array<std::size_t, 2> chunk{std::clamp<std::size_t>(bytes_of_chunk / (value_bytes * columns), 1, rows),
                                         columns};
  check_netcdf(nc_def_var_chunking(group, id, NC_CHUNKED, chunk.data()), fmt::format("define '{}'", name));
  check_netcdf(nc_def_var_fill(group, id, NC_NOFILL, nullptr), fmt::format("define '{}'", name));
  return id;
}

// Creates unique names that are valid in netCDF and in a comma-separated list.
class free_names {
 public:
  std::string of(const std::string& wanted) {
    std::string name;
    for (const unsigned char c : wanted)
      name += c < 128 && (std::isalnum(c) || c == '-' || c == '.' || c == ' ') ? static_cast<char>(c) : '_';
    while (!name.empty() && name.back() == ' ') name.pop_back();
    if (name.empty() || !std::isalnum(static_cast<unsigned char>(name[0]))) name.insert(name.begin(), '_');
    name.resize(std::min<std::size_t>(name.size(), 100));
    std::string free = name;
    for (int n = 2; !used_.insert(free).second; ++n) free = fmt::format("{}_{}", name, n);
    return free;
  }

 private:
  std::set<std::string> used_;
};

// A defined constraint; its values are written later.
struct constraint {
  int group = -1;
  const std::vector<node_value>* values = nullptr;
};

constraint define_constraint(int constraints, const std::string& name, const char* type,
                             const std::vector<node_value>& values) {
  const int group = define_group(constraints, name);
  put_text(group, NC_GLOBAL, "Part", "Part1");
  put_text(group, NC_GLOBAL, "Type", type);
  const int count = define_dimension(group, "NumberOfValues", values.size());
  define_list(group, "NodeNumber", NC_UINT, {count, -1}, values.size(), 1, 4);
  define_list(group, "Sense", NC_BYTE, {count, -1}, values.size(), 1, 1);
  define_list(group, "Value", NC_FLOAT, {count, -1}, values.size(), 1, 4);
  return {group, &values};
}

void write_constraint(const constraint& c) {
  if (c.values->empty()) return;
  std::vector<unsigned> nodes;
  std::vector<signed char> senses;
  std::vector<float> amounts;
  for (const node_value& v : *c.values) {
    nodes.push_back(static_cast<unsigned>(v.node) + 1);
    senses.push_back(static_cast<signed char>(sense_of(v.axis)));
    amounts.push_back(static_cast<float>(v.value));
  }
  check_netcdf(nc_put_var_uint(c.group, find_variable(c.group, "NodeNumber"), nodes.data()), "write nodes");
  check_netcdf(nc_put_var_schar(c.group, find_variable(c.group, "Sense"), senses.data()), "write senses");
  check_netcdf(nc_put_var_float(c.group, find_variable(c.group, "Value"), amounts.data()), "write values");
}

}  // namespace

struct model_writer::file {
  netcdf_file netcdf;
  int part = -1, hexahedra = -1, coordinates = -1, numbers = -1, corners = -1, materials = -1;
  std::size_t nodes = 0, elements = 0;  // numbers of written nodes and elements

  explicit file(int id) : netcdf(id, netcdf_file::use::writing) {}
  void define_part(const description& model, int three);
};

void model_writer::file::define_part(const description& model, int three) {
  part = define_group(define_group(netcdf.id(), "Parts"), "Part1");
  const int node = define_dimension(part, "NumberOfNodes", at(model.nodes));
  coordinates = define_list(part, "NodeCoordinates", NC_FLOAT, {node, three}, at(model.nodes), 3, 4);
  hexahedra = define_group(define_group(part, "Elements"), "Hexahedrons");
  const int eight = define_dimension(hexahedra, "NumberOfNodesPerElement", 8),
            element = define_dimension(hexahedra, "NumberOfElements", at(model.elements));
  numbers = define_list(hexahedra, "ElementNumber", NC_UINT, {element, -1}, at(model.elements), 1, 4);
  corners = define_list(hexahedra, "NodeNumbers", NC_UINT, {element, eight}, at(model.elements), 8, 4);
  materials = define_list(hexahedra, "MaterialID", NC_UINT, {element, -1}, at(model.elements), 1, 4);
}

model_writer::model_writer(const std::string& name, const description& model) {
  int id = -1;
  check_netcdf(nc_create(netcdf_path(name), NC_NETCDF4 | NC_CLOBBER, &id), fmt::format("create '{}'", name));
  file_ = std::make_unique<file>(id);
  put_text(id, NC_GLOBAL, "Conventions", conventions);
  put_text(id, NC_GLOBAL, "History", model.history);
  const int three = define_dimension(id, "Dimensionality", 3);

  free_names names_of_materials;
  std::vector<std::string> materials;
  const int definitions = define_group(id, "MaterialDefinitions");
  for (std::size_t m = 1; m < model.materials.size(); ++m) {
    const voxel::material& of = model.materials[m];
    materials.push_back(names_of_materials.of(of.name.empty() ? fmt::format("material {}", m) : of.name));
    const int group = define_group(definitions, materials.back());
    put_text(group, NC_GLOBAL, "Type", type_of_materials);
    put_number(group, "E", of.youngs_modulus_MPa);
    put_number(group, "nu", of.poisson_ratio);
  }
  file_->define_part(model, three);
  const int table = define_group(file_->part, "MaterialTable");
  const int size = define_dimension(table, "Size", materials.size());
  const int ids = define_variable(table, "ID", NC_UINT, {&size, 1}),
            names = define_variable(table, "MaterialName", NC_STRING, {&size, 1});

  std::vector<constraint> constraints;
  free_names names_of_constraints, names_of_problems, names_of_sets;
  const int all_constraints = define_group(id, "Constraints");
  std::vector<std::pair<int, const node_list*>> sets;
  if (!model.sets.empty()) {
    const int all_sets = define_group(define_group(id, "Sets"), "NodeSets");
    for (const node_list& s : model.sets) {
      const int group = define_group(all_sets, names_of_sets.of(s.name));
      put_text(group, NC_GLOBAL, "Part", "Part1");
      const int count = define_dimension(group, "NumberOfNodes", s.nodes.size());
      define_list(group, "NodeNumber", NC_UINT, {count, -1}, s.nodes.size(), 1, 4);
      sets.emplace_back(group, &s);
    }
  }
  const int problems = define_group(id, "Problems");
  for (const problem& p : model.problems) {
    const std::string own = names_of_problems.of(p.name);
    if (&p == &model.problems.front()) put_text(id, NC_GLOBAL, "ActiveProblem", own);
    std::string list;
    const auto add = [&](const char* kind, const char* type, const std::vector<node_value>& values) {
      if (values.empty()) return;
      const std::string constrained = names_of_constraints.of(fmt::format("{} {}", own, kind));
      constraints.push_back(define_constraint(all_constraints, constrained, type, values));
      list += (list.empty() ? "" : ",") + constrained;
    };
    add("displacements", type_of_displacements, p.displacements);
    add("forces", type_of_forces, p.forces);
    const int group = define_group(problems, own);
    put_text(group, NC_GLOBAL, "Part", "Part1");
    put_text(group, NC_GLOBAL, "Constraints", list);
  }
  check_netcdf(nc_enddef(id), "define the file");

  for (std::size_t m = 0; m < materials.size(); ++m) {
    const unsigned number = static_cast<unsigned>(m) + 1;
    const char* text = materials[m].c_str();
    check_netcdf(nc_put_var1_uint(table, ids, &m, &number), "write IDs");
    check_netcdf(nc_put_var1_string(table, names, &m, &text), "write names");
  }
  for (const constraint& c : constraints) write_constraint(c);
  for (const auto& [group, s] : sets) {
    std::vector<unsigned> nodes;
    for (const std::int32_t n : s->nodes) nodes.push_back(static_cast<unsigned>(n) + 1);
    if (!nodes.empty())
      check_netcdf(nc_put_var_uint(group, find_variable(group, "NodeNumber"), nodes.data()), "write a set");
  }
}

model_writer::~model_writer() = default;

void model_writer::add_nodes(std::span<const float> xyz_mm) {
  const std::array<std::size_t, 2> first{file_->nodes, 0}, count{xyz_mm.size() / 3, 3};
  check_netcdf(nc_put_vara_float(file_->part, file_->coordinates, first.data(), count.data(), xyz_mm.data()), "write nodes");
  file_->nodes += count[0];
}

void model_writer::add_elements(std::span<const std::array<std::int32_t, 8>> corners,
                                std::span<const material_number> materials) {
  std::vector<unsigned> nodes, numbers, ids;
  nodes.reserve(8 * corners.size());
  for (std::size_t e = 0; e < corners.size(); ++e) {
    for (const std::int32_t n : corners[e]) nodes.push_back(static_cast<unsigned>(n) + 1);
    numbers.push_back(static_cast<unsigned>(file_->elements + e) + 1);
    ids.push_back(materials[e]);
  }
  const std::array<std::size_t, 2> first{file_->elements, 0}, count{corners.size(), 8};
  const int group = file_->hexahedra;
  check_netcdf(nc_put_vara_uint(group, file_->corners, first.data(), count.data(), nodes.data()), "write elements");
  check_netcdf(nc_put_vara_uint(group, file_->numbers, first.data(), count.data(), numbers.data()), "write elements");
  check_netcdf(nc_put_vara_uint(group, file_->materials, first.data(), count.data(), ids.data()), "write elements");
  file_->elements += corners.size();
}

void model_writer::close() { file_->netcdf.close(); }

}  // namespace osteon::io::n88
