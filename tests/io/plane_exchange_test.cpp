#include <gtest/gtest.h>
#include <sys/mman.h>

#include <osteon/io/chunked/plane_exchange.hpp>

namespace plane_exchange_test {

using namespace osteon;

// The value of byte b of plane z.
std::byte value_at(std::int64_t z, std::int64_t b) { return static_cast<std::byte>(z * 31 + b * 7); }

std::vector<std::byte> planes_of(io::plane_range r, std::int64_t bytes) {
  std::vector<std::byte> values;
  for (std::int64_t z = r.begin; z < r.end; ++z)
    for (std::int64_t b = 0; b < bytes; ++b) values.push_back(value_at(z, b));
  return values;
}

struct variant {
  io::access_mode mode;
  int ranks_per_writer;
};

io::access access_with(const variant& v) {
  io::access how;
  how.mode = v.mode;
  how.ranks_per_writer = v.ranks_per_writer;
  return how;
}

constexpr variant variants[] = {{io::access_mode::serial, 0},
                                {io::access_mode::aggregated, 0},
                                {io::access_mode::aggregated, 2},
                                {io::access_mode::parallel, 0}};

// Oracle: the values of the function value_at. Slabs are uneven, and some ranks have none. Messages are cut at 7 bytes, and
// pieces at a few planes. These sizes are far below the sizes at which counts would exceed an int.
TEST(plane_exchange, deals_planes_out) {
  const int ranks = comm::size(MPI_COMM_WORLD), rank = comm::rank(MPI_COMM_WORLD);
  const std::int64_t planes = 23, bytes = 5;
  std::vector<std::int64_t> first;
  for (int r = 0; r < ranks; ++r) first.push_back(r % 3 == 2 && r > 0 ? first.back() : planes * r * r / (ranks * ranks));
  first.push_back(planes);
  const auto ranges = io::ranges_of(first);
  const io::plane_range own = ranges[static_cast<std::size_t>(rank)];
  for (const variant& v : variants)
    for (const std::int64_t chunk : {1, 4, 30}) {
      io::access how = access_with(v);
      how.bytes_per_call = 60;
      how.bytes_per_message = 7;
      const auto team = io::file_team::make(MPI_COMM_WORLD, "/tmp", how, io::direction::write);
      const io::plane_exchange exchange(MPI_COMM_WORLD, team, how, ranges, planes, chunk, bytes);
      const auto values = planes_of(own, bytes);
      std::vector<std::byte> back(values.size());
      std::int64_t next = exchange.handled().begin;
      for (std::int64_t round = 0; round < exchange.rounds(); ++round) {
        const io::plane_range piece = exchange.piece(round);
        if (piece.size() > 0) {
          EXPECT_EQ(piece.begin, next);
          EXPECT_EQ(piece.begin % chunk, 0);
          EXPECT_LE(piece.size(), std::max<std::int64_t>(chunk, 60 / bytes));
          next = piece.end;
        }
        exchange.scatter(round, planes_of(piece, bytes), back);
      }
      EXPECT_EQ(next, std::max(exchange.handled().begin, exchange.handled().end));
      EXPECT_EQ(back, values);
      std::int64_t handled = exchange.handled().size();
      MPI_Allreduce(MPI_IN_PLACE, &handled, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(handled, planes);
    }
}

// Oracle: a mark near the end of 5 GB, which one rank requests. The pages are those of an empty file, so that they need no
// memory.
TEST(plane_exchange, counts_beyond_an_int) {
  const int ranks = comm::size(MPI_COMM_WORLD), rank = comm::rank(MPI_COMM_WORLD);
  const std::int64_t bytes = std::int64_t{1} << 20, planes = 5000;
  std::vector<std::int64_t> first(static_cast<std::size_t>(ranks), 0);  // the last rank has all planes
  first.push_back(planes);
  const std::size_t size = rank == ranks - 1 ? static_cast<std::size_t>(planes * bytes) : 0;
  void* memory =
      size > 0 ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : nullptr;
  ASSERT_NE(memory, MAP_FAILED);
  const std::span<std::byte> values(static_cast<std::byte*>(memory), size);
  io::access how;
  how.mode = io::access_mode::serial;
  how.bytes_per_call = std::int64_t{64} << 20;
  how.bytes_per_message = 10'000'000;
  const auto team = io::file_team::make(MPI_COMM_WORLD, "/tmp", how, io::direction::write);
  const io::plane_exchange exchange(MPI_COMM_WORLD, team, how, io::ranges_of(first), planes, 2, bytes);
  const std::int64_t last = exchange.rounds() - 1;
  std::vector<std::byte> piece(static_cast<std::size_t>(exchange.piece(last).size() * bytes));
  if (rank == 0) piece[piece.size() - static_cast<std::size_t>(bytes) + 11] = std::byte{42};
  EXPECT_LE(piece.size(), std::size_t{64} << 20);
  exchange.scatter(last, piece, values);
  if (size > 0) {
    EXPECT_EQ(values[static_cast<std::size_t>((planes - 1) * bytes + 11)], std::byte{42});
    munmap(memory, size);
  }
}

// Oracle: the rules in access.hpp; numbers of file systems from linux/magic.h.
TEST(access, is_chosen_by_the_file_system) {
  using io::access_mode, io::direction, io::file_system_kind;
  EXPECT_EQ(io::choose_mode(file_system_kind::parallel, 1, 1, direction::write), access_mode::serial);
  EXPECT_EQ(io::choose_mode(file_system_kind::local, 4, 1, direction::write), access_mode::parallel);
  EXPECT_EQ(io::choose_mode(file_system_kind::local, 4, 2, direction::read), access_mode::serial);
  EXPECT_EQ(io::choose_mode(file_system_kind::network, 4, 2, direction::write), access_mode::serial);
  EXPECT_EQ(io::choose_mode(file_system_kind::network, 4, 2, direction::read), access_mode::aggregated);
  EXPECT_EQ(io::choose_mode(file_system_kind::parallel, 4, 2, direction::write), access_mode::parallel);
  EXPECT_EQ(io::file_system_of_type(0x6969).name, "nfs");
  EXPECT_EQ(io::file_system_of_type(0x0BD00BD0).kind, file_system_kind::parallel);
  EXPECT_EQ(io::file_system_of_type(0x12345).kind, file_system_kind::network);
  EXPECT_EQ(io::file_system_of("/proc/self/no_such_file").kind, file_system_kind::network);
}

}  // namespace plane_exchange_test
