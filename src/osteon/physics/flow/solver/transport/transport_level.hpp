#pragma once
/// @file
/// A level of the multigrid for transport, and the construction of the next coarser level.
#include <osteon/physics/flow/solver/transport/transport_multigrid.hpp>

namespace osteon::physics {

/// Geometry and couplings of a level. The set-up uses these data. Owned points precede ghosts.
struct transport_geometry {
  /// Link between the owned point i and a neighbour. The values are those for point i.
  struct link {
    std::int32_t from, to;
    float conductance;  ///< [W/K]
    float comes, goes;  ///< heat capacity flow from the neighbour, and to the neighbour [W/K]
  };
  struct point {
    std::array<float, 3> centre{};  ///< position (z, y, x) [mm]
    float cells = 1;
  };
  struct place {
    std::int32_t z, y, x;  ///< position of the block in the image
    friend bool operator==(const place&, const place&) = default;
  };
  std::vector<link> links;   ///< links in ascending order of `from`; several links may connect two points
  std::vector<float> loose;  ///< value of each owned point
  std::vector<point> points;
  std::vector<place> places;  ///< position of each owned point
  halo between;
  std::int32_t ghosts = 0;
  std::array<int, 3> shift{};
  vector3 spacing_mm;
  index3 domain;
  std::array<float, 3> period{};  ///< length of a periodic box along an axis [mm]; 0: not periodic
};

/// Return the geometry of the cells. @collective local
transport_geometry geometry_of(const transport_cells& cells);

/// Return the rows of the hybrid scheme. The function merges links between the same points. @collective local
transport_rows rows_of(transport_geometry& geometry);

/// Return the next coarser level. @param rows rows of `fine` @param parent receives the aggregate that contains each owned
/// point
/// @collective on fine.between.comm
transport_geometry coarsened(const transport_geometry& fine, const transport_rows& rows, std::vector<std::int32_t>& parent);

/// On other ranks, the result is empty. @collective on comm The result is empty on other ranks. @collective on comm
transport_geometry gathered_on_first(MPI_Comm comm, const transport_geometry& own);

}  // namespace osteon::physics
