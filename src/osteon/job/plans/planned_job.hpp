#pragma once
/// @file
/// A job whose messages are counted stage by stage on virtual ranks.
#include <mpi.h>

#include <osteon/grid/box_tree.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/numerics/solve_part.hpp>
#include <osteon/render/compositing/picture_plan.hpp>
#include <vector>

namespace osteon::job {

struct planned_job {
  MPI_Comm comm;  ///< communicator of the virtual ranks
  const spec& job;
  const voxel::model_header& header;
  const std::vector<material_number>& image;  ///< material numbers with shape header.shape
  const grid::box_tree& boxes;
  bool deals_out_bricks;                 ///< false: ranks read their own planes
  const render::picture_plan* drawn;     ///< plan of the picture; null: no picture
  numerics::message_count count;         ///< message count of the solver
  local_model part{};                    ///< the stage read sets this part
  std::vector<io::field_info> fields{};  ///< fields that the job writes; the stage solve sets these fields
};

}  // namespace osteon::job
