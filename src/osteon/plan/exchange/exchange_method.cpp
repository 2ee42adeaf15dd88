#include <osteon/plan/exchange/exchange_method.hpp>

#include <fmt/format.h>

#include <charconv>
#include <common/suggest.hpp>
#include <numeric>
#include <osteon/base/error.hpp>

namespace osteon::plan {

namespace {

int parse_int(const std::string& text, const std::string& name, int least) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < least)
    throw usage_error(fmt::format("'{}' in {} must be an integer >= {}", text, name, least));
  return value;
}

plan make_halo(const std::string& text, const std::string& parameter, const exchange_request& request) {
  const auto colon = parameter.find(':');
  const auto shape = parse_shape(parameter.substr(0, colon), text);
  const std::string kind = colon == std::string::npos ? "" : parameter.substr(colon + 1);
  if (shape.size() != 3 || (!kind.empty() && kind != "periodic"))
    throw usage_error(fmt::format("'{}': must be halo:ZxYxX or halo:ZxYxX:periodic", text));
  return halo_exchange({shape[0], shape[1], shape[2]}, {request.bytes, request.bytes, request.bytes}, !kind.empty());
}

plan make_composite(const std::string& text, const exchange_request& request) {
  if (!names_composite_method(text)) {
    std::vector<std::string> names;
    for (const auto& list : {known_exchanges(), known_methods()})
      for (const auto& m : list) names.push_back(m.name);
    throw usage_error(
        fmt::format("unknown exchange '{}'{}; known are: {}", text, did_you_mean(text, names), fmt::join(names, ", ")));
  }
  std::vector<int> order(static_cast<std::size_t>(request.ranks));
  std::iota(order.begin(), order.end(), 0);
  plan made = composite_method::parse(text).make(request.ranks, request.pixels, order);
  made.element_bytes = request.bytes_per_pixel;
  return made;
}

}  // namespace

const std::vector<method_description>& known_exchanges() {
  static const std::vector<method_description> known = {
      {"shift", "all-to-all: all ranks send in the same direction on a grid"},
      {"ring", "all-to-all: send to rank + s in round s"},
      {"xor", "all-to-all: exchange with rank XOR s in round s"},
      {"pairwise", "all-to-all: pairs by the circle method"},
      {"bruck", "all-to-all for short parcels: log2 rounds"},
      {"hierarchical:8", "all-to-all inside hosts of 8 ranks, then between hosts"},
      {"transposition", "transposition of an array on a square plane of ranks, as in Itakura et al."},
      {"transposition:x-first", "corrected for routing by the first dimension first"},
      {"transposition:column-major", "as in the paper, with ranks numbered along columns"},
      {"butterfly", "log2 rounds of exchanges with rank XOR 2^b"},
      {"prefix", "prefix sums by a binary tree"},
      {"prefix:doubling", "prefix sums by rank + 2^b"},
      {"broadcast", "broadcast by a binomial tree"},
      {"halo:2x2x2", "faces of a grid of blocks, or halo:2x2x2:periodic"}};
  return known;
}

std::vector<int> parse_shape(const std::string& text, const std::string& name) {
  std::vector<int> shape;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    shape.push_back(parse_int(text.substr(begin, end - begin), name, 1));
    begin = end + 1;
  }
  return shape;
}

plan make_exchange(const std::string& text, const exchange_request& request) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon), parameter = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool bare = colon == std::string::npos;
  const int ranks = request.ranks;
  if (ranks < 1) throw usage_error(fmt::format("exchange of {} ranks: the number of ranks must be at least 1", ranks));
  if (request.bytes < 0)
    throw usage_error(fmt::format("messages of {} bytes: the size must not be negative", request.bytes));
  const parcel_sizes sizes = request.sizes ? request.sizes : equal_parcels(request.bytes);
  if (name == "shift") {
    auto shape = !bare ? parse_shape(parameter, text) : !request.shape.empty() ? request.shape : std::vector<int>{ranks};
    plan made = shift_exchange(std::move(shape), sizes);
    if (made.ranks != ranks) throw usage_error(fmt::format("'{}' requires {} ranks, not {}", made.name, made.ranks, ranks));
    return made;
  }
  if (text == "ring") return shift_exchange({ranks}, sizes);
  if (text == "xor") return xor_exchange(ranks, sizes);
  if (text == "pairwise") return pairwise_exchange(ranks, sizes);
  if (text == "bruck") return bruck_exchange(ranks, sizes);
  if (name == "hierarchical" && !bare) return hierarchical_exchange(ranks, parse_int(parameter, text, 1), sizes);
  if (text == "transposition" || text == "transposition:printed")
    return transposition(ranks, transposition_order::printed, sizes);
  if (text == "transposition:x-first" || text == "transposition:column-major")
    return transposition(ranks, transposition_order::x_first, sizes);
  if (text == "butterfly") return butterfly(ranks, request.bytes);
  if (text == "prefix") return prefix_tree(ranks, request.bytes);
  if (text == "prefix:doubling") return prefix_doubling(ranks, request.bytes);
  if (name == "broadcast") return broadcast_tree(ranks, bare ? 0 : parse_int(parameter, text, 0), request.bytes);
  if (name == "halo" && !bare) {
    plan made = make_halo(text, parameter, request);
    if (made.ranks != ranks) throw usage_error(fmt::format("'{}' requires {} ranks, not {}", text, made.ranks, ranks));
    return made;
  }
  return make_composite(text, request);
}

goal goal_of_exchange(const plan& plan) {
  goal result;
  const int side = static_cast<int>(plan.rounds);
  if (plan.form == exchange_form::transposition)
    result.wanted = [side](int from, int to) { return from % side == to / side; };
  if (plan.form == exchange_form::transposition_x_first)
    result.wanted = [side](int from, int to) { return from / side == to % side; };
  if (plan.name.starts_with("prefix")) result.holds = [](int rank) { return span{0, rank + 1}; };
  if (const std::string prefix = "broadcast:"; plan.name.starts_with(prefix)) {
    const int root = parse_int(plan.name.substr(prefix.size()), plan.name, 0);
    result.holds = [root](int) { return span{root, root + 1}; };
  }
  return result;
}

}  // namespace osteon::plan
