#include <algorithm>
#include <cctype>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/io/voxfe/tokens.hpp>
#include <set>
#include <unordered_map>

namespace osteon::io::voxfe {
namespace {

constexpr int largest_id = 65535;
constexpr std::size_t most_notes = 20;

std::string upper(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Fault in the arguments of a line; the handler adds the line number.
struct bad_line {
  std::string text;
};

template <class T>
T number(std::string_view& rest, const char* quantity) {
  const std::string_view word = next_word(rest);
  T value{};
  if (word.empty()) throw bad_line{fmt::format("missing {}", quantity)};
  if (!to_number(word, value))
    throw bad_line{fmt::format("{} ('{}') must be a {}", quantity, printable(word),
                               std::is_integral_v<T> ? "whole number" : "finite number")};
  return value;
}

template <class T>
T number(std::string_view& rest, const char* quantity, T low, T high) {
  const T value = number<T>(rest, quantity);
  if (!(value >= low && value <= high))
    throw bad_line{fmt::format("{} = {} must be from {} to {}", quantity, value, low, high)};
  return value;
}

std::string path_of(std::string_view rest) {
  rest = trimmed(rest);
  if (rest.empty()) throw bad_line{"missing file path"};
  if (rest.size() > 4096) throw bad_line{fmt::format("path of {} bytes exceeds the limit of 4096 bytes", rest.size())};
  if (std::any_of(rest.begin(), rest.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    throw bad_line{fmt::format("path '{}' must not contain control characters", printable(rest))};
  return std::string(rest);
}

// Index of the material rows by ID; a script may have tens of thousands of materials.
class rows_by_id {
 public:
  explicit rows_by_id(std::vector<material_row>& rows) : rows_(rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) place_.emplace(rows[i].id, i);  // the first row of an ID
  }
  // Row of an ID; created if missing.
  material_row& operator[](int id) {
    const auto known = place_.find(id);
    if (known != place_.end()) return rows_[known->second];
    if (rows_.size() == most_materials)
      throw bad_line{fmt::format("the number of materials exceeds the limit of {}", most_materials)};
    place_.emplace(id, rows_.size());
    rows_.push_back({});
    rows_.back().id = id;
    return rows_.back();
  }

 private:
  std::vector<material_row>& rows_;
  std::unordered_map<int, std::size_t> place_;
};

int material_id(std::string_view& rest) { return number<int>(rest, "material number", 0, largest_id); }

node_line parse_node(std::string_view rest, bool preserve) {
  constexpr std::int64_t most = 1'000'000'000;
  node_line line;
  line.preserve = preserve;
  for (std::int64_t& i : line.node) i = number<std::int64_t>(rest, "node index", 0, most);
  for (double& v : line.value) v = number<double>(rest, "force component");
  for (bool& c : line.flag) c = number<int>(rest, "flag", 0, 1) == 1;
  if (!trimmed(rest).empty())
    throw bad_line{fmt::format("unexpected '{}' after the nine numbers x y z vx vy vz cx cy cz", printable(trimmed(rest)))};
  return line;
}

bool is_off(std::string_view word) {
  const std::string text = upper(word);
  return text == "FALSE" || text == "0" || text == "NO" || text == "OFF";
}

class script_parser {
 public:
  script_parser(script& target, fault_list& faults) : s_(target), materials_(target.materials), faults_(faults) {}

  void line(std::string_view text, std::int64_t number_of_line) {
    std::string_view rest = text;
    const std::string word = upper(next_word(rest));
    const command* const found = find(word);
    if (!found) {
      // Report the command and continue, as in VOX-FE. Therefore scripts with commands of other programs can be used.
      return note(number_of_line, fmt::format("unknown command '{}' was skipped", printable(word)));
    }
    try {
      if (!found->repeats && !seen_.insert(found).second)
        note(number_of_line, fmt::format("duplicate {}; the last value is used", word));
      line_ = number_of_line;
      found->execute(*this, rest);
    } catch (const bad_line& bad) {
      faults_.add(number_of_line, fmt::format("{}: {}", word, bad.text));
    }
  }

  static bool is_command(std::string_view word) { return find(word) != nullptr; }

 private:
  using parser = script_parser;
  using arguments = std::string_view;
  struct command {
    std::vector<std::string_view> names;  // names of the command in script versions 1 and 2 and in VoxFE-UV
    void (*execute)(parser& p, arguments rest);
    bool repeats = false;  // true if a script may contain several lines of this command
  };

  static const command* find(std::string_view word) {
    constexpr double most = 1e300;
    constexpr std::int64_t most_steps = 1'000'000'000;
    static const std::vector<command> commands{
        {{"SET_SCRIPT_VERSION"}, [](parser& p, arguments rest) { p.s_.version = number<int>(rest, "version", 1, 2); }},
        {{"VOXEL_SIZE", "SET_VOXEL_SIZE"},
         [](parser& p, arguments rest) {
           for (double& h : p.s_.voxel_size) h = number<double>(rest, "voxel size", 1e-12, 1e6);
           p.s_.scale = trimmed(rest).empty() ? 1 : number<double>(rest, "scale factor", -most, most);
           if (p.s_.scale == 0) throw bad_line{"scale factor must not be 0"};
         }},
        {{"LOAD_MATERIALS_FILE", "LOAD_MATERIALS"}, [](parser& p, arguments rest) { p.s_.materials_file = path_of(rest); }},
        {{"YOUNG_MODULUS"},
         [](parser& p, arguments rest) {
           const int id = material_id(rest);
           p.materials_[id].youngs_modulus = number<double>(rest, "Young's modulus");
         },
         true},
        {{"POISSON_RATIO"},
         [](parser& p, arguments rest) {
           const int id = material_id(rest);
           p.materials_[id].poisson_ratio = number<double>(rest, "Poisson's ratio");
         },
         true},
        {{"MATERIAL"}, [](parser& p, arguments rest) { p.material(rest); }, true},
        {{"LOAD_MCTSCAN", "LOAD_MODEL"}, [](parser& p, arguments rest) { p.model(rest); }},
        {{"ALGORITHM_FEA", "SET_ALGORITHM_FEA"},
         [](parser& p, arguments rest) {
           p.s_.algorithm = printable(trimmed(rest));
           if (p.s_.algorithm.empty()) throw bad_line{"missing solver name"};
         }},
        {{"MAX_ITER", "SET_MAX_ITER"},
         [](parser& p, arguments rest) {
           p.s_.max_iterations = number<std::int64_t>(rest, "number of iterations", 1, most_steps);
         }},
        {{"MIN_ITER", "SET_MIN_ITER"},
         [](parser& p, arguments rest) {
           p.s_.min_iterations = number<std::int64_t>(rest, "number of iterations", 0, most_steps);
         }},
        {{"TOLERANCE", "SET_TOLERANCE"},
         [](parser& p, arguments rest) { p.s_.tolerance = number<double>(rest, "tolerance", 1e-30, 0.999999); }},
        {{"SELECTION_OF_NODES", "SOLVE", "FINISH"}, [](parser&, arguments) {}, true},
        {{"SELECT_NODE_FILE", "LOAD_CONSTRAINTS"}, [](parser& p, arguments rest) { p.s_.constraints_file = path_of(rest); }},
        {{"SELECT_NODE_3D"}, [](parser& p, arguments rest) { p.node(rest, false); }, true},
        {{"PRESERVE_NODE_3D"}, [](parser& p, arguments rest) { p.node(rest, true); }, true},
        {{"SELECT_NODE_MODE"}, [](parser& p, arguments rest) { p.dialect(rest); }},
        {{"COMPUTE_SED"}, [](parser& p, arguments rest) { p.s_.compute_sed = !is_off(next_word(rest)); }},
        {{"PRINT_X"}, [](parser& p, arguments rest) { p.displacement(rest, false); }},
        {{"PRINT_DISPLACEMENTS"}, [](parser& p, arguments rest) { p.displacement(rest, true); }},
        {{"PRINT_FULL_STRAIN"}, [](parser& p, arguments rest) { p.s_.results.strain = path_of(rest); }},
        {{"REACTION"}, [](parser& p, arguments rest) { p.s_.results.reaction = path_of(rest); }},
        {{"PRINT_SED"}, [](parser& p, arguments rest) { p.s_.results.sed = path_of(rest); }}};
    for (const command& c : commands)
      if (std::find(c.names.begin(), c.names.end(), word) != c.names.end()) return &c;
    return nullptr;
  }

  void note(std::int64_t number_of_line, const std::string& text) {
    if (s_.notes.size() < most_notes) s_.notes.push_back(fmt::format("{}:{}: {}", s_.path, number_of_line, text));
  }

  void node(std::string_view rest, bool preserve) {
    s_.lines.push_back(parse_node(rest, preserve));
    s_.lines.back().line = line_;
    ++s_.lines_of_script;
  }

  void displacement(std::string_view rest, bool with_places) {
    s_.results.displacement = path_of(rest);
    s_.results.with_places = with_places;
  }

  void material(std::string_view rest) {
    const int id = material_id(rest);
    const std::string name = printable(next_word(rest));
    const double modulus = number<double>(rest, "Young's modulus"), ratio = number<double>(rest, "Poisson's ratio");
    material_row& row = materials_[id];
    row.name = name;
    row.youngs_modulus = modulus;
    row.poisson_ratio = ratio;
    row.remodelled = upper(next_word(rest)) != "PASSIVE";
  }

  void model(std::string_view rest) {
    for (std::int64_t& n : s_.voxels) n = number<std::int64_t>(rest, "number of voxels", 1, 1'000'000'000);
    // In version 2 the number of elements precedes the path. A single number is a path.
    std::string_view after = rest;
    std::int64_t count = -1;
    const bool counted = to_number(next_word(after), count) && !trimmed(after).empty();
    if (counted && (count < 0 || count > std::int64_t{1} << 50))
      throw bad_line{fmt::format("number of elements ({}) must be from 0 to 2^50", count)};
    s_.elements = counted ? count : -1;
    s_.model_file = path_of(counted ? after : rest);
  }

  void dialect(std::string_view rest) {
    const std::string word = upper(next_word(rest));
    if (word == "AUTO")
      s_.dialect = flag_dialect::automatic;
    else if (word == "LOCK_FLAGS")
      s_.dialect = flag_dialect::lock_flags;
    else if (word == "FORCE_MASK")
      s_.dialect = flag_dialect::force_mask;
    else
      throw bad_line{fmt::format("'{}' must be auto, lock_flags or force_mask", printable(word))};
  }

  script& s_;
  rows_by_id materials_;
  fault_list& faults_;
  std::int64_t line_ = 0;
  std::set<const command*> seen_;
};

}  // namespace

bool is_voxfe_script(std::string_view text) {
  lines_of lines(text);
  std::string_view line;
  if (!lines.next(line) || !script_parser::is_command(upper(next_word(line)))) return false;
  return next_word(line) != "=";  // a key of a TOML file may have the name of a command
}

script parse_script(std::string_view text, const std::string& path, std::vector<problem>& faults) {
  script s;
  s.path = path;
  fault_list found(path, faults);
  script_parser parser(s, found);
  lines_of lines(text);
  for (std::string_view line; lines.next(line);) parser.line(line, lines.number());
  // A script of version 2 may omit the version; the number of elements identifies it.
  if (s.elements >= 0) s.version = 2;
  return s;
}

void parse_materials(std::string_view text, const std::string& path, std::vector<material_row>& rows,
                     std::vector<problem>& faults) {
  fault_list found(path, faults);
  rows_by_id by_id(rows);
  lines_of lines(text);
  for (std::string_view rest; lines.next(rest);) try {
      const int id = material_id(rest);
      const double modulus = number<double>(rest, "Young's modulus"), ratio = number<double>(rest, "Poisson's ratio");
      material_row& row = by_id[id];
      row.youngs_modulus = modulus;
      row.poisson_ratio = ratio;
      row.remodelled = trimmed(rest).empty() || number<int>(rest, "remodelling flag") != 0;
    } catch (const bad_line& bad) {
      found.add(
          lines.number(),
          fmt::format("{}; a row must contain number, Young's modulus, Poisson's ratio and optionally a flag", bad.text));
    }
}

void parse_node_lines(std::string_view text, const std::string& path, std::vector<node_line>& nodes,
                      std::vector<problem>& faults) {
  fault_list found(path, faults);
  lines_of lines(text);
  for (std::string_view rest; lines.next(rest);) try {
      const std::string word = upper(next_word(rest));
      if (word != "SELECT_NODE_3D" && word != "PRESERVE_NODE_3D")
        throw bad_line{fmt::format("'{}' must be SELECT_NODE_3D or PRESERVE_NODE_3D", printable(word))};
      nodes.push_back(parse_node(rest, word.front() == 'P'));
      nodes.back().line = lines.number();
    } catch (const bad_line& bad) {
      found.add(lines.number(), bad.text);
    }
}

}  // namespace osteon::io::voxfe
