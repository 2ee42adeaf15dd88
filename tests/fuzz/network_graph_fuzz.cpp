#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <string>

// Oracle: a graph is refused with a message, or its PUs can reach each other. A list of messages is refused, or each message
// has both ends.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto made = osteon::net::parse_graph(text, "fuzz");
    if (made.pus > 1 && made.route(0, made.pus - 1).size() < 2) std::abort();
  } catch (const osteon::data_error& e) {
    if (std::string(e.what()).empty()) std::abort();
  }
  try {
    const auto made = osteon::plan::parse_messages(text, "fuzz");
    if (made.ranks < 2 || made.rounds < 1) std::abort();
  } catch (const osteon::data_error&) {
  }
  return 0;
}
