#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/net/networks/network_request.hpp>
#include <string>

// Oracle: a text is refused with a message, or the network has a route from its first PU to its last PU.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto request = osteon::net::parse_network(text);
    if (request.pus() > 4096) return 0;
    const auto made = osteon::net::make_network(request);
    if (made.pus != request.pus()) std::abort();
    if (made.pus > 1 && made.route(0, made.pus - 1).size() < 2) std::abort();
  } catch (const osteon::usage_error& e) {
    if (std::string(e.what()).empty()) std::abort();
  }
  return 0;
}
