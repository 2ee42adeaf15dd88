#include <algorithm>
#include <cstring>
#include <osteon/comm/exchange/exchange_backends.hpp>

namespace osteon::comm {

namespace {

/// Hierarchical plan whose groups are the hosts. In shared memory, member j of a group collects the parcels from its group
/// to the members j of all groups. The members j of all groups then exchange the collected parcels.
class hierarchical final : public all_to_all::backend {
 public:
  hierarchical(MPI_Comm comm, int members, const all_to_all_options& options)
      : members_(members), groups_(size(comm) / members), first_(members_, groups_), second_(groups_, members_) {
    inside_ = communicator::split(comm, rank(comm) / members);
    across_ = communicator::split(comm, rank(comm) % members);
    all_to_all_options messages = options;
    messages.schedule = "ring";
    in_memory_ = std::make_unique<all_to_all>(inside_.get());
    by_messages_ = std::make_unique<all_to_all>(across_.get(), messages);
  }

  void run(const std::byte* out, const parcels& to, std::byte* in, const parcels& from, std::int64_t unit) override {
    const int own = across_.rank() * members_ + inside_.rank();
    // all_to_all::run_bytes has already copied the parcel from this rank to itself.
    const auto count = [&](const parcels& p, int r) { return r == own ? 0 : p.counts[static_cast<std::size_t>(r)] * unit; };
    first_.clear();
    second_.clear();
    for (int m = 0; m < members_; ++m)
      for (int g = 0; g < groups_; ++g) {
        const int r = g * members_ + m;
        first_.add(m, g, out + to.offsets[static_cast<std::size_t>(r)] * unit, count(to, r));
      }
    first_.exchange(*in_memory_);
    for (int g = 0; g < groups_; ++g)
      for (int m = 0; m < members_; ++m) second_.add(g, m, first_.received(m, g), first_.received_size(m, g));
    second_.exchange(*by_messages_);
    for (int g = 0; g < groups_; ++g)
      for (int m = 0; m < members_; ++m) {
        const int r = g * members_ + m;
        if (count(from, r) > 0)
          std::memcpy(in + from.offsets[static_cast<std::size_t>(r)] * unit, second_.received(g, m),
                      static_cast<std::size_t>(count(from, r)));
      }
  }

 private:
  /// Packed parcels, and sizes of these parcels. Each peer has the same number of parcels.
  class parcel_bundles {
   public:
    parcel_bundles(int peers, int each)
        : each_(each), sizes_(static_cast<std::size_t>(peers * each)), received_sizes_(sizes_.size()) {
      totals_.counts.resize(static_cast<std::size_t>(peers));
    }

    void clear() {
      std::fill(totals_.counts.begin(), totals_.counts.end(), 0);
      starts_.clear();
      packed_.clear();
      length_ = 0;
    }

    /// Add a parcel. Peers must be in ascending order, and the parcels of a peer must be in their order.
    void add(int peer, int parcel, const std::byte* at, std::int64_t bytes) {
      sizes_[index(peer, parcel)] = bytes;
      totals_.counts[static_cast<std::size_t>(peer)] += bytes;
      packed_.insert(packed_.end(), at, at + bytes);
    }

    void exchange(all_to_all& exchange) {
      const auto headers = parcels::packed(std::vector<std::int64_t>(totals_.counts.size(), each_));
      exchange.run<std::int64_t>(sizes_, headers, received_sizes_, headers);
      parcels from;
      for (const std::int64_t bytes : received_sizes_) {
        starts_.push_back(length_);
        length_ += bytes;
      }
      for (std::size_t peer = 0; peer < totals_.counts.size(); ++peer) {
        const std::size_t begin = peer * static_cast<std::size_t>(each_), end = begin + static_cast<std::size_t>(each_);
        from.offsets.push_back(starts_[begin]);
        from.counts.push_back((end < starts_.size() ? starts_[end] : length_) - starts_[begin]);
      }
      if (std::ssize(received_) < length_) received_.resize(static_cast<std::size_t>(length_));
      exchange.run<std::byte>(packed_, parcels::packed(totals_.counts), received_, from);
    }

    const std::byte* received(int peer, int parcel) const { return received_.data() + starts_[index(peer, parcel)]; }
    std::int64_t received_size(int peer, int parcel) const { return received_sizes_[index(peer, parcel)]; }

   private:
    std::size_t index(int peer, int parcel) const { return static_cast<std::size_t>(peer * each_ + parcel); }

    int each_;
    std::int64_t length_ = 0;
    std::vector<std::int64_t> sizes_, received_sizes_, starts_;
    parcels totals_;
    std::vector<std::byte> packed_, received_;  // buffers never shrink, because allocation takes more time than copying
  };

  int members_, groups_;
  parcel_bundles first_, second_;
  communicator inside_, across_;
  std::unique_ptr<all_to_all> in_memory_, by_messages_;
};

}  // namespace

std::unique_ptr<all_to_all::backend> exchange_hierarchically(MPI_Comm comm, int members, const all_to_all_options& options) {
  const communicator group = communicator::split(comm, rank(comm) / members);
  int is_suitable = communicator::of_host(group.get()).size() ==
                    members;  // true if this group has `members` ranks, and if all of these ranks are on one host
  MPI_Allreduce(MPI_IN_PLACE, &is_suitable, 1, MPI_INT, MPI_MIN, comm);
  if (!is_suitable) return {};
  return std::make_unique<hierarchical>(comm, members, options);
}

}  // namespace osteon::comm
