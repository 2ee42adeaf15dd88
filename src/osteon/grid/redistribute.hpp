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

/// Part of an array that a rank sends to another rank or receives from another rank.
struct piece {
  int rank;
  box3 part;
};

/// Intersections of `part` with the boxes of all ranks. @collective local
std::vector<piece> pieces_of(const box_tree& boxes, const box3& part);

/// Assemble an array over the box `target` from the parts of other ranks.
/// @param values array with shape (source.z, source.y, source.x, components)
/// @param send parts of `source`, at most one part per rank
/// @param receive parts of `target`, which cover `target` once; the rank of each part must send this part
/// @collective on comm, among the ranks of `send` and `receive`
/// @cost one message per piece, without packing
template <class T>
std::vector<T> exchange_pieces(MPI_Comm comm, const box3& source, std::span<const T> values, std::span<const piece> send,
                               const box3& target, std::span<const piece> receive, int components = 1,
                               const std::string& name = "pieces of boxes");

/// Part of a rank in the plan of exchange_pieces. @param name name of the plan in message counts
plan::neighbour_part plan_of_pieces(const box3& source, std::span<const piece> send, const box3& target,
                                    std::span<const piece> receive, const std::string& name);

/// Part of a rank in the plan of redistribute. @collective local
plan::neighbour_part plan_to_redistribute(int rank, const box_tree& from, const box_tree& to);

/// Redistribute a cell field from the boxes of the tree `from` to the boxes of the tree `to`.
/// @param values field of this rank's box in `from`, shape (z, y, x, components)
/// @collective on comm
template <class T>
std::vector<T> redistribute(MPI_Comm comm, const box_tree& from, const box_tree& to, std::span<const T> values,
                            int components = 1);

/// Redistribute a node field to complete planes of nodes.
///
/// Adjacent boxes have common nodes. At a common node, the result is the value of the highest rank that has a value other
/// than NaN.
/// @param values field of this rank's box in `from`, shape (z + 1, y + 1, x + 1, components)
/// @param planes boxes of nodes. Along each axis, the domain of `planes` is larger by 1 than the domain of `from`.
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
