#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/execute.hpp>
#include <osteon/plan/swap.hpp>
#include <random>

namespace execute_test {

using namespace osteon;

// Blending as joining of intervals [first, last] plus a hash of the order in which they were joined: not commutative,
// and associative exactly, so a serial fold is the reference.
struct patch {
  std::uint64_t product, sum;  // the affine map x -> product x + sum (mod 2^64); joining is composition of maps
  friend bool operator==(const patch&, const patch&) = default;
};

patch join(const patch& front, const patch& back) {
  return {front.product * back.product, front.product * back.sum + front.sum};
}

patch original(int rank, std::int64_t element) {
  const auto seed = static_cast<std::uint64_t>(rank * 1'000'003 + element);
  return {2 * seed + 3, seed * seed + 7};
}

std::vector<patch> own_object(int rank, std::int64_t elements) {
  std::vector<patch> object;
  for (std::int64_t e = 0; e < elements; ++e) object.push_back(original(rank, e));
  return object;
}

void over(patch* own, const patch* received, std::int64_t count, bool in_front) {
  for (std::int64_t i = 0; i < count; ++i) own[i] = in_front ? join(received[i], own[i]) : join(own[i], received[i]);
}

// Oracle: a serial fold over the visibility order, for random orders, roots, and objects smaller than the ranks.
TEST(executor, composites_as_a_serial_fold_does) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  for (const std::int64_t elements :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{1000}, std::int64_t{100'003}}) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(elements)));
    const int root = ranks / 2;
    auto compositor = comm::executor::make(MPI_COMM_WORLD, plan::binary_swap(ranks, elements, order, root), sizeof(patch));

    for (int frame = 0; frame < 2; ++frame) {
      auto object = own_object(rank, elements);
      compositor.run(std::span<patch>(object), over);

      if (rank != root) {
        EXPECT_TRUE(compositor.result().empty());
        continue;
      }
      for (std::int64_t e = 0; e < elements; ++e) {
        patch expected = original(order[0], e);
        for (std::size_t i = 1; i < order.size(); ++i) expected = join(expected, original(order[i], e));
        ASSERT_EQ(object[static_cast<std::size_t>(e)], expected) << "element " << e;
      }
    }
  }
}

// Oracle: every rank throws, with the same kind of error.
TEST(executor, refuses_a_plan_for_another_number_of_ranks_on_all_ranks) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  std::vector<int> order(static_cast<std::size_t>(ranks) + 1);
  std::iota(order.begin(), order.end(), 0);
  EXPECT_THROW(comm::executor::make(MPI_COMM_WORLD, plan::binary_swap(ranks + 1, 10, order), sizeof(patch)), usage_error);
}

// Oracle: as above, with only the last rank at fault.
TEST(executor, refuses_an_object_of_another_size_on_all_ranks) {
  const int rank = comm::rank(MPI_COMM_WORLD), ranks = comm::size(MPI_COMM_WORLD);
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  auto compositor = comm::executor::make(MPI_COMM_WORLD, plan::binary_swap(ranks, 10, order), sizeof(patch));
  std::vector<patch> object(rank == ranks - 1 ? 9 : 10);
  EXPECT_THROW(compositor.run(std::span<patch>(object), over), usage_error);
}

}  // namespace execute_test
