#pragma once
/// @file
/// VOX-FE scripts, and their materials and constraints files, as plain structs. All functions are serial.
///
/// Values of a file have the order x, y, z of VOX-FE. docs/reference/voxfe.md describes the grammar.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/base/error.hpp>
#include <osteon/voxel/model.hpp>
#include <osteon/voxel/node_condition.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::io::voxfe {

/// Units of lengths and moduli in the files; forces are in N. The files do not contain units.
enum class unit_system { mm_MPa, m_Pa };

/// Meaning of the flags of a line with a force: the flags lock axes, or select components of the force.
enum class flag_dialect { automatic, lock_flags, force_mask };

/// Access to text files: by all ranks concurrently, or by one rank after another as in VOX-FE and PARA-BMU.
enum class text_access { parallel, serial };

struct material_row {
  int id = 0;
  std::string name;  ///< empty if the file contains no name
  double youngs_modulus = 0, poisson_ratio = 0;
  bool remodelled = true;
  friend bool operator==(const material_row&, const material_row&) = default;
};

/// A SELECT_NODE_3D or PRESERVE_NODE_3D line of the file.
struct node_line {
  std::array<std::int64_t, 3> node{};  ///< x, y, z with the index base of the file
  std::array<double, 3> value{};       ///< x, y, z
  std::array<bool, 3> flag{};          ///< x, y, z
  bool preserve = false;
  std::int64_t line = 0;  ///< line number in the file
};

/// Result files; empty if the script requests no result files.
struct result_files {
  std::string displacement, strain, reaction, sed;
  bool with_places = false;  ///< true: displacements in the layout of the PETSc solver; false: in the layout of JAPCG
  /// Names of the requested files.
  std::vector<std::string> names() const {
    std::vector<std::string> given{displacement, strain, reaction, sed};
    std::erase(given, "");
    return given;
  }
};

struct script {
  std::string path;
  int version = 1;                     ///< 2: LOAD_MODEL includes the number of elements
  std::array<double, 3> voxel_size{};  ///< x, y, z; 0 if missing
  double scale = 1;                    ///< fourth number of VOXEL_SIZE; stored, but not used
  std::vector<material_row> materials;
  std::string materials_file;
  std::array<std::int64_t, 3> voxels{};  ///< x, y, z
  std::int64_t elements = -1;            ///< number of elements in version 2; otherwise -1
  std::string model_file;
  std::string algorithm = "JAPCG";
  std::int64_t max_iterations = 2000, min_iterations = 0;
  double tolerance = 1e-9;
  std::string constraints_file;     ///< empty: constraints are in the script
  std::vector<node_line> lines;     ///< lines of the script, then lines of the constraints file
  std::size_t lines_of_script = 0;  ///< number of lines of the script
  flag_dialect dialect = flag_dialect::automatic;
  bool compute_sed = false;
  result_files results;
  std::vector<std::string> notes;  ///< messages about ignored and duplicate commands

  index3 shape() const { return {voxels[2], voxels[1], voxels[0]}; }
};

/// Interpretation of ambiguous files, specified by the user.
struct reading_options {
  unit_system units = unit_system::mm_MPa;
  bool units_given = false;  ///< true: the user has specified the units
  int index_base = -1;       ///< 0 or 1; -1: detected
};

/// Maximum size of script, materials and constraints files in bytes.
inline constexpr std::int64_t largest_text_file = std::int64_t{1} << 28;

/// True if the first word of a text is a script command.
bool is_voxfe_script(std::string_view text);

/// Parse the text of a script. Referenced files are not opened.
/// @param path path for messages @param faults receives at most 20 faults; `where` is `file:line`
script parse_script(std::string_view text, const std::string& path, std::vector<problem>& faults);
/// Parse a materials file: rows `id E nu remodelled`. A row replaces a previous row of the same ID.
void parse_materials(std::string_view text, const std::string& path, std::vector<material_row>& rows,
                     std::vector<problem>& faults);
/// Parse a constraints file.
void parse_node_lines(std::string_view text, const std::string& path, std::vector<node_line>& lines,
                      std::vector<problem>& faults);

/// Read a script with its materials and constraints, and check completeness.
/// @throws data_error with all faults @collective local
script read_script(const std::string& path, const reading_options& options = {});

/// Path of a file referenced by a script. Relative paths are relative to the folder of the script.
std::string beside(const script& s, const std::string& file);

/// Convert node lines to conditions. The index base and the dialect are applied, and forces are converted to N.
/// @param base index base of the lines
/// @param notes receives messages about the interpretation
/// @throws data_error if a node is outside of the grid
std::vector<voxel::node_condition> conditions_of(const script& s, int base, std::vector<std::string>& notes);

/// Header of the model, without `active_per_plane`: geometry, materials (number k + 1 is row k), provenance. The provenance
/// contains further data of the script under "voxfe". The function script_of() recreates the script from these data.
/// @param base index base of the element lines
voxel::model_header header_of(const script& s, unit_system units, int base);

/// Script of an imported model. For other models, the function returns an equivalent script with canonical file names.
/// @throws data_error if the provenance contains an invalid script
script script_of(const voxel::model_header& header, const std::string& script_path);

/// Canonical text of a script and its files. Parsing the text yields equal values.
std::string canonical_script(const script& s);
std::string canonical_materials(const script& s);
std::string canonical_constraints(const script& s);

}  // namespace osteon::io::voxfe
