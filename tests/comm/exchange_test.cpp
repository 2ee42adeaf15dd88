#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/exchange/exchange.hpp>
#include <osteon/plan/exchange/exchange_method.hpp>
#include <random>

namespace exchange_test {

using namespace osteon;

struct three_words {
  std::int32_t a, b, c;
  friend bool operator==(const three_words&, const three_words&) = default;
};

int rank() { return comm::rank(MPI_COMM_WORLD); }
int ranks() { return comm::size(MPI_COMM_WORLD); }
std::size_t index(int r) { return static_cast<std::size_t>(r); }

// Number of elements from each rank to each rank. The matrix is equal on all ranks.
using matrix = std::vector<std::vector<std::int64_t>>;
matrix random_counts(unsigned seed, std::int64_t most) {
  std::mt19937 random(seed);
  matrix counts(index(ranks()), std::vector<std::int64_t>(index(ranks())));
  for (auto& row : counts)
    for (auto& c : row) c = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
  // ranks that send no messages
  if (seed % 2 == 1) std::fill(counts[index(ranks() / 2)].begin(), counts[index(ranks() / 2)].end(), 0);
  if (seed % 3 == 1)
    for (auto& row : counts) row[0] = 0;  // ranks that receive no messages
  return counts;
}

// Parcels in a random order, with gaps between the parcels.
comm::parcels scattered(std::vector<std::int64_t> counts, unsigned seed) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  comm::parcels result{counts, std::vector<std::int64_t>(counts.size())};
  std::int64_t at = 2;
  for (const std::size_t r : order) {
    result.offsets[r] = at;
    at += counts[r] + 3;
  }
  return result;
}

std::vector<int> in_ints(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

void exchanges_as_mpi_does(comm::all_to_all& exchange, const matrix& counts, unsigned seed) {
  std::vector<std::int64_t> incoming;
  for (const auto& row : counts) incoming.push_back(row[index(rank())]);
  const comm::parcels to = scattered(counts[index(rank())], seed), from = scattered(incoming, seed + 1);
  EXPECT_EQ(exchange.counts_from(to.counts), incoming);

  std::vector<three_words> out(static_cast<std::size_t>(to.elements()) + 5);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {rank(), static_cast<int>(i), static_cast<int>(seed)};
  const three_words untouched{-1, -1, -1};
  std::vector<three_words> in(static_cast<std::size_t>(from.elements()) + 5, untouched), expected = in;
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(out.data(), in_ints(to.counts).data(), in_ints(to.offsets).data(), type, expected.data(),
                in_ints(from.counts).data(), in_ints(from.offsets).data(), type, MPI_COMM_WORLD);
  MPI_Type_free(&type);

  exchange.run<three_words>(out, to, in, from);
  EXPECT_EQ(in, expected);
}

// Oracle: MPI_Alltoallv. The lengths are random, and some parcels are empty. Some ranks send or receive nothing. Some
// parcels need many slots of the shared boxes.
TEST(all_to_all, brings_what_mpi_brings) {
  const std::string grid = ranks() % 2 == 0 ? "shift:2x" + std::to_string(ranks() / 2) : "shift";
  for (const std::string schedule :
       {"auto", "shared", "ring", grid.c_str(), "xor", "pairwise", "bruck", "hierarchical:2", "hierarchical:3"})
    for (const bool barriers : {false, true}) {
      SCOPED_TRACE(schedule);
      comm::all_to_all exchange(MPI_COMM_WORLD, {schedule, barriers});
      for (unsigned seed = 0; seed < 6; ++seed)
        exchanges_as_mpi_does(exchange, random_counts(seed, seed < 4 ? 40 : 30'000), seed);
    }
}

// Oracle: MPI_Alltoallv. The messages are cut as messages beyond 2^31 bytes are cut.
TEST(all_to_all, cuts_long_messages) {
  for (const char* schedule : {"ring", "bruck", "hierarchical:2"}) {
    comm::all_to_all exchange(MPI_COMM_WORLD, {schedule, false, 1000});
    for (unsigned seed = 0; seed < 3; ++seed) exchanges_as_mpi_does(exchange, random_counts(seed, 700), seed);
  }
}

// Oracle: the single byte that is sent. The offsets of both ends are beyond 2^31.
TEST(all_to_all, finds_parcels_beyond_2_to_the_31) {
  constexpr std::size_t bytes = std::size_t{5} << 30;
  const auto sparse = [] {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return std::span(static_cast<std::byte*>(at), at == MAP_FAILED ? 0 : bytes);
  };
  const auto out = sparse(), in = sparse();
  ASSERT_EQ(out.size() + in.size(), 2 * bytes);
  for (const char* schedule : {"shared", "ring"}) {
    comm::all_to_all exchange(MPI_COMM_WORLD, {schedule});
    comm::parcels here;
    for (int r = 0; r < ranks(); ++r) {
      here.counts.push_back(1);
      here.offsets.push_back((std::int64_t{5} << 30) - 1 - r);
      out[bytes - 1 - index(r)] = static_cast<std::byte>(10 * rank() + r);
    }
    exchange.run<std::byte>(out, here, in, here);
    for (int r = 0; r < ranks(); ++r) EXPECT_EQ(in[bytes - 1 - index(r)], static_cast<std::byte>(10 * r + rank()));
  }
  munmap(out.data(), bytes);
  munmap(in.data(), bytes);
}

// Oracle: MPI_Alltoallv. Both orders of [Itakura]'s transposition deliver the same parcels on a square of ranks.
TEST(all_to_all, transposes_on_a_square_of_ranks) {
  if (ranks() != 1 && ranks() != 4) GTEST_SKIP() << "needs 1 or 4 ranks";
  for (const std::string schedule : {"transposition", "transposition:x-first"}) {
    comm::all_to_all exchange(MPI_COMM_WORLD, {schedule});
    const auto plan = plan::make_exchange(schedule, {.ranks = ranks(), .bytes = 1});
    matrix counts(index(ranks()), std::vector<std::int64_t>(index(ranks())));
    for (int r = 0; r < ranks(); ++r)
      for (std::int64_t round = 0; round < plan.rounds; ++round)
        for (const auto& m : plan.of(r, round).sends) counts[index(r)][index(m.peer)] = 100 + r;
    exchanges_as_mpi_does(exchange, counts, 3);
  }
}

// Oracle: MPI_Scan and MPI_Bcast.
TEST(objects, are_summed_and_spread_as_mpi_does) {
  std::vector<std::uint32_t> own(1001), sums(1001);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<std::uint32_t>(i * i + 1'000'000'007u * index(rank()));
  MPI_Scan(own.data(), sums.data(), 1001, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
  auto object = own;
  comm::prefix_sum(MPI_COMM_WORLD, std::span(object));
  EXPECT_EQ(object, sums);

  for (int root = 0; root < ranks(); ++root) {
    object = own;
    comm::broadcast(MPI_COMM_WORLD, std::span(object), root);
    auto expected = own;
    MPI_Bcast(expected.data(), 1001, MPI_UINT32_T, root, MPI_COMM_WORLD);
    EXPECT_EQ(object, expected);
  }
}

// Oracle: MPI_Allreduce. The plan states which messages are added and which messages replace values.
TEST(objects, are_reduced_as_mpi_does) {
  std::vector<std::uint32_t> own(1001), sums(1001);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<std::uint32_t>(i * i + 1'000'000'007u * index(rank()));
  MPI_Allreduce(own.data(), sums.data(), 1001, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
  const auto bytes = std::as_writable_bytes(std::span(own));
  comm::execute_on_object(MPI_COMM_WORLD, plan::all_reduce(ranks(), std::ssize(bytes)), bytes,
                          [n = own.size()](std::byte* sum, const std::byte* arrived) {
                            for (std::size_t i = 0; i < n; ++i)
                              reinterpret_cast<std::uint32_t*>(sum)[i] += reinterpret_cast<const std::uint32_t*>(arrived)[i];
                          });
  EXPECT_EQ(own, sums);
}

// Oracle: the sum over all ranks, for a power of two. For other numbers of ranks, the oracle is the set of included ranks.
TEST(objects, meet_all_others_in_a_butterfly) {
  std::vector<std::uint64_t> met{std::uint64_t{1} << rank(), 1};
  std::vector<int> rounds;
  comm::butterfly(MPI_COMM_WORLD, std::span(met),
                  [&](int round, std::span<std::uint64_t> own, std::span<const std::uint64_t> came) {
                    rounds.push_back(round);
                    own[0] |= came[0];
                    own[1] += came[1];
                  });
  if ((ranks() & (ranks() - 1)) == 0) {
    EXPECT_EQ(met[0], (std::uint64_t{1} << ranks()) - 1);
    EXPECT_EQ(met[1], index(ranks()));
    EXPECT_EQ(rounds.size(), static_cast<std::size_t>(std::countr_zero(index(ranks()))));
  }
  for (const int round : rounds) EXPECT_LT(rank() ^ (1 << round), ranks());
  EXPECT_EQ(met[1], static_cast<std::uint64_t>(std::popcount(met[0])));
}

// Oracle: the rules of the input.
TEST(all_to_all, refuses_what_cannot_be) {
  EXPECT_THROW(comm::all_to_all(MPI_COMM_WORLD, {"butterfly"}), usage_error);
  EXPECT_THROW(comm::all_to_all(MPI_COMM_WORLD, {"rings"}), usage_error);
  EXPECT_THROW(comm::all_to_all(MPI_COMM_WORLD, {"shift:7x3"}), usage_error);
  EXPECT_THROW(comm::all_to_all(MPI_COMM_WORLD, {"ring", false, 0}), usage_error);
  if (ranks() == 2 || ranks() == 3 || ranks() == 5) {
    EXPECT_THROW(comm::all_to_all(MPI_COMM_WORLD, {"transposition"}), usage_error);
  }

  comm::all_to_all exchange(MPI_COMM_WORLD, {"ring"});
  std::vector<int> out(10), in(10);
  const auto right = comm::parcels::packed(std::vector<std::int64_t>(index(ranks()), 2));
  auto wrong = right;
  wrong.counts.pop_back();
  EXPECT_THROW(exchange.run<int>(out, wrong, in, right), usage_error);
  wrong = right;
  wrong.offsets[0] = 9;
  EXPECT_THROW(exchange.run<int>(out, right, in, wrong), usage_error);
  wrong.counts[0] = -1;
  EXPECT_THROW(exchange.run<int>(out, wrong, in, right), usage_error);
}

}  // namespace exchange_test
