#pragma once
/// @file
/// Pictures of a coloured field in the solid or on its surface, with lines; and the picture of a job.
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
  std::vector<float> values,
      solid;  ///< shape of the block: `values`: NaN in voxels without value; `solid`: 1 in the solid, otherwise 0
  double low = 0, high = 1;              ///< ends of the colour range
  std::optional<render::tubes> lines{};  ///< coloured by the field, or light grey
  bool lines_have_colours = false;       ///< if true, the field of a volume does not emit light
  std::vector<written_point> points{};   ///< transfer function of a volume; empty: emission
  picture_words words;                   ///< name, unit and axes
};

/// Camera, size, background and compositing of a picture, without its layers.
/// @param is_series the picture is part of a series, and its pixels have half precision unless the request specifies other
/// pixels
render::scene scene_of(const render_request& request, const vector3& spacing_mm, const std::optional<io::image_axes>& axes,
                       bool is_series);

/// Annotations for a range of colours. @param words name of the values, component and unit
render::annotations notes_of(const picture_words& words, const std::string& map, double low, double high);

/// Set the name of a field. The magnitude of a velocity has the name speed.
void name_field(picture_words& words, const io::field_info& field, bool is_magnitude);

/// A scene with its fields, for one or more pictures.
class picture_scene {
 public:
  /// @param request complete request with method and map; no files are read
  /// @throws usage_error (unknown map, no range, unsorted points) @collective on where.comm
  picture_scene(const grid::block& where, const render_request& request, shown_fields shown, bool is_series);
  picture_scene(const picture_scene&) = delete;
  picture_scene& operator=(const picture_scene&) = delete;

  render::scene scene;        ///< the scene, with a view that may change between pictures
  render::annotations notes;  ///< includes the title of the request

  struct drawn {
    render::join_time joining;  ///< time from this rank's last ray to the 8-bit rows, without annotations
    std::string composited;     ///< see render::image
  };
  /// Draw a picture; each rank encodes some rows. Annotations are the labels of the report's picture (labels_of_program),
  /// which reduce the area of the scene. In small pictures and without Python, built-in annotations cover parts of the
  /// scene.
  /// @param path .png, or .npy: linear RGBA float, premultiplied, without annotations
  /// @throws machine_error if the file cannot be written @collective on where.comm
  drawn draw(const std::string& path, log_sink& log);

  /// Compositor of the pictures drawn so far. Another scene of the same blocks can reuse this compositor.
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

/// The picture specified by [picture], without its layers.
/// @param is_frame the picture is part of a series, and its pixels have half precision @collective local
render::scene scene_of_picture(const spec& job, const voxel::model_header& header, bool is_frame);

/// The interval of the colour map that the job's picture uses: start and end, each from 0 to 1.
std::array<float, 2> part_of_map(const spec& job);

/// Draw a result according to [picture].
/// @param title text above the picture; empty: no title, box, scale and colour bar
/// @param of_series compositor of a series of pictures, stored between the pictures; the pixels then have half precision
/// @return description of the streamlines by describe(); null without streamlines
/// @throws machine_error if the file cannot be written
/// @collective on part.where.comm
nlohmann::ordered_json draw_picture(const std::string& path, const spec& job, const local_model& part,
                                    const physics_result& result, log_sink& log, const std::string& title = "",
                                    std::shared_ptr<render::image_join>* of_series = nullptr);

}  // namespace osteon::job
