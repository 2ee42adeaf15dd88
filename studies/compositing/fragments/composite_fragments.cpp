#include <studies/compositing/fragments/composite_fragments.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>

namespace osteon::studies {

namespace {

void check(const std::vector<fragment>& fragments, std::int64_t pixels, int root, int ranks) {
  if (pixels < 0 || root < 0 || root >= ranks)
    throw usage_error(fmt::format(
        "a picture of {} pixels for rank {} of {}: the number must be at least 0, and the rank valid", pixels, root, ranks));
  for (const fragment& f : fragments) {
    bool good = f.pixel >= 0 && f.pixel < pixels && f.z_front <= f.z_back && f.rgba[3] <= 1;
    for (int c = 0; c < 3; ++c) good = good && f.rgba[c] >= 0 && f.rgba[c] <= f.rgba[3];
    if (!good)
      throw data_error(fmt::format(
          "a fragment of pixel {} from depth {:g} to {:g} with the colour ({:g}, {:g}, {:g}) and opacity {:g}: the "
          "pixel must be in [0, {}), the front before the back, and colours multiplied by the opacity",
          f.pixel, f.z_front, f.z_back, f.rgba[0], f.rgba[1], f.rgba[2], f.rgba[3], pixels));
  }
}

// Start offset of each count, followed by the total. If a sum exceeds the range of int, an error is thrown.
std::vector<int> beginnings(const std::vector<std::int64_t>& counts) {
  std::vector<int> result{0};
  std::int64_t sum = 0;
  for (const std::int64_t c : counts) {
    sum += c;
    if (sum > std::numeric_limits<int>::max())
      throw usage_error(
          fmt::format("{} fragments or pixels of one rank: the limit is {}; use more ranks or a smaller picture", sum,
                      std::numeric_limits<int>::max()));
    result.push_back(static_cast<int>(sum));
  }
  return result;
}

std::vector<int> as_int(const std::vector<std::int64_t>& counts) { return {counts.begin(), counts.end()}; }

}  // namespace

fragment_picture composite_fragments(MPI_Comm comm, std::vector<fragment> fragments, std::int64_t pixels, int root) {
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  const auto cut = [&](std::int64_t r) { return pixels / ranks * r + std::min(r, pixels % ranks); };
  std::vector<std::int64_t> to(static_cast<std::size_t>(ranks)), from(to), stripes(to);
  std::vector<int> first_to, first_from, first_pixel;
  comm::collectively(comm, [&] {
    check(fragments, pixels, root, ranks);
    std::sort(fragments.begin(), fragments.end(), [](const auto& a, const auto& b) { return a.pixel < b.pixel; });
    auto at = fragments.begin();
    for (int r = 0; r < ranks; ++r) {
      const auto end = std::partition_point(at, fragments.end(), [&](const auto& f) { return f.pixel < cut(r + 1); });
      to[static_cast<std::size_t>(r)] = end - at;
      stripes[static_cast<std::size_t>(r)] = cut(r + 1) - cut(r);
      at = end;
    }
    first_to = beginnings(to);
    first_pixel = beginnings(stripes);
  });
  fragment_picture result;
  stopwatch watch;
  const auto lap = [&](double& seconds) {
    seconds += watch.seconds();
    watch.restart();
  };
  MPI_Alltoall(to.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, comm);
  std::vector<fragment> mine;
  std::vector<float> stripe;
  comm::collectively(comm, [&] {
    first_from = beginnings(from);
    mine.resize(static_cast<std::size_t>(first_from.back()));
    stripe.resize(static_cast<std::size_t>(4 * stripes[static_cast<std::size_t>(rank)]));
    if (rank == root) result.rgba.resize(static_cast<std::size_t>(4 * pixels));
  });
  {
    const comm::element_type type(sizeof(fragment));
    MPI_Alltoallv(fragments.data(), as_int(to).data(), first_to.data(), type.get(), mine.data(), as_int(from).data(),
                  first_from.data(), type.get(), comm);
  }
  lap(result.report.exchange_seconds);
  result.overlaps = blend_fragments(mine, cut(rank), stripe);
  lap(result.report.blend_seconds);
  MPI_Allreduce(MPI_IN_PLACE, &result.overlaps, 1, MPI_INT64_T, MPI_SUM, comm);
  const comm::element_type type(4 * sizeof(float));
  MPI_Gatherv(stripe.data(), static_cast<int>(stripes[static_cast<std::size_t>(rank)]), type.get(), result.rgba.data(),
              as_int(stripes).data(), first_pixel.data(), type.get(), root, comm);
  lap(result.report.collect_seconds);
  const auto own = static_cast<std::size_t>(rank);
  const std::int64_t sent = std::ssize(fragments) - to[own], kept = rank == root ? 0 : stripes[own];
  result.report.bytes_sent = sent * static_cast<std::int64_t>(sizeof(fragment)) + kept * 16;
  return result;
}

}  // namespace osteon::studies
