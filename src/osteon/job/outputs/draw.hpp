#pragma once
/// @file
/// The pictures that a job makes by itself.
#include <osteon/job/physics_result.hpp>
#include <osteon/render/annotate.hpp>
#include <string>

namespace osteon::job {

/// Render a scene; each rank encodes rows of the picture.
/// @param notes null: none @return time from this rank's last ray to the 8-bit rows, without notes
/// @throws machine_error if it cannot be written @collective on where.comm
render::join_time draw_png(const grid::block& where, const render::scene& what, render::prepared& kept, const render::annotations* notes,
                           const std::string& path);

/// The picture that [picture] asks for, without its layers. @collective local
render::scene scene_of_picture(const spec& job, const voxel::model_header& header);

/// Draw what a result shows, as [picture] says.
/// @param title empty: without title, box, scale and colour bar @throws machine_error if it cannot be written
/// @collective on part.where.comm
void draw_picture(const std::string& path, const spec& job, const local_model& part, const physics_result& result,
                  const std::string& title = "");

}  // namespace osteon::job
