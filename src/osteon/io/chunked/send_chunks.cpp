#include <osteon/io/chunked/encode_chunks.hpp>

#include <algorithm>
#include <numeric>
#include <osteon/comm/collectively.hpp>

namespace osteon::io {
namespace {

constexpr int chunk_tag = 37;
constexpr int chunk_bytes = static_cast<int>(sizeof(stored_chunk));

/// Member that writes for a rank. The function returns the last member with a rank up to this rank. If members serve
/// scattered ranks, all members serve equal numbers of ranks.
int writer_of(const file_team& team, int rank, int ranks) {
  const auto members = std::ssize(team.ranks);
  if (std::binary_search(team.ranks.begin(), team.ranks.end(), rank)) return rank;
  if (!team.contiguous) return team.ranks[static_cast<std::size_t>(rank * members / ranks)];
  return *std::prev(std::upper_bound(team.ranks.begin(), team.ranks.end(), rank));
}

}  // namespace

chunks_to_write ship_chunks(MPI_Comm comm, const file_team& team, std::int64_t bytes_per_message,
                            const encoded_piece& mine) {
  const int rank = comm::rank(comm), ranks = comm::size(comm), writer = writer_of(team, rank, ranks);
  std::vector<int> served;
  for (int r = 0; team.member() && r < ranks; ++r)
    if (r != rank && writer_of(team, r, ranks) == rank) served.push_back(r);

  // Send the number of chunks, then their descriptions, then their bytes. With this order, the receiver can allocate memory
  // before each receive.
  const int count = static_cast<int>(mine.chunks.size());
  std::vector<int> counts(served.size());
  std::vector<MPI_Request> requests;
  for (std::size_t s = 0; s < served.size(); ++s)
    MPI_Irecv(&counts[s], 1, MPI_INT, served[s], chunk_tag, comm, &requests.emplace_back());
  if (writer != rank) MPI_Isend(&count, 1, MPI_INT, writer, chunk_tag, comm, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();

  chunks_to_write all;
  std::vector<std::size_t> first;
  comm::collectively(comm, [&] {
    if (writer == rank) {
      all.chunks = mine.chunks;
      all.bytes = mine.bytes;
    }
    for (const int n : counts) {
      first.push_back(all.chunks.size());
      all.chunks.resize(all.chunks.size() + static_cast<std::size_t>(n));
    }
    requests.reserve(served.size() + 1);
  });
  for (std::size_t s = 0; s < served.size(); ++s)
    MPI_Irecv(all.chunks.data() + first[s], counts[s] * chunk_bytes, MPI_BYTE, served[s], chunk_tag, comm,
              &requests.emplace_back());
  if (writer != rank)
    MPI_Isend(mine.chunks.data(), count * chunk_bytes, MPI_BYTE, writer, chunk_tag, comm, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();

  const auto messages = [&](std::int64_t bytes) {
    return static_cast<std::size_t>((bytes + bytes_per_message - 1) / bytes_per_message);
  };
  comm::collectively(comm, [&] {
    std::size_t most = 0;
    for (std::size_t i = all.bytes.size(); i < all.chunks.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(all.chunks[i].bytes);
      all.received.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
      all.bytes.push_back({all.received.back().get(), bytes});
      most += messages(all.chunks[i].bytes);
    }
    for (const stored_chunk& c : mine.chunks) most += messages(c.bytes);
    requests.reserve(most);
  });
  const auto post = [&](std::int64_t bytes, auto post_one) {
    for (std::int64_t at = 0; at < bytes; at += bytes_per_message)
      post_one(at, static_cast<int>(std::min(bytes_per_message, bytes - at)), &requests.emplace_back());
  };
  std::size_t arriving = 0;
  for (std::size_t s = 0; s < served.size(); ++s)
    for (std::size_t i = first[s]; i < first[s] + static_cast<std::size_t>(counts[s]); ++i, ++arriving)
      post(all.chunks[i].bytes, [&](std::int64_t at, int bytes, MPI_Request* request) {
        MPI_Irecv(all.received[arriving].get() + at, bytes, MPI_BYTE, served[s], chunk_tag, comm, request);
      });
  for (std::size_t i = 0; writer != rank && i < mine.bytes.size(); ++i)
    post(mine.chunks[i].bytes, [&](std::int64_t at, int bytes, MPI_Request* request) {
      MPI_Isend(mine.bytes[i].data() + at, bytes, MPI_BYTE, writer, chunk_tag, comm, request);
    });
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return all;
}

void place_chunks(MPI_Comm comm, std::vector<stored_chunk>& mine,
                  const std::function<void(std::span<stored_chunk>)>& place) {
  const int bytes = static_cast<int>(mine.size()) * chunk_bytes;
  std::vector<int> counts(static_cast<std::size_t>(comm::size(comm))), starts(counts.size());
  MPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  std::vector<stored_chunk> all;
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
    all.resize(static_cast<std::size_t>((starts.back() + counts.back()) / chunk_bytes));
  });
  MPI_Gatherv(mine.data(), bytes, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, 0, comm);
  comm::collectively(comm, [&] {
    if (comm::rank(comm) == 0) place(all);
  });
  MPI_Scatterv(all.data(), counts.data(), starts.data(), MPI_BYTE, mine.data(), bytes, MPI_BYTE, 0, comm);
}

}  // namespace osteon::io
