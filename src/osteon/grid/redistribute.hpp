#pragma once
/// @file
/// Redistribution of dense arrays between the boxes of ranks.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/plan/exchange/neighbours.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// Part of an array that is sent to or received from a rank.
struct piece {
  int rank;
  box3 part;
};

/// Intersections of `part` with the box of each rank. @collective local
std::vector<piece> pieces_of(const box_tree& boxes, const box3& part);

/// Assemble an array over the box `target` from the parts of other ranks.
/// @param values shape (source.z, source.y, source.x, components)
/// @param send parts of `source`, at most one per rank
/// @param receive parts of `target`, which cover `target` once; the corresponding rank must send each part
/// @collective on comm, among the ranks of the pieces
/// @cost one message per piece, without packing
template <class T>
std::vector<T> exchange_pieces(MPI_Comm comm, const box3& source, std::span<const T> values, std::span<const piece> send,
                               const box3& target, std::span<const piece> receive, int components = 1,
                               const std::string& name = "pieces of boxes");

/// A rank's part of the plan of exchange_pieces. @param name name of the plan in message counts
plan::neighbour_part plan_of_pieces(const box3& source, std::span<const piece> send, const box3& target,
                                    std::span<const piece> receive, const std::string& name);

/// A rank's part of the plan of redistribute. @collective local
plan::neighbour_part plan_to_redistribute(int rank, const box_tree& from, const box_tree& to);

/// Redistribute a cell field from the boxes of tree `from` to the boxes of tree `to`.
/// @param values shape (z, y, x, components) of this rank's box in `from`
/// @collective on comm
template <class T>
std::vector<T> redistribute(MPI_Comm comm, const box_tree& from, const box_tree& to, std::span<const T> values,
                            int components = 1);

/// Redistribute a node field to whole planes of nodes.
///
/// Adjacent boxes share nodes. The result at a shared node is the value of the highest rank with a value that is not NaN.
/// @param values shape (z + 1, y + 1, x + 1, components) of this rank's box in `from`
/// @param planes boxes of nodes; the domain of `planes` is larger by 1 along each axis than the domain of `from`
/// @collective on comm
std::vector<float> redistribute_nodes(MPI_Comm comm, const box_tree& from, const box_tree& planes,
                                      std::span<const float> values, int components = 1);

extern template std::vector<float> exchange_pieces(MPI_Comm, const box3&, std::span<const float>, std::span<const piece>,
                                                   const box3&, std::span<const piece>, int, const std::string&);
extern template std::vector<material_number> exchange_pieces(MPI_Comm, const box3&, std::span<const material_number>,
                                                             std::span<const piece>, const box3&, std::span<const piece>,
                                                             int, const std::string&);
extern template std::vector<float> redistribute(MPI_Comm, const box_tree&, const box_tree&, std::span<const float>, int);
extern template std::vector<material_number> redistribute(MPI_Comm, const box_tree&, const box_tree&,
                                                          std::span<const material_number>, int);

}  // namespace osteon::grid
