#pragma once
/// @file
/// Results in text files of VOX-FE. The files do not depend on the access mode and the number of ranks.
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

/// Assign each node to one rank. Node numbers ascend with the ranks, because nodes in the plane between two ranks are
/// assigned to the upper rank. The two ranks must have equal values at common nodes.
/// @param where block of complete planes @collective on where.comm, among neighbours
node_rows settle(const grid::block& where, node_rows mine);

/// Write the lines of all ranks in rank order. The file has a temporary name until all data are on disk.
///
/// With parallel access, all ranks format their lines concurrently in memory, and write the text at their offsets. With
/// serial access, one rank after another appends its lines, and sends the number of the next row to the next rank.
/// @param header computes the text before the lines from the total number of rows; called on rank 0
/// @param rows number of rows of this rank
/// @param append appends the line of a row of this rank; `number` is the number of the row over all ranks
/// @throws machine_error on all ranks @collective on comm
/// @return size of the file in bytes
std::int64_t write_rows(MPI_Comm comm, const std::string& path, text_access access,
                        const std::function<std::string(std::int64_t all_rows)>& header, std::int64_t rows,
                        const std::function<void(std::string& text, std::int64_t row, std::int64_t number)>& append);

/// Write displacements. @param rows result of settle(); x, y, z in the units of the script @collective on comm
std::int64_t write_displacement(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                                const node_rows& rows);

/// Write displacements, strains (xx, yy, zz), engineering shear strains (xy, yz, xz) and principal strains (largest first)
/// of each node.
/// @param rows result of settle(); 12 components @collective on comm
std::int64_t write_full_strain(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                               const node_rows& rows);

/// Write reactions and applied forces of the nodes in the script.
/// @param nodes result of settle() for all nodes; only the IDs are used
/// @param named result of settle() for the nodes in the script: reaction x, y, z, force x, y, z, locked x, y, z
/// @param base index base @collective on comm
std::int64_t write_reactions(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                             const node_rows& nodes, const node_rows& named, int base);

/// Write the strain energy density of each element in the units of the script.
/// @param image material numbers of the planes of this rank @param sed strain energy densities of the active voxels
/// @param base index base @collective on where.comm
std::int64_t write_sed(const grid::block& where, const script& s, const std::string& path, text_access access,
                       view3<const material_number> image, std::span<const float> sed, int base);

}  // namespace osteon::io::voxfe
