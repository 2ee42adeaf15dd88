#pragma once
/// @file
/// Pictures of a coloured field in the solid or on the surface of the solid, with lines, and the picture of a job.
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

/// The fields of a picture. The fields are in a file or in memory.
struct shown_fields {
  vector3 spacing_mm;
  /// fields with the shape of the block; `values` is NaN in voxels without a value; `solid` is 1 in the solid and 0 in other
  /// voxels
  std::vector<float> values, solid;
  double low = 0, high = 1;              ///< ends of the colour range
  std::optional<render::tubes> lines{};  ///< lines in the colours of the field, or in light grey
  bool lines_have_colours = false;       ///< true if the lines have the colours, and the field of a volume emits no light
  std::vector<written_point> points{};   ///< transfer function of a volume; empty: the field emits light
  picture_words words;                   ///< name, unit and axes of the field
};

/// Camera, size, background and compositing of a picture. The scene has no layers.
/// @param is_series true if the picture is part of a series; the pixels then have half precision, unless the request
/// contains other pixels
render::scene scene_of(const render_request& request, const vector3& spacing_mm, const std::optional<io::image_axes>& axes,
                       bool is_series);

/// Annotations for a range of colours. @param words name, component and unit of the values
render::annotations notes_of(const picture_words& words, const std::string& map, double low, double high);

/// Set the name of a field. The name of the magnitude of a velocity is speed.
void name_field(picture_words& words, const io::field_info& field, bool is_magnitude);

/// A scene with its fields. The object can draw several pictures.
class picture_scene {
 public:
  /// @param request complete request with method and map; the function reads no files
  /// @throws usage_error (unknown map, no range, or unsorted points) @collective on where.comm
  picture_scene(const grid::block& where, const render_request& request, shown_fields shown, bool is_series);
  picture_scene(const picture_scene&) = delete;
  picture_scene& operator=(const picture_scene&) = delete;

  render::scene scene;        ///< the scene; the view may change between pictures
  render::annotations notes;  ///< annotations, including the title of the request

  struct drawn {
    render::join_time joining;  ///< time between the last ray of this rank and the 8-bit rows, without annotations
    std::string composited;     ///< description of the compositing (render::image)
  };
  /// Draw a picture. Each rank encodes some rows. If possible, annotations are the labels of the report's picture
  /// (labels_of_program). These labels reduce the area of the scene. In small pictures, and without Python, built-in
  /// annotations cover parts of the scene.
  /// @param path file name with the suffix .png or .npy; .npy contains linear premultiplied RGBA in float without
  /// annotations
  /// @throws machine_error if the file cannot be written @collective on where.comm
  drawn draw(const std::string& path, log_sink& log);

  /// Compositor of the pictures that the object has drawn. Another scene with the same blocks can also use this compositor.
  std::shared_ptr<render::image_join>& compositor() { return kept_->compositor(); }

 private:
  void add_volume(const render_request& request, const shown_fields& shown);
  void add_surface(const render_request& request, const shown_fields& shown);
  drawn draw_png(const std::string& path, const render::scene& drawn_scene, const render::annotations* over);
  drawn draw_npy(const std::string& path);

  const grid::block& where_;
  picture_words words_;
  bool is_annotated_;
  grid::ghosted_field<float> glow_, bone_;
  std::optional<render::prepared> kept_;
};

/// The picture of the table [picture]. The scene has no layers.
/// @param is_frame true if the picture is part of a series; the pixels then have half precision @collective local
render::scene scene_of_picture(const spec& job, const voxel::model_header& header, bool is_frame);

/// The interval of the colour map in the picture of a job. The start and the end are from 0 to 1.
std::array<float, 2> part_of_map(const spec& job);

/// Draw a result according to the table [picture].
/// @param title text above the picture; empty: the picture has no title, box, scale and colour bar
/// @param of_series compositor that is stored between the pictures of a series; the pixels then have half precision
/// @return description of the streamlines by describe(); null without streamlines
/// @throws machine_error if the file cannot be written
/// @collective on part.where.comm
nlohmann::ordered_json draw_picture(const std::string& path, const spec& job, const local_model& part,
                                    const physics_result& result, log_sink& log, const std::string& title = "",
                                    std::shared_ptr<render::image_join>* of_series = nullptr);

}  // namespace osteon::job
