#include <osteon/comm/exchange/exchange.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/exchange/exchange_backends.hpp>
#include <osteon/plan/exchange/exchange_method.hpp>

namespace osteon::comm {

namespace {

bool on_one_host(MPI_Comm comm) {
  int all = communicator::of_host(comm).size() == size(comm);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

// Check that all parcels are inside a buffer of this size.
void check(const parcels& p, int ranks, std::size_t bytes, std::size_t element_bytes, const char* name) {
  if (std::ssize(p.counts) != ranks || std::ssize(p.offsets) != ranks)
    throw usage_error(fmt::format("{} parcels: {} counts and {} offsets, but one of each per rank ({}) is required", name,
                                  p.counts.size(), p.offsets.size(), ranks));
  const auto elements = static_cast<std::int64_t>(bytes / element_bytes);
  for (std::size_t r = 0; r < p.counts.size(); ++r)
    if (p.counts[r] < 0 || (p.counts[r] > 0 && (p.offsets[r] < 0 || p.offsets[r] > elements - p.counts[r])))
      throw usage_error(fmt::format("{} parcel of rank {}: {} elements from offset {} on exceed the buffer ({} elements)",
                                    name, r, p.counts[r], p.offsets[r], elements));
}

}  // namespace

parcels parcels::packed(std::vector<std::int64_t> counts) {
  parcels result{std::move(counts), {}};
  std::int64_t at = 0;
  for (const std::int64_t count : result.counts) {
    result.offsets.push_back(at);
    at += count;
  }
  return result;
}

std::int64_t parcels::elements() const {
  std::int64_t end = 0;
  for (std::size_t r = 0; r < counts.size(); ++r)
    if (counts[r] > 0) end = std::max(end, offsets[r] + counts[r]);
  return end;
}

all_to_all::all_to_all(MPI_Comm comm, const all_to_all_options& options) : comm_(communicator::duplicate(comm)) {
  const bool together_here = on_one_host(comm);
  schedule_ = options.schedule != "auto" ? options.schedule : together_here ? "shared" : "ring";
  plan::plan plan;
  collectively(comm, [&] {
    if (options.longest_message < 1 || options.longest_message > (std::int64_t{1} << 31) - 1)
      throw usage_error(fmt::format("maximum message size {}: must be 1 to 2^31 - 1 bytes", options.longest_message));
    if (schedule_ == "shared") {
      if (!together_here) throw usage_error("schedule 'shared' requires all ranks on one host; choose another schedule");
      plan = plan::make_exchange("ring", {.ranks = size(comm), .bytes = 1});
      return;
    }
    plan = plan::make_exchange(schedule_, {.ranks = size(comm), .bytes = 1});
    if (plan.moves != plan::cargo::parcels)
      throw usage_error(
          fmt::format("schedule '{}' is not an all-to-all exchange; choose shared, ring, shift, xor, pairwise, bruck, "
                      "hierarchical:RANKS or transposition",
                      schedule_));
  });
  if (schedule_ == "shared") {
    try {
      backend_ = exchange_in_shared_memory(comm_.get(), plan);
      return;
    } catch (const machine_error&) {  // all ranks throw this error if shared memory is insufficient
      if (options.schedule == "shared") throw;
    }
  }
  schedule_ = plan.name;
  if (const std::string groups = "hierarchical:"; schedule_.starts_with(groups))
    backend_ = exchange_hierarchically(comm_.get(), std::stoi(schedule_.substr(groups.size())), options);
  if (!backend_) backend_ = exchange_by_messages(comm_.get(), plan, options, together_here);
}

all_to_all::~all_to_all() = default;
all_to_all::all_to_all(all_to_all&&) noexcept = default;
all_to_all& all_to_all::operator=(all_to_all&&) noexcept = default;

const std::string& all_to_all::schedule() const { return schedule_; }

std::vector<std::int64_t> all_to_all::counts_from(std::span<const std::int64_t> counts_to) {
  std::vector<std::int64_t> result(counts_to.size());
  MPI_Alltoall(counts_to.data(), 1, MPI_INT64_T, result.data(), 1, MPI_INT64_T, comm_.get());
  return result;
}

void all_to_all::run_bytes(std::span<const std::byte> out, const parcels& to, std::span<std::byte> in, const parcels& from,
                           std::size_t element_bytes) {
  const auto self = static_cast<std::size_t>(comm_.rank());
  check(to, comm_.size(), out.size(), element_bytes, "outgoing");
  check(from, comm_.size(), in.size(), element_bytes, "arriving");
  if (to.counts[self] != from.counts[self])
    throw usage_error(
        fmt::format("rank {} sends {} elements to itself but expects {}", self, to.counts[self], from.counts[self]));
  const auto unit = static_cast<std::int64_t>(element_bytes);
  if (to.counts[self] > 0)
    std::memcpy(in.data() + from.offsets[self] * unit, out.data() + to.offsets[self] * unit,
                static_cast<std::size_t>(to.counts[self] * unit));
  backend_->run(out.data(), to, in.data(), from, unit);
}

}  // namespace osteon::comm
