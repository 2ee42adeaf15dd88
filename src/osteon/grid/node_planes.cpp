#include <osteon/grid/node_planes.hpp>

#include <cmath>

namespace osteon::grid {

void complete_lowest_plane(const block& where, std::vector<float>& values, int components) {
  const std::int64_t plane = (where.domain.y + 1) * (where.domain.x + 1) * components;
  std::vector<float> below(static_cast<std::size_t>(plane));
  MPI_Datatype type;
  MPI_Type_contiguous(static_cast<int>(plane), MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  const float* top = values.data() + where.owned.shape().z * plane;
  MPI_Sendrecv(top, 1, type, where.above, 21, below.data(), 1, type, where.below, 21, where.comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  if (where.below == MPI_PROC_NULL) return;
  for (std::size_t i = 0; i < below.size(); ++i)
    if (std::isnan(values[i])) values[i] = below[i];
}

}  // namespace osteon::grid
