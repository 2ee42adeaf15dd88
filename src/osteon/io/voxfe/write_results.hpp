#pragma once
/// @file
/// Results as text files of VOX-FE. Both access modes write the same bytes for any number of ranks.
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

/// Assign each node to one rank so that numbers ascend with the ranks: a plane between two ranks is assigned to the upper
/// one. Both ranks have equal values at common nodes.
/// @param where block of complete planes @collective on where.comm, among neighbours
node_rows settle(const grid::block& where, node_rows mine);

/// Write the lines of all ranks in rank order, under a temporary name that is changed when all data are on disk.
///
/// In parallel, all ranks format their lines concurrently, store the text, and write it at their offsets. In serial, ranks
/// append their lines in turn and pass on the number of the next row.
/// @param header written by rank 0 before the lines; called with the number of all rows
/// @param rows number of rows of this rank
/// @param append adds the lines of the rows [first, last) of this rank; `number` is that of row `first` among all ranks'
/// @throws machine_error on all ranks @collective on comm
/// @return size of the file in bytes
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
/// @param nodes settled; all nodes; only the ids are used
/// @param named settled; some of these: reaction x, y, z, force x, y, z, locked x, y, z
/// @param base index base @collective on comm
std::int64_t write_reactions(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                             const node_rows& nodes, const node_rows& named, int base);

/// Write the strain energy density of each element, in the script's units.
/// @param image material numbers of the planes of this rank @param sed strain energy densities of its active voxels
/// @param base index base @collective on where.comm
std::int64_t write_sed(const grid::block& where, const script& s, const std::string& path, text_access access,
                       view3<const material_number> image, std::span<const float> sed, int base);

}  // namespace osteon::io::voxfe
