#include <bridge/inter_cluster/agreement.hpp>

#include <fmt/format.h>
#include <mpi.h>
#include <algorithm>
#include <bit>
#include <bridge/front/front.hpp>
#include <cfloat>
#include <charconv>
#include <map>
#include <vector>

namespace osteon::bridge {
namespace {

/// Parts of the facts of a process. Semicolons separate the parts.
struct facts {
  int tag_limit = 32767;
  std::string necessary;  ///< facts that must be equal in all processes
  std::string representation, arithmetic;
};

facts read_facts(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ';')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  parts.resize(4);
  facts f{32767, parts[1], parts[2], parts[3]};
  std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), f.tag_limit);
  return f;
}

std::string necessary(const wire::choices& c) {
  return fmt::format("long of {} bytes, wchar_t of {}, bool of {}, mode {}, reductions by {}", sizeof(long), sizeof(wchar_t),
                     sizeof(bool), c.bytes ? "bytes" : "direct", c.order_of_ranks ? "ranks" : "clusters");
}

constexpr const char* wanted_external32 = "as external32, as requested";

/// Representation of numbers in memory.
std::string representation(const wire::choices& c) {
  if (c.external32) return wanted_external32;
  return fmt::format("{} endian, long double of {} bits", std::endian::native == std::endian::little ? "little" : "big",
                     LDBL_MANT_DIG);
}

}  // namespace

std::string own_arithmetic() {
  // If the program was compiled with the mpi.h of the bridge, the function of the program is used. Otherwise, the function
  // of this library is used. This function is compiled from the same header.
  double result[3] = {};
  osteon_mpi_arithmetic(result);
  std::string text;
  const auto add = [&](bool is, const char* word) {
    if (is) text += (text.empty() ? "" : ", ") + std::string(word);
  };
  const bool longer = result[1] != 0;
  add(!longer && result[0] != 0, "multiplications and additions fused (FMA)");
  add(longer, "sums kept in longer registers (x87) or reordered (-ffast-math)");
  add(result[2] == 0, "small numbers flushed to zero (-ffast-math)");
  return text.empty() ? "every operation rounded to its type" : text;
}

std::string own_facts(int tag_limit, const wire::choices& c) {
  return fmt::format("{};{};{};{}", tag_limit, necessary(c), representation(c), own_arithmetic());
}

agreement agree_on(const wire::world_info& info, const wire::choices& c) {
  agreement result;
  result.tag_limit = INT32_MAX;
  const facts first = read_facts(info.processes.front().facts);
  std::map<std::string, std::vector<std::string>> clusters_by_arithmetic;
  for (const auto& process : info.processes) {
    const facts f = read_facts(process.facts);
    result.tag_limit = std::min(result.tag_limit, f.tag_limit);
    const bool requested = f.representation == wanted_external32;
    result.external32 = result.external32 || requested || f.representation != first.representation;
    const std::string& name = info.clusters[static_cast<std::size_t>(process.cluster)].name;
    if (f.necessary != first.necessary)
      throw usage_error(fmt::format("cluster {} has a {}; cluster {} has a {}. They must be equal",
                                    info.clusters.front().name, first.necessary, name, f.necessary));
    auto& clusters = clusters_by_arithmetic[f.arithmetic];
    if (clusters.empty() || clusters.back() != name) clusters.push_back(name);
  }
  if (clusters_by_arithmetic.size() == 1 || c.on_difference == wire::choices::arithmetic::ignore) return result;
  std::string text = "the program's floating-point code differs between clusters:";
  for (const auto& [arithmetic, clusters] : clusters_by_arithmetic)
    text += fmt::format("\n  {}: {}", fmt::join(clusters, ", "), arithmetic);
  text +=
      "\nValues computed in both clusters may differ, and an iteration may end in one cluster only. Compile the "
      "program\n"
      "everywhere with -ffp-contract=off and without -ffast-math (GCC, Clang; Intel: -fp-model=precise -no-fma; on 32-bit\n"
      "x86 also -msse2 -mfpmath=sse).";
  if (c.on_difference == wire::choices::arithmetic::require) throw usage_error(text);
  result.warning = text + " OSTEON_BRIDGE_ARITHMETIC=require rejects such jobs; ignore suppresses this warning.";
  return result;
}

}  // namespace osteon::bridge
