#include <osteon/solve/elasticity/periodic_faces.hpp>

#include <algorithm>
#include <osteon/comm/collectively.hpp>

namespace osteon::solve {

namespace {

constexpr std::uint8_t low_face = 1, high_face = 2;

/// Which points across an axis have a node on the low and on the high face, as far as this rank knows.
std::vector<std::uint8_t> mark_faces(const elasticity_problem& problem, int across) {
  const index3 points = problem.where.domain + index3{1, 1, 1}, origin = problem.where.owned.begin;
  const int row = across == 0 ? 1 : 0, column = across == 2 ? 1 : 2;
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(points[row] * points[column]));
  for (const voxel::run& r : problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 at = origin + index3{r.z, r.y, r.x + i};
      const int faces = (at[across] == 0 ? low_face : 0) | (at[across] == points[across] - 1 ? high_face : 0);
      std::uint8_t& mark = marks[static_cast<std::size_t>(at[row] * points[column] + at[column])];
      mark = static_cast<std::uint8_t>(mark | faces);
    }
  return marks;
}

}  // namespace

std::array<partner_count, 3> count_partners(const elasticity_problem& problem) {
  const MPI_Comm comm = problem.where.comm;
  std::array<partner_count, 3> found;
  for (int across = 0; across < 3; ++across) {
    std::vector<std::uint8_t> marks;
    comm::collectively(comm, [&] { marks = mark_faces(problem, across); });
    constexpr std::size_t piece = std::size_t{1} << 30;  // counts of messages are int
    for (std::size_t begin = 0; begin < marks.size(); begin += piece)
      MPI_Allreduce(MPI_IN_PLACE, marks.data() + begin, static_cast<int>(std::min(piece, marks.size() - begin)), MPI_UINT8_T,
                    MPI_BOR, comm);
    partner_count& match = found[static_cast<std::size_t>(across)];
    for (const std::uint8_t mark : marks) {
      const bool both = mark == (low_face | high_face);
      match.nodes += both ? 2 : mark != 0;
      match.paired += both ? 2 : 0;
    }
  }
  return found;
}

}  // namespace osteon::solve
