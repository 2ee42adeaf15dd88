#include <osteon/comm/exchange/exchange_c.h>

#include <algorithm>
#include <cstring>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/exchange/exchange.hpp>

using namespace osteon;

struct osteon_all_to_all {
  comm::communicator comm;
  comm::all_to_all exchange;

  std::vector<std::int64_t> counts(const std::int64_t* from) const { return {from, from + comm.size()}; }
};

namespace {

template <class F>
int guarded(char* error, std::size_t length, F&& work) {
  const comm::outcome outcome = comm::outcome_of(std::forward<F>(work));
  if (!outcome.failed) return 0;
  if (length > 0) {
    const std::size_t shown = std::min(outcome.text.size(), length - 1);
    std::memcpy(error, outcome.text.data(), shown);
    error[shown] = '\0';
  }
  return exit_code(outcome.kind);
}

}  // namespace

extern "C" {

int osteon_all_to_all_make(const MPI_Comm* comm, const char* schedule, int barriers, osteon_all_to_all** made, char* error,
                           std::size_t length) {
  return guarded(error, length, [&] {
    *made = new osteon_all_to_all{comm::communicator::duplicate(*comm),
                                  comm::all_to_all(*comm, {.schedule = schedule, .barriers = barriers != 0})};
  });
}

const char* osteon_all_to_all_schedule(const osteon_all_to_all* exchange) { return exchange->exchange.schedule().c_str(); }

int osteon_all_to_all_counts(osteon_all_to_all* exchange, const std::int64_t* to, std::int64_t* from, char* error,
                             std::size_t length) {
  return guarded(error, length, [&] {
    comm::collectively(exchange->comm.get(), [&] {
      for (const std::int64_t count : exchange->counts(to))
        if (count < 0) throw usage_error("number of elements of a parcel: must not be negative");
    });
    const auto received = exchange->exchange.counts_from(exchange->counts(to));
    std::copy(received.begin(), received.end(), from);
  });
}

int osteon_all_to_all_run(osteon_all_to_all* exchange, const void* out, const std::int64_t* to, void* in,
                          const std::int64_t* from, std::int64_t element_bytes, char* error, std::size_t length) {
  return guarded(error, length, [&] {
    const auto sent = comm::parcels::packed(exchange->counts(to)), received = comm::parcels::packed(exchange->counts(from));
    const auto bytes = [&](const comm::parcels& p) { return static_cast<std::size_t>(p.elements() * element_bytes); };
    exchange->exchange.run_bytes({static_cast<const std::byte*>(out), bytes(sent)}, sent,
                                 {static_cast<std::byte*>(in), bytes(received)}, received,
                                 static_cast<std::size_t>(element_bytes));
  });
}

int osteon_prefix_sum(const MPI_Comm* comm, void* object, std::int64_t count, char type, char* error, std::size_t length) {
  return guarded(error, length, [&] {
    const auto sum = [&]<class T>(T* values) {
      comm::prefix_sum(*comm, std::span(values, static_cast<std::size_t>(count)));
    };
    switch (type) {
      case 'f':
        return sum(static_cast<float*>(object));
      case 'd':
        return sum(static_cast<double*>(object));
      case 'i':  // unsigned, because sums may overflow
        return sum(static_cast<std::uint32_t*>(object));
      case 'l':
        return sum(static_cast<std::uint64_t*>(object));
      default:
        throw usage_error(std::string("prefix sum of elements of type '") + type + "': not supported; use f, d, i or l");
    }
  });
}

int osteon_broadcast(const MPI_Comm* comm, void* object, std::int64_t bytes, int root, char* error, std::size_t length) {
  return guarded(error, length, [&] {
    if (root < 0 || root >= comm::size(*comm))
      throw usage_error("rank " + std::to_string(root) + " is not one of the " + std::to_string(comm::size(*comm)) +
                        " ranks of the communicator");
    comm::broadcast(*comm, std::span(static_cast<std::byte*>(object), static_cast<std::size_t>(bytes)), root);
  });
}

void osteon_all_to_all_free(osteon_all_to_all* exchange) { delete exchange; }
}
