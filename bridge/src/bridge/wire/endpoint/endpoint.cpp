#include <bridge/wire/endpoint/endpoint_core.hpp>

namespace osteon::bridge::wire {

message::message(message&& other) noexcept
    : type(other.type),
      source(other.source),
      fields(other.fields),
      total(other.total),
      id(other.id),
      wants_reply(other.wants_reply),
      bytes(std::move(other.bytes)),
      owner_(std::exchange(other.owner_, nullptr)) {}

message& message::operator=(message&& other) noexcept {
  if (this == &other) return *this;
  if (owner_ != nullptr) owner_->give_back(source, bytes.size());
  type = other.type;
  source = other.source;
  fields = other.fields;
  total = other.total;
  id = other.id;
  wants_reply = other.wants_reply;
  bytes = std::move(other.bytes);
  owner_ = std::exchange(other.owner_, nullptr);
  return *this;
}

message::~message() {
  if (owner_ != nullptr) owner_->give_back(source, bytes.size());
}

endpoint::endpoint() = default;

endpoint::~endpoint() = default;

std::unique_ptr<endpoint> endpoint::join(const settings& options, const std::string& facts) {
  validate(options);
  std::unique_ptr<endpoint> e(new endpoint);
  e->core_ = std::make_unique<endpoint_core>(*e, options, facts);
  e->core_->join();
  return e;
}

const world_info& endpoint::world() const noexcept { return core_->world; }

ticket endpoint::send(int dest, const envelope& fields, std::span<const std::byte> bytes, bool synchronous) {
  return core_->send(dest, fields, bytes, synchronous);
}

std::optional<message> endpoint::take() { return core_->take(); }

ticket endpoint::accept(message& m, std::span<std::byte> buffer) { return core_->accept(m, buffer); }

void endpoint::cancel(ticket& sent) { core_->cancel(sent); }

void endpoint::answer_cancel(const message& request, bool found) { core_->answer_cancel(request, found); }

bool endpoint::test(const ticket& t) {
  if (t.done()) return true;
  check();
  if (core_->options.progress == progress_mode::polling) core_->progress();
  return t.done();
}

void endpoint::wait(const ticket& t) {
  for (;;) {
    const std::uint32_t seen = events();
    if (t.done()) return;
    wait_event(seen, 1.0);
  }
}

void endpoint::wait_event(std::uint32_t seen, double seconds) { core_->wait_event(seen, seconds); }

void endpoint::progress() { core_->progress(); }

void endpoint::check() const {
  if (broken()) core_->check();
}

bool endpoint::abort(const std::string& text) noexcept { return core_->abort(text); }

void endpoint::close() { core_->close(); }

std::size_t endpoint::memory_in_use() const { return core_->memory_in_use(); }

}  // namespace osteon::bridge::wire
