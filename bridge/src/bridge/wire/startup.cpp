#include <fmt/format.h>

#include <bit>
#include <bridge/wire/channel.hpp>
#include <bridge/wire/startup.hpp>
#include <cstring>

namespace osteon::bridge::wire {
namespace {

template <class T>
void add(std::string& out, T value) {
  std::byte bytes[sizeof(T)];
  put(bytes, value);
  out.append(reinterpret_cast<const char*>(bytes), sizeof(T));
}

void add_text(std::string& out, const std::string& text) {
  add(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

/// Reads values from the front, and records a lack of bytes.
class cursor {
 public:
  explicit cursor(std::string_view data) : data_(data) {}
  template <class T>
  T take() {
    if (data_.size() < sizeof(T)) {
      good_ = false;
      data_ = {};
      return T{};
    }
    const T v = get<T>(reinterpret_cast<const std::byte*>(data_.data()));
    data_.remove_prefix(sizeof(T));
    return v;
  }
  std::string text() {
    const auto n = take<std::uint32_t>();
    if (n > data_.size()) {
      good_ = false;
      data_ = {};
      return {};
    }
    std::string out(data_.substr(0, n));
    data_.remove_prefix(n);
    return out;
  }
  bool empty() const { return data_.empty(); }
  bool whole() const { return good_ && data_.empty(); }

 private:
  std::string_view data_;
  bool good_ = true;
};

std::string coll(label kind, const std::string& value) {
  std::string data;
  add(data, static_cast<std::int32_t>(kind));
  return encode(frame{command::coll, data + value});
}

/// Call f(label, member of registration) for all labels with one value per process.
template <class F>
void per_process(F&& f) {
  f(label::c_nprocs, &registration::local_size);
  f(label::c_datalen, &registration::short_bytes);
  f(label::h_port, &registration::port);
  f(label::h_ackmark, &registration::ackmark);
  f(label::h_hiwater, &registration::hiwater);
  f(label::p_pid, &registration::pid);
  f(label::x_wire, &registration::wire);
  f(label::x_capabilities, &registration::capabilities);
  f(label::x_host, &registration::host);
  f(label::x_address, &registration::address);
  f(label::x_facts, &registration::facts);
  f(label::x_representation, &registration::representation);
  f(label::x_eager, &registration::eager_bytes);
}

template <class T>
void write(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    add_text(out, value);
  } else {
    add(out, value);
  }
}

template <class T>
void read(cursor& in, T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = in.text();
  } else {
    value = in.take<T>();
  }
}

constexpr std::size_t most_processes = 1 << 20;

}  // namespace

parsed_frame parse_frame(std::string_view input, std::size_t limit) {
  if (input.size() < 8) return need_more{};
  const auto* in = reinterpret_cast<const std::byte*>(input.data());
  const auto kind = static_cast<command>(get<std::int32_t>(in));
  const auto size = get<std::uint32_t>(in + 4);
  switch (kind) {
    case command::challenge:
    case command::auth:
    case command::impi:
    case command::coll:
    case command::done:
    case command::fini:
    case command::fail:
    case command::abort:
    case command::ping:
    case command::rejoin:
    case command::watch:
      break;
    default:
      return malformed{fmt::format("unknown command {:#x}", get<std::uint32_t>(in))};
  }
  if (size > limit) return malformed{fmt::format("command with {} bytes; at most {} are allowed", size, limit)};
  if (input.size() - 8 < size) return need_more{};
  return frame_view{kind, input.substr(8, size), 8 + std::size_t{size}};
}

std::string encode(const frame& f) {
  std::string out;
  add(out, static_cast<std::int32_t>(f.kind));
  add(out, static_cast<std::uint32_t>(f.data.size()));
  return out + f.data;
}

std::string encode(const registration& r) {
  std::string head;
  add(head, r.cluster);
  add(head, r.local_rank);
  add(head, r.local_size);
  std::string out = encode(frame{command::impi, head});
  std::string version;
  add(version, r.major);
  add(version, r.minor);
  out += coll(label::c_version, version);
  per_process([&](label kind, auto member) {
    std::string value;
    write(value, r.*member);
    out += coll(kind, value);
  });
  return out + encode(frame{command::done, {}});
}

std::string absorb(registration& r, command kind, std::string_view data) {
  cursor in(data);
  if (kind == command::impi) {
    r.cluster = in.take<std::int32_t>();
    r.local_rank = in.take<std::int32_t>();
    r.local_size = in.take<std::int32_t>();
  } else if (kind == command::coll) {
    const auto which = static_cast<label>(in.take<std::int32_t>());
    if (which == label::c_version) {
      r.major = in.take<std::uint32_t>();
      r.minor = in.take<std::uint32_t>();
      return in.whole() ? "" : "label C_VERSION has a wrong length";
    }
    bool known = false;
    per_process([&](label l, auto member) {
      if (l != which) return;
      known = true;
      read(in, r.*member);
    });
    if (!known) return "";  // the label belongs to a later version
  }
  return in.whole() ? "" : "a command of the start-up has a wrong length";
}

std::string encode(const collation& c) {
  std::string head;
  add(head, static_cast<std::int32_t>(c.names.size()));
  std::string out = encode(frame{command::impi, head});
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << c.names.size()) - 1);
  const auto collated = [&](label kind, const std::string& values) {
    std::string m;
    add(m, mask);
    out += coll(kind, m + values);
  };
  std::string job(reinterpret_cast<const char*>(c.job.data()), c.job.size()), names, relays;
  for (const auto& n : c.names) add_text(names, n);
  for (const auto& r : c.relays) add_text(relays, r);
  collated(label::x_job, job);
  collated(label::x_names, names);
  collated(label::x_relays, relays);
  // C_VERSION is the first label. This label contains the number of processes with their cluster and rank
  std::string places;
  for (const auto& r : c.processes) {
    add(places, r.major);
    add(places, r.minor);
    add(places, r.cluster);
    add(places, r.local_rank);
  }
  collated(label::c_version, places);
  per_process([&](label kind, auto member) {
    std::string values;
    for (const auto& r : c.processes) write(values, r.*member);
    collated(kind, values);
  });
  return out + encode(frame{command::done, {}});
}

std::string absorb(collation& c, command kind, std::string_view data) {
  cursor in(data);
  if (kind == command::impi) {
    in.take<std::int32_t>();
  } else if (kind == command::coll) {
    const auto which = static_cast<label>(in.take<std::int32_t>());
    in.take<std::uint32_t>();
    if (which == label::x_job) {
      for (auto& b : c.job) b = static_cast<std::byte>(in.take<std::uint8_t>());
    } else if (which == label::x_names || which == label::x_relays) {
      auto& texts = which == label::x_names ? c.names : c.relays;
      while (!in.empty() && texts.size() < 32) texts.push_back(in.text());
    } else if (which == label::c_version) {
      while (!in.empty() && c.processes.size() < most_processes) {
        registration r;
        r.major = in.take<std::uint32_t>();
        r.minor = in.take<std::uint32_t>();
        r.cluster = in.take<std::int32_t>();
        r.local_rank = in.take<std::int32_t>();
        if (r.cluster < 0 || static_cast<std::size_t>(r.cluster) >= c.names.size()) return "a process of an unknown cluster";
        c.processes.push_back(std::move(r));
      }
    } else {
      bool known = false;
      per_process([&](label l, auto member) {
        if (l != which) return;
        known = true;
        for (auto& r : c.processes) read(in, r.*member);
      });
      if (!known) return "";
    }
  }
  return in.whole() ? "" : "a command of the start-up has a wrong length";
}

std::string proof(const std::string& key, const char* role, const std::string& server_nonce,
                  const std::string& client_nonce) {
  return keyed_digest(key, std::string("osteon wire: ") + role + server_nonce + client_nonce);
}

std::string representation_here() {
  return fmt::format("{} {} {} {} {}", std::endian::native == std::endian::little ? "little" : "big", sizeof(int),
                     sizeof(long), sizeof(void*), sizeof(long double));
}

}  // namespace osteon::bridge::wire
