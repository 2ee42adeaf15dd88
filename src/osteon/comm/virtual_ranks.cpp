#include <osteon/comm/virtual_ranks.hpp>

#include <fmt/format.h>

#include <omp.h>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <thread>

namespace osteon::comm {

namespace {

// Key of the attribute that contains the attached object. Duplicates of a communicator borrow this object.
int attachments() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr);
    return made;
  }();
  return key;
}

std::atomic<bool> anything_attached{false};

constexpr int reduction_tag = 10000;

}  // namespace

attachment* attachment_of(MPI_Comm comm) {
  if (!anything_attached || comm == MPI_COMM_NULL) return nullptr;
  attachment* found = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(comm, attachments(), &found, &is_there);
  return is_there ? found : nullptr;
}

void attach(MPI_Comm comm, attachment* attached) {
  anything_attached = true;
  if (attached)
    MPI_Comm_set_attr(comm, attachments(), attached);
  else
    MPI_Comm_delete_attr(comm, attachments());
}

int virtual_rank(MPI_Comm comm, int otherwise) {
  const attachment* a = attachment_of(comm);
  return a && a->place.world ? a->place.rank : otherwise;
}

/// Mailboxes and scheduling of virtual ranks. Only the thread that owns the lock runs.
class virtual_world {
 public:
  explicit virtual_world(int ranks) : places_(static_cast<std::size_t>(ranks)), running_(ranks) {}
  int ranks() const { return static_cast<int>(places_.size()); }

  void run(int rank, const std::function<void()>& body) {
    place& own = at(rank);
    own.turn = std::unique_lock(lock_);
    try {
      if (!failure_) body();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
    --running_;
    if (failure_ || running_ == 0) wake_all();
    own.turn.unlock();
  }

  void send(int from, int to, int tag, std::span<const std::byte> bytes) {
    place& there = at(to);
    const box_key key{from, tag};
    there.boxes[key].emplace_back(bytes.begin(), bytes.end());
    if (there.waits_for != key) return;
    there.waits_for = nobody;
    ++running_;
    there.wake.notify_one();
  }

  std::vector<std::byte> receive(int rank, int from, int tag) {
    place& own = at(rank);
    const box_key key{from, tag};
    auto& box = own.boxes[key];
    if (box.empty()) {
      own.waits_for = key;
      if (--running_ == 0) {
        failure_ = std::make_exception_ptr(machine_error(
            fmt::format("deadlock: virtual rank {} waits for rank {}; all other ranks wait, too", rank, from)));
        wake_all();
      }
      own.wake.wait(own.turn, [&] { return !box.empty() || failure_; });
      if (box.empty()) {
        ++running_;  // the rank runs again until its end
        std::rethrow_exception(failure_);
      }
    }
    std::vector<std::byte> bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  using box_key = std::pair<int, int>;  // sender and tag
  static constexpr box_key nobody{-1, -1};
  struct place {
    std::map<box_key, std::deque<std::vector<std::byte>>> boxes;
    box_key waits_for = nobody;
    std::condition_variable wake;
    std::unique_lock<std::mutex> turn;
  };
  place& at(int rank) { return places_[static_cast<std::size_t>(rank)]; }
  void wake_all() {
    if (!failure_ && running_ == 0)
      for (const place& p : places_)
        if (p.waits_for != nobody)
          failure_ = std::make_exception_ptr(
              machine_error(fmt::format("a virtual rank waits for rank {}, but this rank has ended", p.waits_for.first)));
    for (place& p : places_) p.wake.notify_one();
  }

  std::mutex lock_;
  std::deque<place> places_;
  int running_;  // number of ranks that neither wait nor have ended
  std::exception_ptr failure_;
};

int virtual_size(MPI_Comm comm, int otherwise) {
  const attachment* a = attachment_of(comm);
  return a && a->place.world ? a->place.world->ranks() : otherwise;
}

void virtual_send(const virtual_place& from, int to, int tag, std::span<const std::byte> bytes) {
  from.world->send(from.rank, to, tag, bytes);
}

std::vector<std::byte> virtual_receive(const virtual_place& to, int from, int tag) {
  return to.world->receive(to.rank, from, tag);
}

bool is_virtual(MPI_Comm comm) {
  const attachment* const a = attachment_of(comm);
  return a && a->place.world;
}

without_values::without_values(MPI_Comm comm) {
  attachment* const a = attachment_of(comm);
  if (!a || !a->place.world || !a->has_values) return;
  attached_ = a;
  attached_->has_values = false;
}

without_values::~without_values() {
  if (attached_) attached_->has_values = true;
}

bool has_values(MPI_Comm comm) {
  const attachment* const a = attachment_of(comm);
  return !a || a->has_values;
}

std::vector<std::vector<std::byte>> virtual_gather(MPI_Comm comm, std::span<const std::byte> own) {
  const virtual_place& here = attachment_of(comm)->place;
  std::vector<std::vector<std::byte>> all;
  if (here.rank != 0) {
    virtual_send(here, 0, reduction_tag, own);
    return all;
  }
  all.emplace_back(own.begin(), own.end());
  for (int r = 1; r < here.world->ranks(); ++r) all.push_back(virtual_receive(here, r, reduction_tag));
  return all;
}

std::vector<std::byte> virtual_broadcast(MPI_Comm comm, std::span<const std::byte> of_first) {
  const virtual_place& here = attachment_of(comm)->place;
  if (here.rank != 0) return virtual_receive(here, 0, reduction_tag);
  for (int r = 1; r < here.world->ranks(); ++r) virtual_send(here, r, reduction_tag, of_first);
  return {of_first.begin(), of_first.end()};
}

std::vector<std::byte> virtual_scatter(MPI_Comm comm, const std::vector<std::vector<std::byte>>& of_first) {
  const virtual_place& here = attachment_of(comm)->place;
  if (here.rank != 0) return virtual_receive(here, 0, reduction_tag);
  for (std::size_t r = 1; r < of_first.size(); ++r) virtual_send(here, static_cast<int>(r), reduction_tag, of_first[r]);
  return of_first.front();
}

template <class T>
static T reduced(MPI_Comm comm, T value, MPI_Op op) {
  all_reduce(comm, &value, 1, op);
  return value;
}
int max_over_ranks(MPI_Comm comm, int value) { return reduced(comm, value, MPI_MAX); }
std::int64_t max_over_ranks(MPI_Comm comm, std::int64_t value) { return reduced(comm, value, MPI_MAX); }
double max_over_ranks(MPI_Comm comm, double value) { return reduced(comm, value, MPI_MAX); }
std::int64_t sum_over_ranks(MPI_Comm comm, std::int64_t value) { return reduced(comm, value, MPI_SUM); }
double sum_over_ranks(MPI_Comm comm, double value) { return reduced(comm, value, MPI_SUM); }

std::vector<int> gathered_counts(MPI_Comm comm, int value) {
  std::vector<int> counts(rank(comm) == 0 ? static_cast<std::size_t>(size(comm)) : 0);
  if (!is_virtual(comm)) {
    MPI_Gather(&value, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
    return counts;
  }
  const auto all = virtual_gather(comm, std::as_bytes(std::span(&value, 1)));
  for (std::size_t r = 0; r < all.size(); ++r) std::memcpy(&counts[r], all[r].data(), sizeof(int));
  return counts;
}

std::vector<message_ledger> run_virtual_ranks(int ranks, const std::function<void(MPI_Comm)>& body) {
  std::vector<message_ledger> ledgers(static_cast<std::size_t>(ranks));
  std::vector<attachment> attached(ledgers.size());
  std::vector<communicator> comms;
  virtual_world world(ranks);
  for (int r = 0; r < ranks; ++r) {
    const auto i = static_cast<std::size_t>(r);
    attached[i] = {&ledgers[i], {&world, r}, nullptr};
    comms.push_back(communicator::duplicate(MPI_COMM_SELF));
    attach(comms.back().get(), &attached[i]);
  }
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      omp_set_num_threads(1);
      world.run(r, [&] { body(comms[static_cast<std::size_t>(r)].get()); });
    });
  for (std::thread& t : threads) t.join();
  world.rethrow();
  return ledgers;
}

}  // namespace osteon::comm
