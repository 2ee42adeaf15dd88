#include <fmt/format.h>

#include <app/common_options.hpp>
#include <app/job/image_size.hpp>
#include <app/net/net_input.hpp>
#include <charconv>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <osteon/plan/exchange/exchange_method.hpp>

namespace osteon::app {

namespace {

// Parse integers separated by white space; # begins a comment.
std::vector<std::int64_t> read_numbers(const std::string& path) {
  const std::string text = read_text(path);
  std::vector<std::int64_t> result;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    if (*at == '#') {
      at = std::find(at, end, '\n');
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(*at)) != 0) {
      ++at;
      continue;
    }
    std::int64_t value = 0;
    const auto [next, fault] = std::from_chars(at, end, value);
    if (fault != std::errc())
      throw data_error(fmt::format("{}: '{}' is not an integer", path, std::string(at, std::min(at + 20, end))));
    result.push_back(value);
    at = next;
  }
  return result;
}

std::vector<int> read_placement(const std::string& path) {
  std::vector<int> places;
  for (const std::int64_t pu : read_numbers(path)) {
    if (pu < 0 || pu > INT32_MAX) throw data_error(fmt::format("{}: {} is not a PU", path, pu));
    places.push_back(static_cast<int>(pu));
  }
  if (places.empty()) throw data_error(fmt::format("{}: empty; write one PU per rank, in rank order", path));
  return places;
}

plan::parcel_sizes read_sizes(const std::string& path, int ranks) {
  auto matrix = std::make_shared<std::vector<std::int64_t>>(read_numbers(path));
  const auto n = static_cast<std::size_t>(ranks);
  if (matrix->size() != n * n)
    throw data_error(fmt::format("{}: {} numbers; {} ranks require {}: a row per sender with the bytes to each rank", path,
                                 matrix->size(), ranks, n * n));
  for (const std::int64_t bytes : *matrix)
    if (bytes < 0) throw data_error(fmt::format("{}: {} bytes; sizes must not be negative", path, bytes));
  return
      [matrix, n](int from, int to) { return (*matrix)[static_cast<std::size_t>(from) * n + static_cast<std::size_t>(to)]; };
}

}  // namespace

std::int64_t parse_bytes(const std::string& text, const std::string& option) {
  std::int64_t value = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  for (const auto& [name, factor] : {std::pair<const char*, std::int64_t>{"", 1},
                                     {"B", 1},
                                     {"kB", 1000},
                                     {"MB", 1000000},
                                     {"KiB", 1024},
                                     {"MiB", 1 << 20}})
    if (fault == std::errc() && unit == name && value >= 0 && value <= (std::int64_t{1} << 50) / factor)
      return value * factor;
  throw usage_error(fmt::format("{} {}: must be a number of bytes such as 4096, 64KiB or 1MB", option, text));
}

net::network find_network(const std::string& text) {
  if (text.ends_with(".json")) return net::parse_graph(read_text(text), text);
  return net::network_by_text(text);
}

namespace {

int ranks_asked_for(const net_input_options& o, const net::network& where, const std::vector<int>& places) {
  return o.ranks > 0 ? o.ranks : !places.empty() ? static_cast<int>(places.size()) : where.pus;
}

}  // namespace

net_parcels read_net_parcels(const net_input_options& o) {
  net_parcels input;
  input.where = find_network(o.network);
  if (!o.placement.empty()) input.places = read_placement(o.placement);
  input.ranks = ranks_asked_for(o, input.where, input.places);
  const std::int64_t bytes = parse_bytes(o.bytes, "--bytes");
  input.sizes = o.sizes.empty() ? plan::equal_parcels(bytes) : read_sizes(o.sizes, input.ranks);
  return input;
}

net_input read_net_input(const net_input_options& o) {
  net_input input;
  input.where = find_network(o.network);
  if (!o.placement.empty()) input.places = read_placement(o.placement);
  if (o.plan.ends_with(".txt")) {
    input.exchange = plan::parse_messages(read_text(o.plan), o.plan);
    if (o.ranks > input.exchange.ranks) input.exchange.ranks = o.ranks;
  } else {
    plan::exchange_request request;
    request.ranks = ranks_asked_for(o, input.where, input.places);
    request.bytes = parse_bytes(o.bytes, "--bytes");
    if (!o.sizes.empty()) request.sizes = read_sizes(o.sizes, request.ranks);
    if (request.ranks == input.where.pus && !input.where.order.empty()) request.shape = input.where.shape;
    request.pixels = parse_image_size(o.pixels).pixels();
    request.bytes_per_pixel = o.bytes_per_pixel;
    input.exchange = plan::make_exchange(o.plan, request);
  }
  net::place_ranks(input.where, input.exchange.ranks, input.places);  // reject invalid placements before counting
  return input;
}

void add_network(command c, std::string& target) {
  c.add_option("--network", target, "Network such as hxb:8x8x16, or a JSON file (docs/reference/network.md)").required();
}

void add_net_parcels(command c, net_input_options& target) {
  add_network(c, target.network);
  c.add_option("-n,--ranks", target.ranks, "Number of ranks (default: number of PUs or of placed ranks)")
      .between(1, 1 << 24);
  c.add_option("--placement", target.placement, "File with the PU of each rank (default: rank r on PU r)");
  c.add_option("--bytes", target.bytes, "Size of a parcel, object or face").show_default();
  c.add_option("--sizes", target.sizes, "File with the bytes from each rank (a row) to each rank; defines the skew");
}

void add_net_input(command c, net_input_options& target) {
  add_net_parcels(c, target);
  c.add_option("--plan", target.plan,
               "Exchange such as shift, transposition or butterfly, a compositing method of `osteon plan`, or a .txt file "
               "of messages (round, sender, receiver, bytes)")
      .required();
  c.add_option("--pixels", target.pixels, "Compositing: width x height of the picture").show_default();
  c.add_option("--bytes-per-pixel", target.bytes_per_pixel, "Compositing: 4 for RGBA8").between(1, 64).show_default();
}

}  // namespace osteon::app
