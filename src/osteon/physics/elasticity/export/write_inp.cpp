#include <osteon/physics/elasticity/export/write_inp.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/physics/elasticity/loads/loaded_mesh.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace {

constexpr std::size_t inp_piece = std::size_t{4} << 20;
constexpr int most_increments = 100000;
constexpr int entries_a_line = 12;  // CalculiX and Abaqus read at most 16 entries per line

// Buffers text and writes the text to the disk in pieces.
class inp_stream {
 public:
  explicit inp_stream(const std::string& name) : name_(name), file_(name, std::ios::binary) {}
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
    if (text_.size() > inp_piece) flush();
  }
  void flush() {
    file_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    if (!file_) throw machine_error(fmt::format("cannot write '{}': {}", name_, std::strerror(errno)));
  }
  void close() {
    flush();
    file_.close();
    if (!file_) throw machine_error(fmt::format("cannot write '{}': {}", name_, std::strerror(errno)));
  }

 private:
  std::string name_;
  std::ofstream file_;
  fmt::memory_buffer text_;
};

// CalculiX truncates numbers of more than 20 characters.
std::string inp_number(double value) { return fmt::format("{:.12g}", value); }

// Replace control characters, because a comment must be one line.
std::string in_one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c); }, ' ');
  return text;
}

// Names of sets and materials: letters, digits and _, without duplicates.
class inp_names {
 public:
  std::string of(const std::string& wanted) {
    std::string name;
    for (const unsigned char c : wanted) name += std::isalnum(c) && c < 128 ? static_cast<char>(std::toupper(c)) : '_';
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "S_" + name;
    name.resize(std::min<std::size_t>(name.size(), 60));
    std::string free = name;
    for (int n = 2; !taken_.insert(free).second; ++n) free = fmt::format("{}_{}", name, n);
    return free;
  }

 private:
  std::set<std::string> taken_{"NALL", "EALL"};
};

// Return the number of the degree of freedom of an axis. The number of x is 1.
int freedom(int axis) { return 3 - axis; }

class inp_writer {
 public:
  inp_writer(const numerics::elasticity_problem& problem, const node_sets& sets, const std::string& path)
      : problem_(problem), sets_(sets), out_(path) {}

  void head(const spec& job) {
    out_.put("*HEADING\n{}: osteon voxel model, mm N MPa\n", in_one_line(job.name));
    out_.put(
        "** {} voxels of {} x {} x {} (z, y, x), edges {} {} {} mm; element i is the i-th solid voxel, node i the i-th\n"
        "** corner, counted along x, then y, then z\n",
        problem_.cells.size(), problem_.cells.shape().z, problem_.cells.shape().y, problem_.cells.shape().x,
        inp_number(problem_.spacing_mm.z), inp_number(problem_.spacing_mm.y), inp_number(problem_.spacing_mm.x));
  }

  void mesh() {
    out_.put("*NODE, NSET=NALL\n");
    voxel::for_each_node(sets_.grid(), [&](std::int32_t node, index3 place) {
      const vector3 at = sets_.grid().position_mm(place);
      out_.put("{},{:.12g},{:.12g},{:.12g}\n", node + 1, at.x, at.y, at.z);
    });
    elements();
  }

  void materials(const voxel::material_table& table, const std::optional<inp_plasticity>& plasticity) {
    for (const auto& [m, set] : element_sets_) {
      const voxel::material& of = table[m];
      const std::string name = names_.of("M_" + (of.name.empty() ? fmt::format("{}", m) : of.name));
      out_.put("*MATERIAL, NAME={}\n*ELASTIC\n{},{}\n", name, inp_number(of.youngs_modulus_MPa),
               inp_number(of.poisson_ratio));
      // The stress is a linear function of the plastic strain and starts at the yield stress.
      if (const inp_plasticity::law y = plasticity ? plasticity->of_material.at(m) : inp_plasticity::law{}; y.yield_MPa > 0)
        out_.put("*PLASTIC\n{},0.\n{},1.\n", inp_number(y.yield_MPa), inp_number(y.yield_MPa + y.hardening_MPa));
      out_.put("*SOLID SECTION, ELSET={}, MATERIAL={}\n", set, name);
    }
  }

  void node_lists(const std::vector<load_case>& cases) {
    for_each_set(cases, [&](const node_set& set) { list(set); });
  }

  // @param turn factor of the displacements at the end of the step
  void step(const load_case& c, double turn = 1, const inp_plasticity* plasticity = nullptr) {
    out_.put("** load case {}: {}\n", c.name.empty() ? "1" : in_one_line(c.name), name_of(c.test));
    if (c.measures && c.measures->wanted)
      out_.put("** osteon scales the solution to {} {} on the driven face; this step prescribes the unscaled displacement\n",
               inp_number(*c.measures->wanted), c.measures->turns ? "N mm" : "N");
    if (plasticity)
      increments(plasticity->increments);
    else
      out_.put("*STEP\n*STATIC\n");
    out_.put("*BOUNDARY, OP=NEW\n");
    for (const numerics::prescribed_displacement& p : c.fixed)
      out_.put("{0},{1},{1},{2:.12g}\n", p.node + 1, freedom(static_cast<int>(p.direction)), turn * p.value_mm);
    out_.put("*CLOAD, OP=NEW\n");
    for (const auto& [node, force] : forces_of(c))
      for (int a = 2; a >= 0; --a)
        if (force[a] != 0) out_.put("{},{},{:.12g}\n", node + 1, freedom(a), force[a]);
    out_.put("*NODE FILE\nU, RF\n*EL FILE\nS, E\n");
    std::set<std::string> printed;
    for (const support& s : c.supports)
      if (const std::string& set = node_sets_.at(s.on->name); printed.insert(set).second)
        out_.put("*NODE PRINT, NSET={}, TOTALS=YES\nRF\n", set);
    out_.put("*END STEP\n");
  }

  void close() { out_.close(); }

 private:
  // Controls of a step with plasticity. The default of CalculiX accepts a residual of 0.5 %.
  void increments(std::int64_t count) {
    out_.put("*STEP, INC={}\n", most_increments);
    // The increments of the job are the initial and largest increments. With these limits, CalculiX halves increments that
    // do not converge, for example at unloading. With *STATIC, DIRECT, such an increment would end the analysis.
    if (count > 0)
      out_.put("*STATIC\n{0},1.,1.E-6,{0}\n", inp_number(1 / static_cast<double>(count)));
    else
      out_.put("*STATIC\n0.1,1.\n");
    out_.put("*CONTROLS, PARAMETERS=FIELD\n1.E-8,1.E-3,0.,0.,1.E-8,1.E-5,1.E-3,1.E-8\n");
  }

  // By material, in the order of the voxels.
  void elements() {
    const std::vector<material_number>& material = problem_.material;
    std::map<material_number, std::vector<std::int32_t>> cells;
    for (std::size_t c = 0; c < material.size(); ++c) cells[material[c]].push_back(static_cast<std::int32_t>(c));
    std::vector<std::array<std::int32_t, 8>> corners(material.size());
    voxel::for_each_cell(sets_.grid(), [&](std::int32_t cell, const std::array<std::int32_t, 8>& of) {
      corners[static_cast<std::size_t>(cell)] = of;
    });
    for (const auto& [m, of] : cells) {
      const std::string set = names_.of(fmt::format("E_{}", m));
      element_sets_.emplace_back(m, set);
      out_.put("*ELEMENT, TYPE=C3D8, ELSET={}\n", set);
      for (const std::int32_t c : of) {
        const std::array<std::int32_t, 8>& n = corners[static_cast<std::size_t>(c)];
        // Node order of C3D8: nodes around the lower face, followed by nodes around the upper face.
        out_.put("{},{},{},{},{},{},{},{},{}\n", c + 1, n[0] + 1, n[1] + 1, n[3] + 1, n[2] + 1, n[4] + 1, n[5] + 1, n[7] + 1,
                 n[6] + 1);
      }
    }
  }

  void list(const node_set& set) {
    if (node_sets_.contains(set.name)) return;
    const std::string name = node_sets_[set.name] = names_.of("N_" + set.name);
    out_.put("*NSET, NSET={}\n", name);
    for (std::size_t i = 0; i < set.nodes.size(); ++i)
      out_.put("{}{}", set.nodes[i] + 1, i + 1 == set.nodes.size() || i % entries_a_line == entries_a_line - 1 ? "\n" : ",");
  }

  const numerics::elasticity_problem& problem_;
  const node_sets& sets_;
  inp_stream out_;
  inp_names names_;
  std::vector<std::pair<material_number, std::string>> element_sets_;
  std::map<std::string, std::string> node_sets_;
};

}  // namespace

inp_report write_inp(const spec& job, local_model part, const std::optional<inp_plasticity>& plasticity,
                     const std::string& path, log_sink& log) {
  inp_report report;
  with_loaded_mesh(job, part, ".inp", plasticity.has_value(), log,
                   [&](const auto& problem, const node_sets& sets, const auto& cases) {
                     io::temporary_file file(path);
                     inp_writer writer(problem, sets, file.name());
                     writer.head(job);
                     writer.mesh();
                     writer.materials(part.header.materials, plasticity);
                     writer.node_lists(cases);
                     if (plasticity) {
                       for (const double turn : plasticity->turns) writer.step(cases.front(), turn, &*plasticity);
                     } else {
                       for (const load_case& c : cases) writer.step(c);
                     }
                     writer.close();
                     const std::int64_t steps = plasticity ? std::ssize(plasticity->turns) : std::ssize(cases);
                     report = {problem.nodes.size(), problem.cells.size(), steps, io::size_of_file(file.name())};
                     file.commit();
                   });
  return report;
}

}  // namespace osteon::physics
