#pragma once
/// @file
/// Redistribution of dense arrays between boxes of ranks.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/plan/exchange/neighbours.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// Part of an array that is sent to a rank or received from it.
struct piece {
  int rank;
  box3 part;
};

/// Intersections of `part` with the box of each rank. @collective local
std::vector<piece> pieces_of(const box_tree& boxes, const box3& part);

/// Assemble an array over the box `want` from the parts of other ranks.
/// @param values shape (have.z, have.y, have.x, components)
/// @param send parts of `have`, at most one per rank
/// @param receive parts of `want` that cover it once; each is one that its rank sends
/// @collective on comm, among the ranks of the pieces
/// @cost one message per piece, directly from one array into the other
template <class T>
std::vector<T> exchange_pieces(MPI_Comm comm, const box3& have, std::span<const T> values, std::span<const piece> send,
                               const box3& want, std::span<const piece> receive, int components = 1,
                               const std::string& name = "pieces of boxes");

/// Plan of this redistribution. @param name name under which its messages are counted
plan::neighbour_part plan_of_pieces(const box3& have, std::span<const piece> send, const box3& want,
                                    std::span<const piece> receive, const std::string& name);

/// Plan of a rank's part of redistribute. @collective local
plan::neighbour_part plan_to_redistribute(int rank, const box_tree& from, const box_tree& to);

/// Move a cell field from the boxes of one tree to those of another.
/// @param values shape (z, y, x, components) of this rank's box in `from`; the result has that of its box in `to`
/// @collective on comm
template <class T>
std::vector<T> redistribute(MPI_Comm comm, const box_tree& from, const box_tree& to, std::span<const T> values,
                            int components = 1);

/// Move a node field to whole planes of nodes.
///
/// Adjacent boxes share nodes: the value of the highest rank is used, and NaN only if all have it.
/// @param values shape (z + 1, y + 1, x + 1, components) of this rank's box in `from`
/// @param planes boxes of the nodes: a domain larger by one along each axis than that of `from`
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
