#pragma once
/// @file
/// Results as VOX-FE's text files. Both ways of writing give the same bytes, for any number of ranks.
#include <mpi.h>

#include <functional>
#include <osteon/grid/block.hpp>
#include <osteon/io/voxfe/script.hpp>
#include <osteon/voxel/run_set.hpp>
#include <span>

namespace osteon::io::voxfe {

/// Values at nodes of a rank.
struct node_rows {
  int components = 0;
  std::vector<std::int64_t> id;  ///< grid::node_id, ascending
  std::vector<double> value;     ///< shape (id.size(), components)
};

/// Give each node to one rank so that numbers ascend with the ranks: the plane between two goes to the upper one. Where
/// both have a node, their values are equal.
/// @param where whole planes @collective on where.comm, between neighbours
node_rows settle(const grid::block& where, node_rows mine);

/// Write the lines of all ranks, in the order of the ranks, under a temporary name that is replaced when all is on disk.
///
/// In parallel every rank formats its lines at once and writes them where they belong; it holds their text. Serially the
/// ranks wait for each other: each appends its lines and passes on the number of the next row.
/// @param header written by rank 0 before the lines; gets the number of all rows
/// @param rows of this rank
/// @param append adds the lines of the rows [first, last) of this rank; `number` is that of row `first` among all ranks'
/// @throws machine_error on all ranks @collective on comm
/// @return bytes of the file
std::int64_t write_rows(
    MPI_Comm comm, const std::string& path, text_access access,
    const std::function<std::string(std::int64_t all_rows)>& header, std::int64_t rows,
    const std::function<void(std::string& text, std::int64_t first, std::int64_t last, std::int64_t number)>& append);

/// Write displacements. @param rows settled; x, y, z in the units of the script @collective on comm
std::int64_t write_displacement(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                                const node_rows& rows);

/// Write displacements, strains xx yy zz, engineering shears xy yz xz, principal strains (largest first) of each node.
/// @param rows settled; 12 components @collective on comm
std::int64_t write_full_strain(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                               const node_rows& rows);

/// Write reactions and applied forces of the nodes that the script names.
/// @param nodes settled; all nodes, of which only the ids matter
/// @param named settled; some of these: reaction x, y, z, force x, y, z, locked x, y, z
/// @param base that indices are counted from @collective on comm
std::int64_t write_reactions(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                             const node_rows& nodes, const node_rows& named, int base);

/// Write the strain energy density of each element, in the script's units.
/// @param image material numbers of the rank's planes @param sed of its active voxels
/// @param base that indices are counted from @collective on where.comm
std::int64_t write_sed(const grid::block& where, const script& s, const std::string& path, text_access access,
                       view3<const material_number> image, std::span<const float> sed, int base);

}  // namespace osteon::io::voxfe
