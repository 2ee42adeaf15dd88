#pragma once
/// @file
/// The pictures that a job makes by itself.
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/outputs/labeller.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/render/annotate.hpp>
#include <string>

namespace osteon::job {

struct drawn {
  render::join_time joining;  ///< from this rank's last ray to the 8-bit rows, without notes
  std::string composited;     ///< as in render::image
};

/// Render a scene; each rank encodes rows of the picture.
/// @param notes null: none @throws machine_error if it cannot be written @collective on where.comm
drawn draw_png(const grid::block& where, const render::scene& what, render::prepared& kept, const render::annotations* notes,
               const std::string& path);

/// The same with labels: those of the report's picture (labels_of_program), which leave less room to what is shown; in small
/// pictures and without Python the built-in ones, over it.
/// @param what of the size of the labelled picture
drawn draw_labelled(const grid::block& where, const render::scene& what, render::prepared& kept,
                    const render::annotations& notes, const picture_words& words, const std::string& path, log_sink& log);

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
