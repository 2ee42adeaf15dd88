#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/comm/exchange/exchange_backends.hpp>

namespace osteon::comm {

namespace {

int tag_of(std::int64_t round) { return static_cast<int>(round % 32768); }

void wait_for_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
}

/// Plans in which each message is one parcel.
class direct_messages final : public all_to_all::backend {
 public:
  direct_messages(MPI_Comm comm, std::vector<plan::round> rounds, const all_to_all_options& options, bool one_host)
      : comm_(comm),
        options_(options),
        rounds_(std::move(rounds)),
        rounds_at_a_time_(one_host && !options.barriers ? most_rounds_at_a_time : 1) {
    for (const auto& r : rounds_) {
      for (const auto& m : r.sends) planned_.push_back(m.peer);
    }
    std::sort(planned_.begin(), planned_.end());
  }

  void run(const std::byte* out, const parcels& to, std::byte* in, const parcels& from, std::int64_t unit) override {
    for (int r = 0; r < size(comm_); ++r)
      if (r != rank(comm_) && to.counts[static_cast<std::size_t>(r)] > 0 &&
          !std::binary_search(planned_.begin(), planned_.end(), r))
        throw usage_error(fmt::format("rank {} has {} elements for rank {}, but the plan has no message between these ranks",
                                      rank(comm_), to.counts[static_cast<std::size_t>(r)], r));
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      for (const auto& m : rounds_[round].receives) {
        const auto p = static_cast<std::size_t>(m.peer);
        receive_in_pieces(in + from.offsets[p] * unit, from.counts[p] * unit, options_.longest_message, m.peer,
                          tag_of(static_cast<std::int64_t>(round)), comm_, requests_);
      }
      for (const auto& m : rounds_[round].sends) {
        const auto p = static_cast<std::size_t>(m.peer);
        send_in_pieces(out + to.offsets[p] * unit, to.counts[p] * unit, options_.longest_message, m.peer,
                       tag_of(static_cast<std::int64_t>(round)), comm_, requests_);
      }
      if ((round + 1) % rounds_at_a_time_ == 0 || round + 1 == rounds_.size()) wait_for_all(requests_);
      if (options_.barriers) MPI_Barrier(comm_);
    }
  }

 private:
  // In a network, separate rounds avoid contention. Inside a host, separate rounds have no benefit, and each wait causes a
  // context switch.
  static constexpr std::size_t most_rounds_at_a_time = 64;

  MPI_Comm comm_;
  all_to_all_options options_;
  std::vector<plan::round> rounds_;
  std::size_t rounds_at_a_time_;
  std::vector<int> planned_;
  std::vector<MPI_Request> requests_;
};

/// Plans in which ranks forward parcels of other ranks. A message consists of the sizes of its parcels, followed by the
/// parcels.
class relayed_messages final : public all_to_all::backend {
 public:
  relayed_messages(MPI_Comm comm, std::vector<plan::round> rounds, const all_to_all_options& options)
      : comm_(comm), options_(options), rounds_(std::move(rounds)) {
    for (auto& [sends, receives] : rounds_) {
      for (auto& m : sends)
        if (m.parcels.empty()) m.parcels = {{rank(comm), m.peer}};
      for (auto& m : receives)
        if (m.parcels.empty()) m.parcels = {{m.peer, rank(comm)}};
    }
  }

  void run(const std::byte* out, const parcels& to, std::byte* in, const parcels& from, std::int64_t unit) override {
    std::map<std::pair<int, int>, std::vector<std::byte>> stored;
    const auto parcel_at = [&](const plan::parcel& p) -> std::span<const std::byte> {
      if (p.from != rank(comm_)) return stored.at({p.from, p.to});
      const auto r = static_cast<std::size_t>(p.to);
      return {out + to.offsets[r] * unit, static_cast<std::size_t>(to.counts[r] * unit)};
    };
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      const int tag = 2 * tag_of(static_cast<std::int64_t>(round) % 8192);
      const auto& [sends, receives] = rounds_[round];
      std::vector<std::vector<std::int64_t>> sizes_out, sizes_in;
      for (const auto& m : receives) {
        sizes_in.emplace_back(m.parcels.size());
        receive_in_pieces(reinterpret_cast<std::byte*>(sizes_in.back().data()), 8 * std::ssize(m.parcels),
                          options_.longest_message, m.peer, tag, comm_, requests_);
      }
      std::vector<std::vector<std::byte>> packed;
      for (const auto& m : sends) {
        auto& sizes = sizes_out.emplace_back();
        auto& bytes = packed.emplace_back();
        for (const auto& p : m.parcels) {
          const auto parcel = parcel_at(p);
          sizes.push_back(std::ssize(parcel));
          bytes.insert(bytes.end(), parcel.begin(), parcel.end());
        }
        send_in_pieces(reinterpret_cast<const std::byte*>(sizes.data()), 8 * std::ssize(sizes), options_.longest_message,
                       m.peer, tag, comm_, requests_);
      }
      wait_for_all(requests_);
      std::vector<std::vector<std::byte>> received;
      for (std::size_t i = 0; i < receives.size(); ++i) {
        std::int64_t bytes = 0;
        for (const std::int64_t s : sizes_in[i]) bytes += s;
        received.emplace_back(static_cast<std::size_t>(bytes));
        receive_in_pieces(received.back().data(), bytes, options_.longest_message, receives[i].peer, tag + 1, comm_,
                          requests_);
      }
      for (std::size_t i = 0; i < sends.size(); ++i)
        send_in_pieces(packed[i].data(), std::ssize(packed[i]), options_.longest_message, sends[i].peer, tag + 1, comm_,
                       requests_);
      wait_for_all(requests_);
      for (std::size_t i = 0; i < receives.size(); ++i) {
        const std::byte* at = received[i].data();
        for (std::size_t k = 0; k < receives[i].parcels.size(); ++k) {
          const plan::parcel p = receives[i].parcels[k];
          const auto bytes = static_cast<std::size_t>(sizes_in[i][k]);
          if (p.to != rank(comm_))
            stored[{p.from, p.to}].assign(at, at + bytes);
          else if (bytes > 0)
            std::memcpy(in + from.offsets[static_cast<std::size_t>(p.from)] * unit, at, bytes);
          at += bytes;
        }
      }
      if (options_.barriers) MPI_Barrier(comm_);
    }
  }

 private:
  MPI_Comm comm_;
  all_to_all_options options_;
  std::vector<plan::round> rounds_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

void send_in_pieces(const std::byte* from, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                    std::vector<MPI_Request>& requests) {
  for (std::int64_t at = 0; at < bytes; at += longest)
    MPI_Isend(from + at, static_cast<int>(std::min(longest, bytes - at)), MPI_BYTE, peer, tag, comm,
              &requests.emplace_back());
}

void receive_in_pieces(std::byte* into, std::int64_t bytes, std::int64_t longest, int peer, int tag, MPI_Comm comm,
                       std::vector<MPI_Request>& requests) {
  for (std::int64_t at = 0; at < bytes; at += longest)
    MPI_Irecv(into + at, static_cast<int>(std::min(longest, bytes - at)), MPI_BYTE, peer, tag, comm,
              &requests.emplace_back());
}

std::unique_ptr<all_to_all::backend> exchange_by_messages(MPI_Comm comm, const plan::plan& plan,
                                                          const all_to_all_options& options, bool one_host) {
  std::vector<plan::round> rounds;
  bool relayed = false;
  for (std::int64_t r = 0; r < plan.rounds; ++r) {
    rounds.push_back(plan.of(rank(comm), r));
    for (const auto* messages : {&rounds.back().sends, &rounds.back().receives})
      for (const auto& m : *messages) relayed = relayed || !m.parcels.empty();
  }
  // In a plan that forwards parcels, a rank without messages cannot determine whether the plan forwards parcels. The
  // reduction distributes this information to all ranks.
  MPI_Allreduce(MPI_IN_PLACE, &relayed, 1, MPI_CXX_BOOL, MPI_LOR, comm);
  if (relayed) return std::make_unique<relayed_messages>(comm, std::move(rounds), options);
  return std::make_unique<direct_messages>(comm, std::move(rounds), options, one_host);
}

void execute_on_object(MPI_Comm comm, const plan::plan& plan, std::span<std::byte> object,
                       const std::function<void(std::byte* own, const std::byte* arrived)>& add) {
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  std::vector<MPI_Request> requests;
  std::vector<std::byte> arrived(add ? object.size() : 0);
  for (std::int64_t round = 0; round < plan.rounds; ++round) {
    const plan::round now = plan.of(rank(comm), round);
    const auto adds = [](const plan::message& m) { return m.on_arrival == plan::arrival::add; };
    for (const auto& m : now.receives)
      receive_in_pieces(adds(m) ? arrived.data() : object.data(), std::ssize(object), longest, m.peer, tag_of(round), comm,
                        requests);
    for (const auto& m : now.sends)
      send_in_pieces(object.data(), std::ssize(object), longest, m.peer, tag_of(round), comm, requests);
    wait_for_all(requests);
    for (const auto& m : now.receives)
      if (adds(m)) add(object.data(), arrived.data());
  }
}

bool butterfly_round(MPI_Comm comm, int round, std::span<const std::byte> out, std::span<std::byte> in) {
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  const plan::round now = plan::butterfly(size(comm), std::ssize(out)).of(rank(comm), round);
  std::vector<MPI_Request> requests;
  for (const auto& m : now.receives) receive_in_pieces(in.data(), m.size(), longest, m.peer, tag_of(round), comm, requests);
  for (const auto& m : now.sends) send_in_pieces(out.data(), m.size(), longest, m.peer, tag_of(round), comm, requests);
  wait_for_all(requests);
  return !now.receives.empty();
}

}  // namespace osteon::comm
