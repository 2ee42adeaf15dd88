#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <osteon/base/at.hpp>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/machine/topology/topology.hpp>

namespace osteon::machine {

namespace {

int count_of(const host_tree& tree, level l) {
  int most = -1;
  for (int i = 0; i < static_cast<int>(tree.cores.size()); ++i) most = std::max(most, tree.domain_of(i, l));
  return most + 1;
}

}  // namespace

std::string_view name_of(path p) {
  constexpr std::array names = {"same L3", "inter-L3", "inter-socket", "inter-host"};
  return names[static_cast<std::size_t>(p)];
}

std::vector<int> host_tree::usable_cores() const {
  std::vector<int> result;
  for (std::size_t i = 0; i < cores.size(); ++i)
    if (!common(cores[i].pus, allowed).empty()) result.push_back(static_cast<int>(i));
  return result;
}

int host_tree::domain_of(int c, level l) const {
  const core& here = cores[at(c)];
  switch (l) {
    case level::core:
      return c;
    case level::l3:
      return here.l3;
    case level::numa:
      return here.numa;
    case level::package:
      return here.package;
    case level::host:
      break;
  }
  return 0;
}

std::vector<pu_set> host_tree::domains(level l) const {
  std::vector<pu_set> all;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const std::size_t domain = at(domain_of(static_cast<int>(i), l));
    if (domain >= all.size()) all.resize(domain + 1);
    all[domain].insert(all[domain].end(), cores[i].pus.begin(), cores[i].pus.end());
  }
  for (pu_set& pus : all) {
    std::sort(pus.begin(), pus.end());
    pus = common(pus, allowed);
  }
  std::erase_if(all, [](const pu_set& pus) { return pus.empty(); });
  return all;
}

path host_tree::between(int a, int b) const {
  const core &one = cores[at(a)], &other = cores[at(b)];
  if (one.package != other.package) return path::inter_socket;
  return one.l3 == other.l3 ? path::same_l3 : path::inter_l3;
}

namespace {

std::int64_t in_gib(std::int64_t bytes) { return (bytes + (std::int64_t{1} << 29)) >> 30; }

// Text about the memory of the NUMA nodes: for example ", 2 x 384 GiB" for equal nodes, ", 384 and 96 GiB" for different
// nodes. The text is empty if the memory is unknown.
std::string memory_text(const std::vector<std::int64_t>& bytes) {
  if (bytes.empty()) return "";
  std::vector<std::int64_t> gib;
  for (const std::int64_t b : bytes) gib.push_back(in_gib(b));
  if (gib.size() > 1 && std::adjacent_find(gib.begin(), gib.end(), std::not_equal_to<>()) == gib.end())
    return fmt::format(", {} x {} GiB", gib.size(), gib[0]);
  return fmt::format(", {} GiB", fmt::join(gib, " and "));
}

}  // namespace

std::string host_tree::digest() const {
  std::vector<int> values = {static_cast<int>(cores.size()), synthetic ? 1 : 0};
  for (const core& c : cores) {
    values.insert(values.end(), {c.package, c.numa, c.l3, static_cast<int>(c.pus.size())});
    values.insert(values.end(), c.pus.begin(), c.pus.end());
  }
  values.insert(values.end(), allowed.begin(), allowed.end());
  for (const std::int64_t bytes : numa_bytes) values.push_back(static_cast<int>(in_gib(bytes)));
  return xxh64_of(std::as_bytes(std::span(values)));
}

std::string host_tree::summary() const {
  std::size_t pus = 0;
  for (const core& c : cores) pus += c.pus.size();
  std::string text =
      fmt::format("{}, {} L3, {}, {}, {}", counted(count_of(*this, level::package), "package"), count_of(*this, level::l3),
                  counted(count_of(*this, level::numa), "NUMA node"), counted(std::ssize(cores), "core"),
                  counted(static_cast<std::int64_t>(pus), "hardware thread"));
  if (allowed.size() != pus) text += fmt::format(" ({} allowed)", allowed.size());
  text += memory_text(numa_bytes);
  return text;
}

host_tree restricted(host_tree tree, const pu_set& allowed) {
  tree.allowed = common(tree.allowed, allowed);
  return tree;
}

host_tree without_cores(host_tree tree, const std::vector<int>& cores) {
  pu_set gone;
  std::vector<core> left;
  for (std::size_t i = 0; i < tree.cores.size(); ++i)
    if (std::find(cores.begin(), cores.end(), static_cast<int>(i)) == cores.end())
      left.push_back(tree.cores[i]);
    else
      gone.insert(gone.end(), tree.cores[i].pus.begin(), tree.cores[i].pus.end());
  std::sort(gone.begin(), gone.end());
  tree.cores = std::move(left);
  tree.allowed = without(tree.allowed, gone);
  // Renumber the domains without gaps.
  for (const auto member : {&core::package, &core::numa, &core::l3}) {
    std::vector<int> seen;
    for (core& c : tree.cores) {
      const auto found = std::find(seen.begin(), seen.end(), c.*member);
      const auto place = static_cast<int>(found - seen.begin());
      if (found == seen.end()) seen.push_back(c.*member);
      c.*member = place;
    }
  }
  return tree;
}

host_list::host_list(int count, const host_tree& tree) {
  for (int i = 0; i < count; ++i) add(fmt::format("host{}", i), tree);
}

void host_list::add(const std::string& name, const host_tree& tree) {
  if (name.empty()) throw data_error(fmt::format("the name of host {} is empty", size()));
  if (!host_by_name_.emplace(name, size()).second) throw data_error(fmt::format("duplicate host name {}", name));
  // Usually the tree equals the tree of the previous host. In this case, the digest is not required.
  int place = tree_of_.empty() || trees_[at(tree_of_.back())] != tree ? -1 : tree_of_.back();
  if (place < 0) {
    place = tree_by_digest_.emplace(tree.digest(), static_cast<int>(trees_.size())).first->second;
    if (place == static_cast<int>(trees_.size())) trees_.push_back(tree);
  }
  names_.push_back(name);
  tree_of_.push_back(place);
}

std::optional<int> host_list::find(std::string_view name) const {
  const auto found = host_by_name_.find(std::string(name));
  if (found == host_by_name_.end()) return std::nullopt;
  return found->second;
}

std::int64_t host_list::usable_cores() const {
  std::vector<std::int64_t> of_tree;
  for (const host_tree& tree : trees_) of_tree.push_back(static_cast<std::int64_t>(tree.usable_cores().size()));
  std::int64_t sum = 0;
  for (const int tree : tree_of_) sum += of_tree[at(tree)];
  return sum;
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [&](std::string_view text, std::size_t& k) {
      while (k < text.size() && text[k] == '0') ++k;
      const std::size_t from = k;
      while (k < text.size() && digit(text[k])) ++k;
      return text.substr(from, k - from);
    };
    const std::string_view one = number(a, i), other = number(b, j);
    if (one.size() != other.size()) return one.size() < other.size();
    if (one != other) return one < other;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // node01 precedes node1, because the order must be total
}

}  // namespace osteon::machine
