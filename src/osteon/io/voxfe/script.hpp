#pragma once
/// @file
/// VOX-FE scripts and the small files that they name, as plain structs. All functions are serial.
///
/// VOX-FE writes x y z; the structs use this order for values of a file. The grammar is in docs/reference/voxfe.md.
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

/// Units of lengths and moduli in the files; forces are in N. Files do not state them.
enum class unit_system { mm_MPa, m_Pa };

/// Meaning of `1` flags on a line with a force: lock axes, or select the components that act.
enum class flag_dialect { automatic, lock_flags, force_mask };

/// Text access of ranks: concurrent, or one rank at a time as in VOX-FE and PARA-BMU.
enum class text_access { parallel, serial };

struct material_row {
  int id = 0;
  std::string name;  ///< empty if the file has none
  double youngs_modulus = 0, poisson_ratio = 0;
  bool remodelled = true;
  friend bool operator==(const material_row&, const material_row&) = default;
};

/// A SELECT_NODE_3D or PRESERVE_NODE_3D line of the file.
struct node_line {
  std::array<std::int64_t, 3> node{};  ///< x, y, z with the file's index base
  std::array<double, 3> value{};       ///< x, y, z
  std::array<bool, 3> flag{};          ///< x, y, z
  bool preserve = false;
  std::int64_t line = 0;  ///< line number in the file
};

/// Result files; empty if the script does not request them.
struct result_files {
  std::string displacement, strain, reaction, sed;
  bool with_places = false;  ///< displacements in the layout of the PETSc solver instead of JAPCG's
  /// Requested files.
  std::vector<std::string> names() const {
    std::vector<std::string> given{displacement, strain, reaction, sed};
    std::erase(given, "");
    return given;
  }
};

struct script {
  std::string path;
  int version = 1;                     ///< 2: LOAD_MODEL also names the number of elements
  std::array<double, 3> voxel_size{};  ///< x, y, z; initially 0
  double scale = 1;                    ///< the fourth number of VOXEL_SIZE; stored, not used
  std::vector<material_row> materials;
  std::string materials_file;
  std::array<std::int64_t, 3> voxels{};  ///< x, y, z
  std::int64_t elements = -1;            ///< version 2; else -1
  std::string model_file;
  std::string algorithm = "JAPCG";
  std::int64_t max_iterations = 2000, min_iterations = 0;
  double tolerance = 1e-9;
  std::string constraints_file;  ///< empty: the lines are in the script
  std::vector<node_line> lines;  ///< first those of the script
  std::size_t lines_of_script = 0;
  flag_dialect dialect = flag_dialect::automatic;
  bool compute_sed = false;
  result_files results;
  std::vector<std::string> notes;  ///< skipped or overruled commands, a line each

  index3 shape() const { return {voxels[2], voxels[1], voxels[0]}; }
};

/// The user's choices where the files are ambiguous.
struct reading_options {
  unit_system units = unit_system::mm_MPa;
  bool units_given = false;  ///< by the user, who has confirmed the values
  int index_base = -1;       ///< 0 or 1; -1: detected
};

/// Largest script, materials or constraints file that is read.
inline constexpr std::int64_t largest_text_file = std::int64_t{1} << 28;

/// True if the first word of a text is a command of scripts.
bool looks_like_script(std::string_view text);

/// Parse the text of a script. Files that it names are not opened.
/// @param path for messages @param faults receives all faults, at most 20: `where` is `file:line`
script parse_script(std::string_view text, const std::string& path, std::vector<problem>& faults);
/// Read a materials file: rows `id E nu remodelled`. Rows replace those of the same id.
void parse_materials(std::string_view text, const std::string& path, std::vector<material_row>& rows,
                     std::vector<problem>& faults);
/// Read a constraints file.
void parse_node_lines(std::string_view text, const std::string& path, std::vector<node_line>& lines,
                      std::vector<problem>& faults);

/// Read a script with its materials and constraints, and check completeness.
/// @throws data_error with all faults @collective local
script read_script(const std::string& path, const reading_options& options = {});

/// Path of a file that a script names: relative ones are relative to the script.
std::string beside(const script& s, const std::string& file);

/// Convert node lines to conditions: base and dialect resolved, forces in N.
/// @param base index base of the lines
/// @param notes receives remarks about them
/// @throws data_error if a node is outside of the grid
std::vector<voxel::node_condition> conditions_of(const script& s, int base, std::vector<std::string>& notes);

/// Header of the model, except `active_per_plane`: geometry, materials (number k + 1 is row k), provenance. Additional data
/// are under "voxfe" in the provenance, so that text can be written from it.
/// @param base index base of the element lines
voxel::model_header header_of(const script& s, unit_system units, int base);

/// Script of the model's origin, or an equivalent one for other models, with canonical file names if it has none.
/// @throws data_error if the model's record of its script is damaged
script script_of(const voxel::model_header& header, const std::string& script_path);

/// Canonical text: parse_... of it yields the same values, bytewise.
std::string canonical_script(const script& s);
std::string canonical_materials(const script& s);
std::string canonical_constraints(const script& s);

}  // namespace osteon::io::voxfe
