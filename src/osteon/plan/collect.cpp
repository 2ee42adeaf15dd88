#include <osteon/plan/collect.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/plan/partition.hpp>

namespace osteon::plan {

namespace {

struct collector {
  composite parts;
  int root;

  int index_at(int place) const { return parts.index_at_place ? parts.index_at_place(place) : place; }
  int place_of(int index) const { return parts.place_of_index ? parts.place_of_index(index) : index; }

  static void add(round& target, action what, int peer, const std::vector<span>& spans) {
    for (const span s : spans)
      if (s.size() > 0) target.steps.push_back({what, peer, s});
  }

  round gather(int index) const {
    round result;
    if (index != root) {
      add(result, action::send, root, joined(parts.owned(index)));
      return result;
    }
    for (int place = 0; place < parts.members; ++place)
      if (const int owner = index_at(place); owner != root) add(result, action::receive, owner, joined(parts.owned(owner)));
    return result;
  }
};

// A tree over the places, so that what a subtree holds is one span where parts follow each other. A stretch of places
// is headed by the root if it is in it, otherwise by its first place.
struct fan_in_tree : collector {
  std::int64_t ways;

  int rounds() const {
    int count = 0;
    for (std::int64_t size = 1; size < parts.members; size *= ways) ++count;
    return count;
  }
  int head(std::int64_t begin, std::int64_t end) const {
    const int place = place_of(root);
    return begin <= place && place < end ? root : index_at(static_cast<int>(begin));
  }
  std::vector<span> held(std::int64_t begin, std::int64_t end) const {
    std::vector<span> all;
    for (std::int64_t place = begin; place < end; ++place) {
      const auto own = parts.owned(index_at(static_cast<int>(place)));
      all.insert(all.end(), own.begin(), own.end());
    }
    return joined(std::move(all));
  }

  void add_rounds_of(int index, std::vector<round>& rounds) const {
    const std::int64_t place = place_of(index), members = parts.members;
    for (std::int64_t size = 1; size < members; size *= ways) {
      round& now = rounds.emplace_back();
      const std::int64_t begin = place / (size * ways) * (size * ways), end = std::min(begin + size * ways, members);
      const std::int64_t own = place / size * size;
      const int top = head(begin, end);
      if (head(own, std::min(own + size, members)) != index) continue;
      if (top != index) {
        add(now, action::send, top, held(own, std::min(own + size, members)));
        continue;
      }
      for (std::int64_t part = begin; part < end; part += size)
        if (part != own)
          add(now, action::receive, head(part, std::min(part + size, members)), held(part, std::min(part + size, members)));
    }
  }
};

struct by_leaders : collector {
  std::vector<int> host_of;
  std::map<int, std::vector<int>> members_of;  // by host

  int leader(int host) const { return host == host_of[static_cast<std::size_t>(root)] ? root : members_of.at(host).front(); }
  std::vector<span> held(int host) const {
    std::vector<span> all;
    for (const int index : members_of.at(host)) {
      const auto own = parts.owned(index);
      all.insert(all.end(), own.begin(), own.end());
    }
    return joined(std::move(all));
  }

  void add_rounds_of(int index, std::vector<round>& rounds) const {
    const int host = host_of[static_cast<std::size_t>(index)], top = leader(host);
    round inside, between;
    if (index != top) {
      add(inside, action::send, top, joined(parts.owned(index)));
    } else {
      for (const int other : members_of.at(host))
        if (other != index) add(inside, action::receive, other, joined(parts.owned(other)));
      if (index != root) {
        add(between, action::send, root, held(host));
      } else {
        for (const auto& [other, members] : members_of)
          if (other != host) add(between, action::receive, leader(other), held(other));
      }
    }
    rounds.push_back(std::move(inside));
    rounds.push_back(std::move(between));
  }
};

// Put the collect's rounds behind those of the composite; `append` adds those of one member.
template <class Append>
composite appended(const collector& all, int rounds, Append append) {
  composite result;
  result.members = all.parts.members;
  result.elements = all.parts.elements;
  result.rounds = all.parts.rounds + rounds;
  result.holder = all.root;
  result.of = [all, append](int index) {
    rank_plan mine = all.parts.of(index);
    mine.rounds.resize(static_cast<std::size_t>(all.parts.rounds));
    append(index, mine.rounds);
    mine.result.clear();
    if (index == all.root) mine.result = {{0, all.parts.elements}};
    return mine;
  };
  result.owned = [all](int index) {
    return index == all.root ? std::vector<span>{{0, all.parts.elements}} : std::vector<span>{};
  };
  return result;
}

}  // namespace

composite collected(composite parts, int root, const collect_options& options) {
  if (root < 0 || parts.holder == root || options.method == collect_method::none) return parts;
  const collector plain{std::move(parts), root};
  switch (options.method) {
    case collect_method::fan_in: {
      if (options.limit < 1)
        throw usage_error(fmt::format("a collect with at most {} messages into one rank: allow at least 1", options.limit));
      const auto tree = std::make_shared<const fan_in_tree>(fan_in_tree{plain, options.limit + 1});
      return appended(plain, tree->rounds(),
                      [tree](int index, std::vector<round>& rounds) { tree->add_rounds_of(index, rounds); });
    }
    case collect_method::leaders: {
      if (options.host_of.size() != static_cast<std::size_t>(plain.parts.members))
        throw usage_error(fmt::format("a collect by the hosts' leaders, with hosts of {} of the {} ranks: name each rank's",
                                      options.host_of.size(), plain.parts.members));
      by_leaders hosts{plain, options.host_of, {}};
      for (int i = 0; i < plain.parts.members; ++i)
        hosts.members_of[options.host_of[static_cast<std::size_t>(i)]].push_back(i);
      const auto shared = std::make_shared<const by_leaders>(std::move(hosts));
      return appended(plain, 2, [shared](int index, std::vector<round>& rounds) { shared->add_rounds_of(index, rounds); });
    }
    default:
      return appended(plain, 1, [plain](int index, std::vector<round>& rounds) { rounds.push_back(plain.gather(index)); });
  }
}

}  // namespace osteon::plan
