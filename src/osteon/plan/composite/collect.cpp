#include <osteon/plan/composite/collect.hpp>

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

  static void add(std::vector<message>& messages, int peer, const std::vector<span>& spans) {
    for (const span s : spans)
      if (s.size() > 0) messages.push_back({peer, s});
  }

  round gather(int index) const {
    round result;
    if (index != root) {
      add(result.sends, root, joined(parts.owned(index)));
      return result;
    }
    for (int place = 0; place < parts.members; ++place)
      if (const int owner = index_at(place); owner != root) add(result.receives, owner, joined(parts.owned(owner)));
    return result;
  }
};

// A tree over the order of parts. If parts are contiguous, the data of a subtree form one span. The head of an interval of
// places is the root if the interval contains the root. Otherwise, the head is the first place.
struct fan_in_tree : collector {
  std::int64_t degree;

  int rounds() const {
    int count = 0;
    for (std::int64_t size = 1; size < parts.members; size *= degree) ++count;
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

  round of(int index, int level) const {
    round now;
    const std::int64_t place = place_of(index), members = parts.members;
    std::int64_t size = 1;
    for (int l = 0; l < level; ++l) size *= degree;
    const std::int64_t begin = place / (size * degree) * (size * degree), end = std::min(begin + size * degree, members);
    const std::int64_t own = place / size * size;
    const int top = head(begin, end);
    if (head(own, std::min(own + size, members)) != index) return now;
    if (top != index) {
      add(now.sends, top, held(own, std::min(own + size, members)));
      return now;
    }
    for (std::int64_t part = begin; part < end; part += size)
      if (part != own)
        add(now.receives, head(part, std::min(part + size, members)), held(part, std::min(part + size, members)));
    return now;
  }
};

struct by_leaders : collector {
  std::vector<int> host_of;
  std::map<int, std::vector<int>> members_of;  // members of each host

  int leader(int host) const { return host == host_of[static_cast<std::size_t>(root)] ? root : members_of.at(host).front(); }
  std::vector<span> held(int host) const {
    std::vector<span> all;
    for (const int index : members_of.at(host)) {
      const auto own = parts.owned(index);
      all.insert(all.end(), own.begin(), own.end());
    }
    return joined(std::move(all));
  }

  round inside(int index) const {
    round now;
    const int host = host_of[static_cast<std::size_t>(index)], top = leader(host);
    if (index != top) {
      add(now.sends, top, joined(parts.owned(index)));
      return now;
    }
    for (const int other : members_of.at(host))
      if (other != index) add(now.receives, other, joined(parts.owned(other)));
    return now;
  }
  round between(int index) const {
    round now;
    const int host = host_of[static_cast<std::size_t>(index)];
    if (index != leader(host)) return now;
    if (index != root) {
      add(now.sends, root, held(host));
      return now;
    }
    for (const auto& [other, members] : members_of)
      if (other != host) add(now.receives, leader(other), held(other));
    return now;
  }
};

// Append the rounds of the collection to the rounds of the composite. of(index, number) returns a round of the collection.
template <class Of>
composite appended(const collector& all, int rounds, Of of) {
  composite result;
  result.members = all.parts.members;
  result.elements = all.parts.elements;
  result.rounds = all.parts.rounds + rounds;
  result.holder = all.root;
  result.of = [all, of](int index, int number) {
    return number < all.parts.rounds ? all.parts.of(index, number) : of(index, number - all.parts.rounds);
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
        throw usage_error(
            fmt::format("collection with at most {} messages into one rank: the number must be at least 1", options.limit));
      const auto tree = std::make_shared<const fan_in_tree>(fan_in_tree{plain, options.limit + 1});
      return appended(plain, tree->rounds(), [tree](int index, int level) { return tree->of(index, level); });
    }
    case collect_method::leaders: {
      if (options.host_of.size() != static_cast<std::size_t>(plain.parts.members))
        throw usage_error(
            fmt::format("collection by host leaders: hosts of {} of the {} ranks are known; pass the host of each rank",
                        options.host_of.size(), plain.parts.members));
      by_leaders hosts{plain, options.host_of, {}};
      for (int i = 0; i < plain.parts.members; ++i)
        hosts.members_of[options.host_of[static_cast<std::size_t>(i)]].push_back(i);
      const auto shared = std::make_shared<const by_leaders>(std::move(hosts));
      return appended(plain, 2, [shared](int index, int number) {
        return number == 0 ? shared->inside(index) : shared->between(index);
      });
    }
    default:
      return appended(plain, 1, [plain](int index, int) { return plain.gather(index); });
  }
}

}  // namespace osteon::plan
