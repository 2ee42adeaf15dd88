#pragma once
/// @file
/// A level of the multigrid for transport, and how the next coarser one is made.
#include <osteon/physics/flow/solver/transport/transport_multigrid.hpp>

namespace osteon::physics {

/// What a level is made of, needed by the setup only. Points: owned ones first, then ghosts.
struct transport_geometry {
  /// Between owned point i and a neighbour, as i sees it.
  struct link {
    std::int32_t from, to;
    float conductance;  ///< [W/K]
    float comes, goes;  ///< heat capacity of what flows in from there, and out to there [W/K]
  };
  struct point {
    std::array<float, 3> centre{};  ///< z, y, x [mm]
    float cells = 1;
  };
  struct place {
    std::int32_t z, y, x;  ///< block of the image
    friend bool operator==(const place&, const place&) = default;
  };
  std::vector<link> links;   ///< sorted by `from`; several may join two points
  std::vector<float> loose;  ///< of owned points
  std::vector<point> points;
  std::vector<place> places;  ///< of owned points
  halo between;
  std::int32_t ghosts = 0;
  std::array<int, 3> shift{};
  vector3 spacing_mm;
  index3 domain;
  std::array<float, 3> period{};  ///< of a box that repeats along an axis [mm]; 0: it does not
};

/// The geometry of the cells. @collective local
transport_geometry geometry_of(const transport_cells& cells);

/// Rows of the hybrid scheme. Unites the links that join the same points. @collective local
transport_rows rows_of(transport_geometry& geometry);

/// The next level. @param rows of `fine` @param parent becomes the aggregate of each owned point
/// @collective on fine.between.comm
transport_geometry coarsened(const transport_geometry& fine, const transport_rows& rows, std::vector<std::int32_t>& parent);

/// The points of all ranks on rank 0, in the order of the ranks; nothing elsewhere. @collective on comm
transport_geometry gathered_on_first(MPI_Comm comm, const transport_geometry& own);

}  // namespace osteon::physics
