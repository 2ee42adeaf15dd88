#pragma once
/// @file
/// A level of the multigrid for transport, and the construction of the next coarser level.
#include <osteon/physics/flow/solver/transport/transport_multigrid.hpp>

namespace osteon::physics {

/// Geometry and couplings of a level, used only in set-up. Owned points precede ghosts.
struct transport_geometry {
  /// Link between owned point i and a neighbour, from the side of i.
  struct link {
    std::int32_t from, to;
    float conductance;  ///< [W/K]
    float comes, goes;  ///< heat capacity flow from and to the neighbour [W/K]
  };
  struct point {
    std::array<float, 3> centre{};  ///< z, y, x [mm]
    float cells = 1;
  };
  struct place {
    std::int32_t z, y, x;  ///< block of the image
    friend bool operator==(const place&, const place&) = default;
  };
  std::vector<link> links;   ///< sorted by `from`; several links may connect two points
  std::vector<float> loose;  ///< per owned point
  std::vector<point> points;
  std::vector<place> places;  ///< per owned point
  halo between;
  std::int32_t ghosts = 0;
  std::array<int, 3> shift{};
  vector3 spacing_mm;
  index3 domain;
  std::array<float, 3> period{};  ///< length of a periodic box along an axis [mm]; 0: not periodic
};

/// Return the geometry of the cells. @collective local
transport_geometry geometry_of(const transport_cells& cells);

/// Return the rows of the hybrid scheme. Merges links that connect the same points. @collective local
transport_rows rows_of(transport_geometry& geometry);

/// Return the next coarser level. @param rows rows of `fine` @param parent receives the aggregate of each owned point
/// @collective on fine.between.comm
transport_geometry coarsened(const transport_geometry& fine, const transport_rows& rows, std::vector<std::int32_t>& parent);

/// Gather the points of all ranks on rank 0, in the order of the ranks. The result is empty on other ranks. @collective on
/// comm
transport_geometry gathered_on_first(MPI_Comm comm, const transport_geometry& own);

}  // namespace osteon::physics
