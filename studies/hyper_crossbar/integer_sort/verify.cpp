#include <fmt/format.h>

#include <osteon/base/splitmix.hpp>
#include <osteon/comm/communicator.hpp>
#include <studies/hyper_crossbar/integer_sort/verify.hpp>
#include <tuple>

namespace osteon::studies::integer_sort {

namespace {

std::uint64_t mixed(std::int32_t key, std::uint64_t index) {
  return splitmix64(static_cast<std::uint64_t>(key) << 32 ^ index);
}

// The key and the index in one number. The order of these numbers is the order of the sort.
std::int64_t ordinal(const arrangement& a, std::size_t i) {
  return static_cast<std::int64_t>(a.keys[i]) << 32 | a.origins[i];
}

}  // namespace

std::string fault_of(MPI_Comm comm, std::span<const std::int32_t> keys, std::int64_t first, const arrangement& sorted) {
  std::uint64_t hashes = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) hashes += mixed(keys[i], static_cast<std::uint64_t>(first) + i);
  for (std::size_t i = 0; i < sorted.keys.size(); ++i) hashes -= mixed(sorted.keys[i], sorted.origins[i]);

  std::int64_t largest = sorted.keys.empty() ? -1 : ordinal(sorted, sorted.keys.size() - 1), before = -1;
  MPI_Exscan(&largest, &before, 1, MPI_INT64_T, MPI_MAX, comm);
  if (comm::rank(comm) == 0) before = -1;
  std::int64_t disordered = 0;
  for (std::size_t i = 0; i < sorted.keys.size(); ++i) {
    disordered += ordinal(sorted, i) <= before;
    before = ordinal(sorted, i);
  }
  MPI_Allreduce(MPI_IN_PLACE, &hashes, 1, MPI_UINT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &disordered, 1, MPI_INT64_T, MPI_SUM, comm);
  if (disordered > 0) return fmt::format("{} keys are out of order", disordered);
  if (hashes != 0) return "the sorted keys differ from the given keys";
  return {};
}

}  // namespace osteon::studies::integer_sort
