#include <osteon/plan/composite/composite_method.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <common/suggest.hpp>
#include <osteon/base/error.hpp>
#include <osteon/plan/composite/generators.hpp>
#include <osteon/plan/composite/groups.hpp>
#include <osteon/plan/composite/overlap.hpp>
#include <osteon/plan/composite/swap.hpp>
#include <osteon/plan/visibility_order.hpp>

namespace osteon::plan {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> result(1);
  for (const char c : text)
    if (c == separator)
      result.emplace_back();
    else
      result.back() += c;
  return result;
}

class parser {
 public:
  parser(const std::string& text, composite_method& target) : text_(text), target_(target) {}

  void run() {
    const auto parts = split(text_, '+');
    parts_ = split(parts[0], ':');
    target_.by_index = method();
    if (at_ < parts_.size())
      throw usage_error(fmt::format("compositing method '{}': unknown parameter '{}'", text_, parts_[at_]));
    if (parts.size() > 2) throw usage_error(fmt::format("compositing method '{}': more than one collection method", text_));
    if (parts.size() == 2) collect(parts[1]);
  }

 private:
  bool next_is(std::string_view token) {
    if (at_ >= parts_.size() || parts_[at_] != token) return false;
    ++at_;
    return true;
  }

  int to_number(const std::string& token, int least) const {
    int value = 0;
    const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (fault != std::errc() || end != token.data() + token.size() || value < least)
      throw usage_error(fmt::format("compositing method '{}': '{}' must be an integer >= {}", text_, token, least));
    return value;
  }
  bool number_follows() const {
    return at_ < parts_.size() && !parts_[at_].empty() && parts_[at_].find_first_not_of("0123456789") == std::string::npos;
  }
  int number_or(int usual, int least) { return number_follows() ? to_number(parts_[at_++], least) : usual; }

  composite_maker method() {
    const std::string name = at_ < parts_.size() ? parts_[at_++] : "";
    if (name == "sequential") {
      if (next_is("chain")) return [](const composite_task& t) { return sequential_chain(t); };
      const int images = next_is("all") ? 0 : number_or(1, 1);
      return [images](const composite_task& t) { return sequential(t, images); };
    }
    if (name == "direct-send") {
      target_.uses_active = at_ < parts_.size() && parts_[at_] == "overlap";
      if (next_is("overlap")) return [](const composite_task& t) { return overlap_direct_send(t); };
      const int messages = next_is("scheduled") ? number_or(1, 1) : 0;
      return [messages](const composite_task& t) { return direct_send(t, messages); };
    }
    if (name == "slic") {
      target_.uses_active = true;
      return [](const composite_task& t) { return slic(t); };
    }
    if (name == "pipeline") return [](const composite_task& t) { return parallel_pipeline(t); };
    if (name == "tree") return [](const composite_task& t) { return binary_tree(t); };
    if (name == "binary-swap") return [](const composite_task& t) { return binary_swap(t); };
    if (name == "2-3-swap") return [](const composite_task& t) { return two_three_swap(t); };
    if (name == "2-3-4-swap") return [](const composite_task& t) { return two_three_four_swap(t); };
    if (name == "radix-k") return radix();
    if (name == "multi-step") return steps();
    if (name == "hybrid") {
      target_.ranks_per_host = number_or(0, 1);
      return [](const composite_task& t) { return hybrid(t); };
    }
    const std::vector<std::string> names{"sequential", "direct-send", "slic",       "pipeline", "tree",  "binary-swap",
                                         "2-3-swap",   "2-3-4-swap",  "multi-step", "radix-k",  "hybrid"};
    throw usage_error(fmt::format("compositing method '{}': unknown method '{}'{}; known are {}", text_, name,
                                  did_you_mean(name, names), fmt::join(names, ", ")));
  }

  composite_maker radix() {
    std::vector<int> factors{8};
    if (at_ < parts_.size() && parts_[at_].find_first_not_of("0123456789,") == std::string::npos) {
      factors.clear();
      for (const std::string& token : split(parts_[at_++], ',')) factors.push_back(to_number(token, 2));
    }
    return [factors](const composite_task& t) { return radix_k(t, factors); };
  }

  composite_maker steps() {
    if (!number_follows())
      throw usage_error(
          fmt::format("compositing method '{}': multi-step requires the size of its groups, as in multi-step:512", text_));
    const int group = number_or(1, 1);
    composite_maker inner = [](const composite_task& t) { return binary_swap(t); };
    composite_maker outer = [](const composite_task& t) { return binary_tree(t); };
    hand_over between = hand_over::at_leaders;
    if (at_ < parts_.size() && parts_[at_] != "spans") inner = method();
    if (next_is("spans")) between = hand_over::by_owners;
    if (at_ < parts_.size()) outer = method();
    return [=](const composite_task& t) { return multi_step(t, group, inner, outer, between); };
  }

  void collect(const std::string& text) {
    const auto tokens = split(text, ':');
    const std::vector<std::string> names{"gather", "fan-in", "leaders", "none"};
    const auto known = std::find(names.begin(), names.end(), tokens[0]);
    const bool takes_number = tokens[0] == "fan-in" || tokens[0] == "leaders";
    if (known == names.end() || tokens.size() > (takes_number ? 2u : 1u))
      throw usage_error(fmt::format("compositing method '{}': unknown collection '{}'{}; known are {}", text_, text,
                                    did_you_mean(tokens[0], names), fmt::join(names, ", ")));
    target_.collect.method = static_cast<collect_method>(known - names.begin());
    if (tokens.size() < 2) return;
    (tokens[0] == "fan-in" ? target_.collect.limit : target_.ranks_per_host) = to_number(tokens[1], 1);
  }

  const std::string& text_;
  composite_method& target_;
  std::vector<std::string> parts_;
  std::size_t at_ = 0;
};

}  // namespace

const std::vector<method_description>& known_methods() {
  static const std::vector<method_description> methods{
      {"sequential", "send whole images to the root, one after another"},
      {"sequential:chain", "blend whole images from both ends, neighbour by neighbour"},
      {"direct-send", "one stripe per rank; all ranks send all stripes to their owners in one round"},
      {"direct-send:scheduled", "as direct-send, one message at a time"},
      {"direct-send:overlap", "as direct-send, without empty pixels"},
      {"slic", "split spans where images overlap, with balanced owners and one message at a time"},
      {"pipeline", "pass stripes from both ends to their owners"},
      {"tree", "blend whole images in pairs"},
      {"binary-swap", "pairs of groups exchange halves"},
      {"2-3-swap", "groups of two or three if they save a round"},
      {"2-3-4-swap", "groups of two to four reduce the ranks to a power of two, then binary swap"},
      {"radix-k:8", "groups of eight exchange eighths"},
      {"multi-step:4", "binary swap inside groups of 4, then a tree of the group leaders"},
      {"multi-step:4:binary-swap:spans:tree", "as above, without an intermediate collection"},
      {"hybrid:4", "direct send inside hosts of 4 ranks, binary swap between hosts"},
  };
  return methods;
}

bool names_composite_method(const std::string& text) {
  const auto head = [](const std::string& name) { return name.substr(0, name.find_first_of(":+")); };
  const auto& all = known_methods();
  return std::any_of(all.begin(), all.end(), [&](const auto& known) { return head(known.name) == head(text); });
}

composite_method composite_method::parse(const std::string& text) {
  composite_method result;
  result.text = text;
  parser(text, result).run();
  return result;
}

plan composite_method::make(int ranks, std::int64_t elements, std::span<const int> order, int root) const {
  check_request(text, ranks, elements, order, root);
  const std::vector<int> index_of = indices_of_ranks(order);
  const auto by_index_of = [&](const auto& by_rank) {
    auto result = by_rank;
    for (std::size_t i = 0; i < order.size() && !by_rank.empty(); ++i)
      result[i] = by_rank[static_cast<std::size_t>(order[i])];
    return result;
  };
  std::vector<int> hosts = host_of;
  if (hosts.empty() && ranks_per_host > 0)
    for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank / ranks_per_host);
  for (const std::size_t count : {hosts.size(), active.size()})
    if (count != 0 && count != order.size())
      throw usage_error(fmt::format(
          "{}: hosts or active spans of {} ranks, but there are {} ranks; pass an entry for each rank", text, count, ranks));
  if (collect.method == collect_method::none) root = -1;
  const composite_task task{ranks, elements, root < 0 ? -1 : index_of[static_cast<std::size_t>(root)], by_index_of(hosts),
                            by_index_of(active)};
  collect_options options = collect;
  options.host_of = task.host_of;
  return in_order(text, collected(by_index(task), task.root, options), order);
}

}  // namespace osteon::plan
