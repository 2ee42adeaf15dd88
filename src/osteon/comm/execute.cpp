#include <osteon/comm/execute.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/plan/verify.hpp>

namespace osteon::comm {

namespace {

void check_message(const plan::message& s) {
  if (s.size() > std::numeric_limits<int>::max())
    throw usage_error(
        fmt::format("a message of {} elements with rank {}: the limit is {}; use more ranks or a smaller object", s.size(),
                    s.peer, std::numeric_limits<int>::max()));
}

// Messages by their bytes alone, as a ledger takes them.
message_ledger::shape counted_rounds(std::vector<plan::round> rounds, std::size_t element_size) {
  for (plan::round& r : rounds)
    for (auto* const messages : {&r.sends, &r.receives})
      for (plan::message& m : *messages) m.elements = {0, m.size() * static_cast<std::int64_t>(element_size)};
  return rounds;
}

}  // namespace

std::string counted_name(const plan::plan& what, std::size_t element_size) {
  return fmt::format("{}, {} B", what.name, element_size);
}

void rehearse(MPI_Comm comm, const plan::plan& what, std::size_t element_size) {
  message_ledger* const ledger = ledger_of(comm);
  if (!ledger) return;
  const message_ledger::shape shape = counted_rounds(what.part(comm::rank(comm)).rounds, element_size);
  const int entry = ledger->entry_of(counted_name(what, element_size));
  ledger->ran(entry, ledger->shape_of(entry, shape), 0);
}

executor executor::make(MPI_Comm comm, const plan::plan& what, std::size_t element_size) {
  executor result;
  collectively(comm, [&] {
    if (what.ranks != comm::size(comm))
      throw usage_error(fmt::format("plan '{}' is made for {} ranks and is run by {}: make it for the communicator's size",
                                    what.name, what.ranks, comm::size(comm)));
    plan::rank_plan mine = what.part(comm::rank(comm));
    result.element_size_ = element_size;
    result.name_ = counted_name(what, element_size);
    result.elements_ = what.elements;
    result.result_ = std::move(mine.result);
    std::int64_t most_staged = 0;
    std::size_t most_messages = 0;
    for (const plan::round& r : mine.rounds) {
      std::int64_t staged = 0;
      round& planned = result.rounds_.emplace_back();
      for (const plan::message& m : r.sends) check_message(m);
      planned.sends = r.sends;
      for (const plan::message& m : r.receives) {
        check_message(m);
        const bool in_place = plan::arrives_in_place(r, m);
        planned.arrivals.push_back({m, in_place ? -1 : staged});
        if (!in_place) staged += m.size();
      }
      most_staged = std::max(most_staged, staged);
      most_messages = std::max(most_messages, r.sends.size() + r.receives.size());
    }
    result.staging_.resize(static_cast<std::size_t>(most_staged) * element_size);
    result.requests_.resize(most_messages);
  });
  result.comm_ = communicator::duplicate(comm);
  return result;
}

void executor::run_bytes(std::span<std::byte> object, const blend& over) {
  collectively(comm_.get(), [&] {
    if (object.size() != static_cast<std::size_t>(elements_) * element_size_)
      throw usage_error(fmt::format("an object of {} bytes for a plan of {} elements of {} bytes: give {} bytes",
                                    object.size(), elements_, element_size_,
                                    static_cast<std::size_t>(elements_) * element_size_));
  });
  const element_type type(element_size_);
  message_ledger* const ledger = ledger_of(comm_.get());
  double waited = 0;
  const auto at = [&](std::byte* base, std::int64_t element) {
    return base + static_cast<std::size_t>(element) * element_size_;
  };
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    const int tag = static_cast<int>(r);
    int count = 0;
    for (const arrival& a : rounds_[r].arrivals)
      MPI_Irecv(a.slot < 0 ? at(object.data(), a.message.elements.begin) : at(staging_.data(), a.slot),
                static_cast<int>(a.message.elements.size()), type.get(), a.message.peer, tag, comm_.get(),
                &requests_[static_cast<std::size_t>(count++)]);
    for (const plan::message& s : rounds_[r].sends)
      MPI_Isend(at(object.data(), s.elements.begin), static_cast<int>(s.elements.size()), type.get(), s.peer, tag,
                comm_.get(), &requests_[static_cast<std::size_t>(count++)]);
    const double begin = ledger ? MPI_Wtime() : 0;
    MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
    if (ledger) waited += MPI_Wtime() - begin;
    for (const arrival& a : rounds_[r].arrivals) {
      if (a.slot < 0) continue;
      std::byte* own = at(object.data(), a.message.elements.begin);
      const std::byte* received = at(staging_.data(), a.slot);
      if (!a.message.is_combined())
        std::memcpy(own, received, static_cast<std::size_t>(a.message.elements.size()) * element_size_);
      else
        over(own, received, a.message.elements.size(), a.message.on_arrival == plan::arrival::blend_front);
    }
  }
  if (!ledger) return;
  std::vector<plan::round> ran;
  for (const round& r : rounds_) {
    ran.push_back({r.sends, {}});
    for (const arrival& a : r.arrivals) ran.back().receives.push_back(a.message);
  }
  const message_ledger::shape shape = counted_rounds(std::move(ran), element_size_);
  const int entry = ledger->entry_of(name_);
  ledger->ran(entry, ledger->shape_of(entry, shape), waited);
}

}  // namespace osteon::comm
