#pragma once
/// @file
/// Exchanges of arbitrary data by plans (plan/exchange/exchange.hpp) over MPI or shared memory: personalised all-to-all,
/// transposition, prefix sums, broadcast, butterfly. Other programs require only this header.
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
  /// `shared`: through shared memory of one host. Otherwise messages by a plan: `shift:4x4x8`, `ring`, `xor`, `pairwise`,
  /// `bruck`, `hierarchical:8`, `transposition` and its variants (plan/exchange/exchange_method.hpp). `auto`: shared if all
  /// ranks are on one host with sufficient shared memory, otherwise ring. net/choose.hpp selects the plan for a network.
  std::string schedule = "auto";
  /// Barrier after each round of messages: without it, rounds of unequal messages overlap, and a schedule without collisions
  /// inside rounds may have collisions.
  bool barriers = false;
  /// Maximum message size in bytes; longer messages are split. MPI counts are limited to 2^31 - 1.
  std::int64_t longest_message = std::int64_t{1} << 30;
};

/// Exchange of parcels of any length, including 0, between all ranks, planned once and run repeatedly.
class all_to_all {
 public:
  /// @throws usage_error for an unknown schedule, or one that is not an all-to-all or transposition of this number of ranks,
  /// or `shared` on several hosts; machine_error for `shared` if shared memory is insufficient
  /// @collective on comm, which is duplicated
  explicit all_to_all(MPI_Comm comm, const all_to_all_options& options = {});
  ~all_to_all();
  all_to_all(all_to_all&&) noexcept;
  all_to_all& operator=(all_to_all&&) noexcept;

  /// `shared`, or the name of the plan.
  const std::string& schedule() const;

  /// Numbers of elements that this rank receives, from the numbers that each rank sends. @param counts_to shape (ranks)
  /// @collective
  std::vector<std::int64_t> counts_from(std::span<const std::int64_t> counts_to);

  /// Exchange. A transposition has parcels only between paired ranks.
  /// @param to, from parcels in `out` and `in`, which do not overlap; from.counts[r] here is to.counts[this rank] on rank r
  /// @throws usage_error on a rank with parcels outside of its buffers, before any message
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

/// Execute a plan of whole objects with at most one message to a rank per round: prefix sums, reductions, broadcasts.
/// @param add adds a received object to the local one; not called for a broadcast
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

/// One round of plan::butterfly: swap objects with the rank that differs in bit `round`, if it exists.
/// @param out, in equal size on all ranks, without overlap
/// @return true if it exists @collective on comm
bool butterfly_round(MPI_Comm comm, int round, std::span<const std::byte> out, std::span<std::byte> in);

/// All rounds, the first between neighbours. `combine(round, own, arrived)` computes the object of the next round: sums
/// yield the total on all ranks of a power of two; sums and differences with factors yield a transform between ranks.
/// @collective on comm
template <class T, class Combine>
void butterfly(MPI_Comm comm, std::span<T> object, Combine combine) {
  std::vector<T> arrived(object.size());
  for (int round = 0; (std::int64_t{1} << round) < size(comm); ++round)
    if (butterfly_round(comm, round, std::as_bytes(object), std::as_writable_bytes(std::span(arrived))))
      combine(round, object, std::span<const T>(arrived));
}

}  // namespace osteon::comm
