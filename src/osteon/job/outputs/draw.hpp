#pragma once
/// @file
/// Pictures: the scene of a field in the colours of a map, in or on its solid, with lines; and the picture of a job.
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/job/outputs/labeller.hpp>
#include <osteon/job/outputs/render_file.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/render/annotate.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The fields of a picture, from a file or in memory.
struct shown_fields {
  vector3 spacing_mm;
  std::vector<float> values, solid;      ///< shape of the block: NaN in voxels without value; 1 in the solid, else 0
  double low = 0, high = 1;              ///< ends of the colours
  std::optional<render::tubes> lines{};  ///< in the colours of the field, or of a light grey
  bool lines_have_colours = false;       ///< in a volume the field does not glow then
  std::vector<written_point> points{};   ///< transfer function of a volume; empty: a glow
  picture_words words;                   ///< name, unit and axes
};

/// Camera, size, background and compositing of a picture, without its layers.
/// @param is_series one of many: in pixels of half precision, unless the request names others
render::scene scene_of(const render_request& looks, const vector3& spacing_mm, const std::optional<io::image_axes>& axes,
                       bool is_series);

/// Notes of a range of colours. @param words name of the values, component and unit
render::annotations notes_of(const picture_words& words, const std::string& map, double low, double high);

/// A field as `words` name it: a velocity by its magnitude is a speed.
void name_field(picture_words& words, const io::field_info& field, bool is_magnitude);

/// A scene with its fields, of which pictures are drawn.
class picture_scene {
 public:
  /// @param looks complete: its method and its map are given; files are not read
  /// @throws usage_error (unknown map, no range, unsorted points) @collective on where.comm
  picture_scene(const grid::block& where, const render_request& looks, shown_fields shown, bool is_series);
  picture_scene(const picture_scene&) = delete;
  picture_scene& operator=(const picture_scene&) = delete;

  render::scene scene;        ///< its view may change between pictures
  render::annotations notes;  ///< with the request's title

  struct drawn {
    render::join_time joining;  ///< from this rank's last ray to the 8-bit rows, without notes
    std::string composited;     ///< as in render::image
  };
  /// Draw it; each rank encodes rows of the picture. Notes are labels of the report's picture (labels_of_program), which
  /// leave less room to what is shown; in small pictures and without Python the built-in ones, over it.
  /// @param path .png, or .npy: linear RGBA float, premultiplied, without notes
  /// @throws machine_error if it cannot be written @collective on where.comm
  drawn draw(const std::string& path, log_sink& log);

  /// That of the pictures drawn so far; another scene of the same blocks goes on with it.
  std::shared_ptr<render::image_join>& compositor() { return kept_->compositor(); }

 private:
  void add_volume(const render_request& looks, const shown_fields& shown);
  void add_surface(const render_request& looks, const shown_fields& shown);
  drawn draw_png(const std::string& path, const render::scene& what, const render::annotations* over);
  drawn draw_npy(const std::string& path);

  const grid::block& where_;
  picture_words words_;
  bool is_annotated_;
  grid::ghosted_field<float> glow_, bone_;
  std::optional<render::prepared> kept_;
};

/// The picture that [picture] asks for, without its layers.
/// @param is_frame one of many: in pixels of half precision @collective local
render::scene scene_of_picture(const spec& job, const voxel::model_header& header, bool is_frame);

/// The part of its map that the job's picture uses, from and to, 0 to 1.
std::array<float, 2> part_of_map(const spec& job);

/// Draw what a result shows, as [picture] says.
/// @param title empty: without title, box, scale and colour bar
/// @param of_series the picture is one of many, in pixels of half precision, and this is their compositor, kept between them
/// @return of its streamlines what describe() tells; null if it has none
/// @throws machine_error if it cannot be written
/// @collective on part.where.comm
nlohmann::ordered_json draw_picture(const std::string& path, const spec& job, const local_model& part,
                                    const physics_result& result, log_sink& log, const std::string& title = "",
                                    std::shared_ptr<render::image_join>* of_series = nullptr);

}  // namespace osteon::job
