#include <algorithm>
#include <cctype>
#include <map>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/io/voxfe/tokens.hpp>
#include <set>
#include <unordered_map>

namespace osteon::io::voxfe {
namespace {

constexpr int largest_id = 65535;
constexpr std::size_t most_notes = 20;

enum class command {
  version,
  voxel_size,
  materials_file,
  youngs_modulus,
  poisson_ratio,
  material,
  model,
  algorithm,
  max_iterations,
  min_iterations,
  tolerance,
  marker,
  constraints_file,
  node,
  preserved_node,
  dialect,
  compute_sed,
  displacement,
  displacement_with_places,
  strain,
  reaction,
  sed
};

// Names of the commands in both script versions and in VoxFE-UV.
const std::map<std::string_view, command>& commands() {
  static const std::map<std::string_view, command> table{{"SET_SCRIPT_VERSION", command::version},
                                                         {"VOXEL_SIZE", command::voxel_size},
                                                         {"SET_VOXEL_SIZE", command::voxel_size},
                                                         {"LOAD_MATERIALS_FILE", command::materials_file},
                                                         {"LOAD_MATERIALS", command::materials_file},
                                                         {"YOUNG_MODULUS", command::youngs_modulus},
                                                         {"POISSON_RATIO", command::poisson_ratio},
                                                         {"MATERIAL", command::material},
                                                         {"LOAD_MCTSCAN", command::model},
                                                         {"LOAD_MODEL", command::model},
                                                         {"ALGORITHM_FEA", command::algorithm},
                                                         {"SET_ALGORITHM_FEA", command::algorithm},
                                                         {"MAX_ITER", command::max_iterations},
                                                         {"SET_MAX_ITER", command::max_iterations},
                                                         {"MIN_ITER", command::min_iterations},
                                                         {"SET_MIN_ITER", command::min_iterations},
                                                         {"TOLERANCE", command::tolerance},
                                                         {"SET_TOLERANCE", command::tolerance},
                                                         {"SELECTION_OF_NODES", command::marker},
                                                         {"SOLVE", command::marker},
                                                         {"FINISH", command::marker},
                                                         {"SELECT_NODE_FILE", command::constraints_file},
                                                         {"LOAD_CONSTRAINTS", command::constraints_file},
                                                         {"SELECT_NODE_3D", command::node},
                                                         {"PRESERVE_NODE_3D", command::preserved_node},
                                                         {"SELECT_NODE_MODE", command::dialect},
                                                         {"COMPUTE_SED", command::compute_sed},
                                                         {"PRINT_X", command::displacement},
                                                         {"PRINT_DISPLACEMENTS", command::displacement_with_places},
                                                         {"PRINT_FULL_STRAIN", command::strain},
                                                         {"REACTION", command::reaction},
                                                         {"PRINT_SED", command::sed}};
  return table;
}

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
    const auto found = commands().find(word);
    if (found == commands().end()) {
      // Report and continue as VOX-FE, so that scripts with commands of other programs can be used.
      return note(number_of_line, fmt::format("unknown command '{}' was skipped", printable(word)));
    }
    try {
      if (!repeats(found->second) && !seen_.insert(found->second).second)
        note(number_of_line, fmt::format("duplicate {}; the last value is used", word));
      line_ = number_of_line;
      execute(found->second, rest);
    } catch (const bad_line& bad) {
      faults_.add(number_of_line, fmt::format("{}: {}", word, bad.text));
    }
  }

 private:
  static bool repeats(command c) {
    return c == command::youngs_modulus || c == command::poisson_ratio || c == command::material || c == command::marker ||
           c == command::node || c == command::preserved_node;
  }

  void note(std::int64_t number_of_line, const std::string& text) {
    if (s_.notes.size() < most_notes) s_.notes.push_back(fmt::format("{}:{}: {}", s_.path, number_of_line, text));
  }

  void execute(command c, std::string_view rest) {
    constexpr double most = 1e300;
    constexpr std::int64_t most_steps = 1'000'000'000;
    switch (c) {
      case command::version:
        s_.version = number<int>(rest, "version", 1, 2);
        return;
      case command::voxel_size:
        for (double& h : s_.voxel_size) h = number<double>(rest, "voxel size", 1e-12, 1e6);
        s_.scale = trimmed(rest).empty() ? 1 : number<double>(rest, "scale factor", -most, most);
        if (s_.scale == 0) throw bad_line{"scale factor must not be 0"};
        return;
      case command::materials_file:
        s_.materials_file = path_of(rest);
        return;
      case command::youngs_modulus: {
        const int id = material_id(rest);
        materials_[id].youngs_modulus = number<double>(rest, "Young's modulus");
        return;
      }
      case command::poisson_ratio: {
        const int id = material_id(rest);
        materials_[id].poisson_ratio = number<double>(rest, "Poisson's ratio");
        return;
      }
      case command::material:
        return material(rest);
      case command::model:
        return model(rest);
      case command::algorithm:
        s_.algorithm = printable(trimmed(rest));
        if (s_.algorithm.empty()) throw bad_line{"missing solver name"};
        return;
      case command::max_iterations:
        s_.max_iterations = number<std::int64_t>(rest, "number of iterations", 1, most_steps);
        return;
      case command::min_iterations:
        s_.min_iterations = number<std::int64_t>(rest, "number of iterations", 0, most_steps);
        return;
      case command::tolerance:
        s_.tolerance = number<double>(rest, "tolerance", 1e-30, 0.999999);
        return;
      case command::marker:
        return;
      case command::constraints_file:
        s_.constraints_file = path_of(rest);
        return;
      case command::node:
      case command::preserved_node:
        s_.lines.push_back(parse_node(rest, c == command::preserved_node));
        s_.lines.back().line = line_;
        ++s_.lines_of_script;
        return;
      case command::dialect:
        return dialect(rest);
      case command::compute_sed:
        s_.compute_sed = !is_off(next_word(rest));
        return;
      case command::displacement:
      case command::displacement_with_places:
        s_.results.displacement = path_of(rest);
        s_.results.with_places = c == command::displacement_with_places;
        return;
      case command::strain:
        s_.results.strain = path_of(rest);
        return;
      case command::reaction:
        s_.results.reaction = path_of(rest);
        return;
      case command::sed:
        s_.results.sed = path_of(rest);
        return;
    }
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
  std::set<command> seen_;
};

}  // namespace

bool looks_like_script(std::string_view text) {
  lines_of lines(text);
  std::string_view line;
  if (!lines.next(line) || commands().count(upper(next_word(line))) == 0) return false;
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
      found.add(lines.number(),
                fmt::format("{}; a row must contain number, Young's modulus, Poisson's ratio and flag", bad.text));
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
