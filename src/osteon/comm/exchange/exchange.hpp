#pragma once
/// @file
/// Exchanges of any data, carried out as plans (plan/exchange/exchange.hpp) over MPI, or through memory that ranks share:
/// all-to-all personalised, transposition, prefix sums, broadcast, butterfly. All that other code needs is this header.
///
///     comm::all_to_all exchange(comm);                       // once
///     auto to = comm::parcels::packed(counts);               // counts[r] elements for rank r
///     auto from = comm::parcels::packed(exchange.counts_from(to.counts));
///     std::vector<double> in(from.elements());
///     exchange.run<double>(out, to, in, from);               // again and again
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::comm {

/// Places of the parcels for, or from, each rank in a buffer: elements [offsets[r], offsets[r] + counts[r]).
struct parcels {
  std::vector<std::int64_t> counts, offsets;

  /// One after the other, without gaps.
  static parcels packed(std::vector<std::int64_t> counts);
  /// One past the last element.
  std::int64_t elements() const;
};

struct all_to_all_options {
  /// `shared`: through memory that the ranks of one host share. Otherwise messages by a plan: `shift:4x4x8`, `ring`, `xor`,
  /// `pairwise`, `bruck`, `hierarchical:8`, `transposition` and its kin (plan/exchange/exchange_method.hpp). `auto`: shared
  /// if all ranks are on one host whose shared memory has room, otherwise ring. net/choose.hpp finds the plan for a network.
  std::string schedule = "auto";
  /// A barrier after each round of messages: without it rounds of unequal messages drift into each other, and a schedule
  /// that is free of collisions round by round no longer is.
  bool barriers = false;
  /// Bytes; longer ones are cut. MPI counts to 2^31 - 1.
  std::int64_t longest_message = std::int64_t{1} << 30;
};

/// Parcels of any length, also none, from each rank to each, planned once and run again and again.
class all_to_all {
 public:
  /// @throws usage_error for an unknown schedule, or one that is no all-to-all or transposition of this number of ranks, or
  /// `shared` on several hosts; machine_error for `shared` if the host has too little shared memory
  /// @collective on comm, which is duplicated
  explicit all_to_all(MPI_Comm comm, const all_to_all_options& options = {});
  ~all_to_all();
  all_to_all(all_to_all&&) noexcept;
  all_to_all& operator=(all_to_all&&) noexcept;

  /// How it is carried out: `shared`, or the name of the plan.
  const std::string& schedule() const;

  /// Elements that the others have for this rank, from those that each has for the others. @param counts_to shape (ranks)
  /// @collective
  std::vector<std::int64_t> counts_from(std::span<const std::int64_t> counts_to);

  /// Exchange. A transposition has parcels only between those ranks that the plan pairs.
  /// @param to, from parcels in `out` and `in`, which do not overlap; from.counts[r] here is to.counts[this rank] on rank r
  /// @throws usage_error on a rank whose own parcels are outside of its buffers, before anything is sent
  /// @collective
  template <class T>
  void run(std::span<const T> out, const parcels& to, std::span<T> in, const parcels& from) {
    static_assert(std::is_trivially_copyable_v<T>);
    run_bytes(std::as_bytes(out), to, std::as_writable_bytes(in), from, sizeof(T));
  }
  void run_bytes(std::span<const std::byte> out, const parcels& to, std::span<std::byte> in, const parcels& from,
                 std::size_t element_bytes);

  /// An implementation. Parcels have been checked; the rank's parcel for itself is copied elsewhere.
  struct backend {
    virtual ~backend() = default;
    virtual void run(const std::byte* out, const parcels& to, std::byte* in, const parcels& from,
                     std::int64_t element_bytes) = 0;
  };

 private:
  communicator comm_;
  std::string schedule_;
  std::unique_ptr<backend> backend_;
};

/// Carry out a plan whose messages are whole objects, at most one to a rank in a round: prefix sums, reductions, broadcasts.
/// @param add sums an arrived object into the own one, both of the object's size; not called for a broadcast
/// @collective on comm
void execute_on_object(MPI_Comm comm, const plan::plan& what, std::span<std::byte> object,
                       const std::function<void(std::byte* own, const std::byte* arrived)>& add);

/// Inclusive prefix sums over ranks, element by element, by a binary tree.
/// @collective on comm
template <class T>
void prefix_sum(MPI_Comm comm, std::span<T> object) {
  const auto bytes = std::as_writable_bytes(object);
  execute_on_object(comm, plan::prefix_tree(size(comm), std::ssize(bytes)), bytes,
                    [n = object.size()](std::byte* own, const std::byte* arrived) {
                      T* const sum = reinterpret_cast<T*>(own);
                      const T* const other = reinterpret_cast<const T*>(arrived);
                      for (std::size_t i = 0; i < n; ++i) sum[i] += other[i];
                    });
}

/// The object of `root` on all ranks, by a binomial tree.
/// @collective on comm
template <class T>
void broadcast(MPI_Comm comm, std::span<T> object, int root) {
  const auto bytes = std::as_writable_bytes(object);
  execute_on_object(comm, plan::broadcast_tree(size(comm), root, std::ssize(bytes)), bytes, {});
}

/// One round of plan::butterfly: swap objects with the rank whose number differs in bit `round`, if there is one.
/// @param out, in of one size, on all ranks alike, without common bytes
/// @return whether there was one @collective on comm
bool butterfly_round(MPI_Comm comm, int round, std::span<const std::byte> out, std::span<std::byte> in);

/// All rounds, the first between neighbours. In each, `combine(round, own, arrived)` makes of both what goes on: with sums,
/// all ranks of a power of two end with the sum over all; with sums and differences times factors it is a transform between
/// ranks.
/// @collective on comm
template <class T, class Combine>
void butterfly(MPI_Comm comm, std::span<T> object, Combine combine) {
  std::vector<T> arrived(object.size());
  for (int round = 0; (std::int64_t{1} << round) < size(comm); ++round)
    if (butterfly_round(comm, round, std::as_bytes(object), std::as_writable_bytes(std::span(arrived))))
      combine(round, object, std::span<const T>(arrived));
}

}  // namespace osteon::comm
