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

void check_message(const plan::step& s) {
  if (s.elements.size() > std::numeric_limits<int>::max())
    throw usage_error(
        fmt::format("a message of {} elements with rank {}: the limit is {}; use more ranks or a smaller object",
                    s.elements.size(), s.peer, std::numeric_limits<int>::max()));
}

}  // namespace

std::string counted_name(const plan::plan& what, std::size_t element_size) {
  return fmt::format("{}, {} B", what.name, element_size);
}

void rehearse(MPI_Comm comm, const plan::plan& what, std::size_t element_size) {
  message_ledger* const ledger = ledger_of(comm);
  if (!ledger) return;
  message_ledger::shape shape;
  for (const plan::round& r : what.of(comm::rank(comm)).rounds) {
    auto& counted = shape.rounds.emplace_back();
    for (const plan::step& s : r.steps)
      (s.what == plan::action::send ? counted.sends : counted.receives)
          .push_back({s.peer, 0, s.elements.size() * static_cast<std::int64_t>(element_size)});
  }
  const int entry = ledger->entry_of(counted_name(what, element_size));
  ledger->ran(entry, ledger->shape_of(entry, shape), 0);
}

executor executor::make(MPI_Comm comm, const plan::plan& what, std::size_t element_size) {
  executor result;
  collectively(comm, [&] {
    if (what.ranks != comm::size(comm))
      throw usage_error(fmt::format("plan '{}' is made for {} ranks and is run by {}: make it for the communicator's size",
                                    what.name, what.ranks, comm::size(comm)));
    plan::rank_plan mine = what.of(comm::rank(comm));
    result.element_size_ = element_size;
    result.name_ = counted_name(what, element_size);
    result.elements_ = what.elements;
    result.result_ = std::move(mine.result);
    std::int64_t most_staged = 0;
    std::size_t most_steps = 0;
    for (const plan::round& r : mine.rounds) {
      std::int64_t staged = 0;
      round& planned = result.rounds_.emplace_back();
      for (const plan::step& s : r.steps) {
        check_message(s);
        if (s.what == plan::action::send) {
          planned.sends.push_back(s);
        } else if (plan::arrives_in_place(r, s)) {
          planned.arrivals.push_back({s, -1});
        } else {
          planned.arrivals.push_back({s, staged});
          staged += s.elements.size();
        }
      }
      most_staged = std::max(most_staged, staged);
      most_steps = std::max(most_steps, r.steps.size());
    }
    result.staging_.resize(static_cast<std::size_t>(most_staged) * element_size);
    result.requests_.resize(most_steps);
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
      MPI_Irecv(a.slot < 0 ? at(object.data(), a.step.elements.begin) : at(staging_.data(), a.slot),
                static_cast<int>(a.step.elements.size()), type.get(), a.step.peer, tag, comm_.get(),
                &requests_[static_cast<std::size_t>(count++)]);
    for (const plan::step& s : rounds_[r].sends)
      MPI_Isend(at(object.data(), s.elements.begin), static_cast<int>(s.elements.size()), type.get(), s.peer, tag,
                comm_.get(), &requests_[static_cast<std::size_t>(count++)]);
    const double begin = ledger ? MPI_Wtime() : 0;
    MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
    if (ledger) waited += MPI_Wtime() - begin;
    for (const arrival& a : rounds_[r].arrivals) {
      if (a.slot < 0) continue;
      std::byte* own = at(object.data(), a.step.elements.begin);
      const std::byte* received = at(staging_.data(), a.slot);
      if (a.step.what == plan::action::receive)
        std::memcpy(own, received, static_cast<std::size_t>(a.step.elements.size()) * element_size_);
      else
        over(own, received, a.step.elements.size(), a.step.what == plan::action::blend_front);
    }
  }
  if (!ledger) return;
  message_ledger::shape shape;
  for (const round& r : rounds_) {
    auto& counted = shape.rounds.emplace_back();
    const auto message = [&](const plan::step& s) {
      return message_ledger::message{s.peer, 0, s.elements.size() * static_cast<std::int64_t>(element_size_)};
    };
    for (const plan::step& s : r.sends) counted.sends.push_back(message(s));
    for (const arrival& a : r.arrivals) counted.receives.push_back(message(a.step));
  }
  const int entry = ledger->entry_of(name_);
  ledger->ran(entry, ledger->shape_of(entry, shape), waited);
}

}  // namespace osteon::comm
