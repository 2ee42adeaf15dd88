#pragma once
/// @file
/// Element lines of a model file: `number material x y z` (or `number x y z material`). All functions are serial; ranks read
/// byte ranges of a file.
#include <array>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/io/voxfe/text_file.hpp>
#include <span>

namespace osteon::io::voxfe {

/// Data of the lines before the elements.
struct model_head {
  std::int64_t elements = 0;
  std::int64_t body = 0;               ///< first byte of the element lines
  std::array<double, 3> voxel_size{};  ///< in the order x, y, z; 0 if the file contains no voxel size
};

/// Read the lines before the elements. @throws data_error if the number of elements is missing or too large for the file
model_head read_model_head(const std::string& path);

/// The four numbers after the element number of a line.
using element_line = std::array<std::int32_t, 4>;

/// Statistics for detecting the layout of element lines. Statistics of several ranges are merged by minima and maxima.
struct element_facts {
  static constexpr std::int64_t most_ids = 65536;
  std::array<std::int64_t, 4> low{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}, high{-1, -1, -1, -1};
  std::vector<std::uint8_t> first_seen = std::vector<std::uint8_t>(most_ids);  ///< 1 for each value in the first column
  std::vector<std::uint8_t> last_seen = std::vector<std::uint8_t>(most_ids);
  void add(const element_line& line);
};

/// Read the element lines that begin in [begin, end).
/// @return the first fault
/// @throws data_error if the file cannot be read
/// @cost 16 bytes per element
std::optional<text_fault> read_elements(const std::string& path, std::int64_t begin, std::int64_t end,
                                        std::vector<element_line>& elements, element_facts& facts);

/// Offset of the last selected element of a range; -1 if no element is selected.
/// @param is_selected called with the index of an element in the range and its line
std::int64_t find_element(const std::string& path, std::int64_t begin, std::int64_t end,
                          const std::function<bool(std::int64_t place, const element_line& line)>& is_selected);

/// Interpretation of element lines.
struct element_layout {
  bool material_first = true;
  int base = 1;
};

/// Detect the order of the columns and the index base.
element_layout find_layout(const script& s, const element_facts& facts, const reading_options& options);

/// Fault of a duplicate voxel.
inline constexpr const char* listed_twice = "duplicate element of a voxel; remove one of the two elements";

/// Converts element lines to packed voxels.
class element_decoder {
 public:
  element_decoder(const script& s, element_layout layout);
  /// Packed voxel of an element; -1 if the element is outside of the grid or its material is unknown.
  std::int64_t voxel(const element_line& line) const;
  /// Fault of an invalid element.
  std::string fault(const element_line& line) const;

 private:
  const script& s_;
  element_layout layout_;
  std::vector<material_number> number_;  // by id; 0: unknown
};

/// Append the element lines of some planes in canonical form. Elements are numbered from `first_number`, in the order z, y,
/// x; coordinates are 1-based.
/// @param ids IDs of the materials 1, 2, ...
/// @param text receives the lines
/// @return number of elements
std::int64_t append_elements(std::string& text, view3<const material_number> planes, std::int64_t first_plane,
                             std::int64_t first_number, std::span<const int> ids);

/// Complete model on one process.
struct whole_model {
  voxel::model_header header;
  std::vector<material_number> material;  ///< shape header.shape
  element_layout layout;
};

/// Read the model of a script, in one process. @throws data_error with file and line @collective local
whole_model read_whole_model(const script& s, const reading_options& options = {});

/// Check the grid and the number of elements before allocation. @throws data_error
void check_grid(const script& s, const model_head& head);

/// Throw the error of a fault in a model file. @throws data_error
[[noreturn]] void throw_fault(const std::string& path, const text_fault& fault);

}  // namespace osteon::io::voxfe
