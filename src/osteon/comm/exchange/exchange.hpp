#pragma once
/// @file
/// Exchanges of arbitrary data by plans (plan/exchange/exchange.hpp) over MPI or shared memory. The exchanges are
/// personalised all-to-all, transposition, prefix sums, broadcast and butterfly. Programs other than osteon need only this
/// header.
///
///     comm::all_to_all exchange(comm);                       // once
///     auto to = comm::parcels::packed(counts);               // counts[r] elements for rank r
///     auto from = comm::parcels::packed(exchange.counts_from(to.counts));
///     std::vector<double> in(from.elements());
///     exchange.run<double>(out, to, in, from);               // repeatedly
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

/// Layout in a buffer of the parcels to or from each rank. Rank r has the elements [offsets[r], offsets[r] + counts[r]).
struct parcels {
  std::vector<std::int64_t> counts, offsets;

  /// Contiguous parcels in rank order.
  static parcels packed(std::vector<std::int64_t> counts);
  /// Index of the last element + 1.
  std::int64_t elements() const;
};

struct all_to_all_options {
  /// `shared` uses the shared memory of one host. The other schedules send messages by a plan. Their names are
  /// `shift:4x4x8`, `ring`, `xor`, `pairwise`, `bruck`, `hierarchical:8`, `transposition` and variants of `transposition`
  /// (plan/exchange/exchange_method.hpp). `auto` selects `shared` if all ranks are on one host with sufficient shared
  /// memory. Otherwise, `auto` selects `ring`. The functions of net/choose.hpp select the best plan for a network.
  std::string schedule = "auto";
  /// Use a barrier after each round of messages. Without barriers, rounds with messages of different sizes overlap. Messages
  /// of different rounds may then collide, even if a plan has no collisions within a round.
  bool barriers = false;
  /// Maximum message size in bytes; longer messages are split. MPI counts are limited to 2^31 - 1.
  std::int64_t longest_message = std::int64_t{1} << 30;
};

/// Exchange of parcels of any length, including 0, between all ranks. Construct the object once, and call `run` for each
/// exchange.
class all_to_all {
 public:
  /// @throws usage_error if the schedule is unknown, if the plan is neither an all-to-all nor a transposition of this number
  /// of ranks, or if `shared` is requested on several hosts
  /// @throws machine_error for `shared` if shared memory is insufficient
  /// @collective on comm, which is duplicated
  explicit all_to_all(MPI_Comm comm, const all_to_all_options& options = {});
  ~all_to_all();
  all_to_all(all_to_all&&) noexcept;
  all_to_all& operator=(all_to_all&&) noexcept;

  /// `shared`, or the name of the executed plan.
  const std::string& schedule() const;

  /// Number of elements that this rank receives from each rank. The function computes the numbers from `counts_to` of all
  /// ranks.
  /// @param counts_to shape (ranks): number of elements that this rank sends to each rank
  /// @collective
  std::vector<std::int64_t> counts_from(std::span<const std::int64_t> counts_to);

  /// Exchange parcels. A transposition has parcels only between paired ranks.
  /// @param to, from parcels in `out` and `in`. The parcels must not overlap. from.counts[r] must equal to.counts[this rank]
  /// on rank r.
  /// @throws usage_error on a rank with parcels outside of its buffers, before any message is sent
  /// @collective
  template <class T>
  void run(std::span<const T> out, const parcels& to, std::span<T> in, const parcels& from) {
    static_assert(std::is_trivially_copyable_v<T>);
    run_bytes(std::as_bytes(out), to, std::as_writable_bytes(in), from, sizeof(T));
  }
  void run_bytes(std::span<const std::byte> out, const parcels& to, std::span<std::byte> in, const parcels& from,
                 std::size_t element_bytes);

  /// Interface of an implementation. The caller of the implementation checks the parcels, and copies the parcel of this rank
  /// for itself.
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

/// Execute a plan that sends whole objects, such as prefix sums, reductions and broadcasts. In each round, a rank sends at
/// most one message to each other rank.
/// @param add adds a received object to the local object; not called for a broadcast
/// @collective on comm
void execute_on_object(MPI_Comm comm, const plan::plan& plan, std::span<std::byte> object,
                       const std::function<void(std::byte* own, const std::byte* arrived)>& add);

/// Inclusive prefix sums over ranks by a binary tree. The function sums each element separately.
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

/// Broadcast the object of `root` by a binomial tree.
/// @collective on comm
template <class T>
void broadcast(MPI_Comm comm, std::span<T> object, int root) {
  const auto bytes = std::as_writable_bytes(object);
  execute_on_object(comm, plan::broadcast_tree(size(comm), root, std::ssize(bytes)), bytes, {});
}

/// One round of plan::butterfly. A rank exchanges objects with its partner, whose number differs in bit `round`.
/// @param out, in buffers that do not overlap, with equal sizes on all ranks
/// @return true if the partner exists @collective on comm
bool butterfly_round(MPI_Comm comm, int round, std::span<const std::byte> out, std::span<std::byte> in);

/// All rounds of plan::butterfly. The first round is between ranks whose numbers differ by one. `combine(round, own,
/// arrived)` computes the object of the next round from the own object and the received object. If `combine` adds and the
/// number of ranks is a power of two, each rank obtains the total. If `combine` computes sums and differences with factors,
/// the result is a transform between ranks, for example a Fourier transform.
/// @collective on comm
template <class T, class Combine>
void butterfly(MPI_Comm comm, std::span<T> object, Combine combine) {
  std::vector<T> arrived(object.size());
  for (int round = 0; (std::int64_t{1} << round) < size(comm); ++round)
    if (butterfly_round(comm, round, std::as_bytes(object), std::as_writable_bytes(std::span(arrived))))
      combine(round, object, std::span<const T>(arrived));
}

}  // namespace osteon::comm
