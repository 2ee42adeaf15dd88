#include <osteon/render/scene/compositing.hpp>

#include <fmt/format.h>

#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <vector>

namespace osteon::render {

namespace {

std::optional<comm::transport> transport_named(const std::string& text) {
  if (text == "messages") return comm::transport::messages;
  if (text == "shared") return comm::transport::shared;
  if (text == "hybrid") return comm::transport::hybrid;
  return {};
}

}  // namespace

compositing parse_compositing(const std::string& text, kernel::colour_format pixels) {
  compositing result;
  result.pixels = pixels;
  if (text == "auto") return result;
  result.method = text;
  // The text `hybrid` alone is a transport and not a method. A method may contain a comma.
  if (const auto alone = transport_named(text)) {
    result.by = alone;
    result.method.clear();
    return result;
  }
  if (const std::size_t comma = text.rfind(','); comma != std::string::npos) {
    const std::string last = text.substr(comma + 1);
    result.by = transport_named(last);
    if (result.by) result.method = text.substr(0, comma);
    if (!result.by && last.find_first_not_of("0123456789") != std::string::npos)
      throw usage_error(
          fmt::format("compositing '{}': unknown transport '{}'; must be messages, shared or hybrid", text, last));
  }
  plan::composite_method::parse(result.method);
  if (result.by == comm::transport::shared)
    throw usage_error(fmt::format("compositing '{}': the transport shared has no method; use 'shared' or '{},messages'",
                                  text, result.method));
  if (!result.by) result.by = comm::transport::messages;
  return result;
}

std::string default_method(int ranks) { return ranks <= 16 ? "direct-send:overlap" : "binary-swap"; }

void check_compositing(const compositing& options, int ranks) {
  if (options.method.empty()) return;
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  try {
    plan::composite_method::parse(options.method).make(ranks, ranks, order, -1).part(0);
  } catch (const usage_error& e) {
    throw usage_error(fmt::format("compositing '{}' with {} ranks: {}; or use 'auto'", options.method, ranks, e.what()));
  }
}

compositing opaque_options(compositing options) {
  if (options.pixels == kernel::colour_format::wide) options.pixels = kernel::colour_format::rgba32f;
  return options;
}

kernel::colour_format parse_pixels(const std::string& text) {
  using kernel::colour_format;
  for (const colour_format c : {colour_format::wide, colour_format::rgba32f, colour_format::rgba16f, colour_format::rgba8})
    if (kernel::name_of({c}) == text) return c;
  throw usage_error(fmt::format("unknown pixel format '{}'; must be wide, rgba32f, rgba16f or rgba8", text));
}

}  // namespace osteon::render
