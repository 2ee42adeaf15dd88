#pragma once
#include <mpi.h>

#include <osteon/base/kth_smallest.hpp>
#include <osteon/comm/datatype.hpp>
#include <vector>

namespace osteon::studies {

/// The values of all ranks joined by `op`. The result is equal on all ranks. @collective on comm
template <class T>
T reduced(MPI_Comm comm, T value, MPI_Op op) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, comm::datatype<T>(), op, comm);
  return value;
}
/// The largest value of all ranks, and the sum of the values of all ranks. @collective on comm
inline double largest(MPI_Comm comm, double value) { return reduced(comm, value, MPI_MAX); }
inline double sum(MPI_Comm comm, double value) { return reduced(comm, value, MPI_SUM); }

/// The median of the values. For an even number of values, the result is the upper of the two middle values.
inline double median(const std::vector<double>& values) { return kth_smallest(values, values.size() / 2); }

}  // namespace osteon::studies
