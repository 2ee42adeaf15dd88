#include <algorithm>
#include <climits>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/fourier_exchange.hpp>

namespace osteon::comm {

namespace {

constexpr int tag = 0;
constexpr std::ptrdiff_t largest_message = INT_MAX / 2;  // in elements; a longer one goes in pieces

template <class Pass>
void in_pieces(std::ptrdiff_t count, Pass pass) {
  for (std::ptrdiff_t begin = 0; begin < count; begin += largest_message)
    pass(begin, static_cast<int>(std::min(largest_message, count - begin)));
}

}  // namespace

void exchange_blocks(MPI_Comm comm, const complex* from, complex* to, std::ptrdiff_t block, bool own,
                     exchange_account& account) {
  const stopwatch clock;
  const int ranks = size(comm), me = rank(comm);
  std::vector<MPI_Request> requests;
  // Everybody in the same direction, each distance in turn: no two send to the same rank first.
  for (int distance = 1; distance < ranks; ++distance) {
    const int source = (me - distance + ranks) % ranks;
    in_pieces(block, [&](std::ptrdiff_t begin, int count) {
      MPI_Irecv(to + source * block + begin, count, MPI_C_DOUBLE_COMPLEX, source, tag, comm, &requests.emplace_back());
    });
  }
  for (int distance = 1; distance < ranks; ++distance) {
    const int target = (me + distance) % ranks;
    in_pieces(block, [&](std::ptrdiff_t begin, int count) {
      MPI_Isend(from + target * block + begin, count, MPI_C_DOUBLE_COMPLEX, target, tag, comm, &requests.emplace_back());
    });
  }
  if (own) std::copy_n(from + me * block, block, to + me * block);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  account.seconds += clock.seconds();
  account.exchanges += 1;
  account.messages += ranks - 1;
  account.bytes += (ranks - 1) * block * static_cast<std::ptrdiff_t>(sizeof(complex));
}

void swap_with(MPI_Comm comm, int partner, const complex* from, complex* to, std::ptrdiff_t count,
               exchange_account& account) {
  const stopwatch clock;
  in_pieces(count, [&](std::ptrdiff_t begin, int length) {
    MPI_Sendrecv(from + begin, length, MPI_C_DOUBLE_COMPLEX, partner, tag, to + begin, length, MPI_C_DOUBLE_COMPLEX, partner,
                 tag, comm, MPI_STATUS_IGNORE);
  });
  account.seconds += clock.seconds();
  account.exchanges += 1;
  account.messages += 1;
  account.bytes += count * static_cast<std::ptrdiff_t>(sizeof(complex));
}

}  // namespace osteon::comm
