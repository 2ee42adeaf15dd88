#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <string_view>

// Oracle: a text is refused with a data_error, or the text is a symmetric graph that is unchanged after writing and reading.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace osteon;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  placement::graph g;
  try {
    g = placement::parse_graph(text, "input");
  } catch (const data_error&) {
    return 0;
  }
  if (g.size() > 100'000) return 0;  // a valid number of vertices without edges has no content to test
  const placement::graph again = placement::parse_graph(placement::metis_text(g), "again");
  if (again.to != g.to || again.weight != g.weight || again.begin != g.begin) std::abort();
  for (int v = 0; v < g.size(); ++v)
    for (const int to : g.neighbours(v))
      if (to == v || to < 0 || to >= g.size()) std::abort();
  return 0;
}
