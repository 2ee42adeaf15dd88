#include <fmt/format.h>

#include <app/common_options.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <memory>
#include <osteon/base/error.hpp>
#include <studies/hyper_crossbar/commands.hpp>
#include <studies/hyper_crossbar/crossbar_broadcast.hpp>
#include <studies/hyper_crossbar/predict.hpp>

namespace osteon::studies {

namespace {

struct net_broadcast_options {
  std::string network, bytes = "4KiB", json;
  int root = -1, other = 0;
};

int net_broadcast(const net_broadcast_options& o) {
  const net::network where = app::find_network(o.network);
  const std::int64_t bytes = app::parse_bytes(o.bytes, "--bytes");
  const int root = o.root < 0 ? where.pus - 1 : o.root;
  const opened_links open = open_links(where, root), second = open_links(where, o.other);
  const plan::plan tree = plan::broadcast_tree(where.pus, root, bytes);
  const double by_tree = exchange_seconds(where, tree, tree.rounds);
  const auto waiting = o.other == root ? std::vector<int>() : links_to_wait_for(open, second);
  nlohmann::ordered_json answer = {{"schema", "osteon.net.broadcast/1"},
                                   {"network", where.name},
                                   {"root", root},
                                   {"bytes", bytes},
                                   {"links", open.links.size()},
                                   {"most_copies", open.most_copies},
                                   {"one_step_s", nullptr},
                                   {"tree_rounds", tree.rounds},
                                   {"tree_s", by_tree},
                                   {"other_root", o.other},
                                   {"wait_for_each_other", nlohmann::ordered_json::array()}};
  if (open.tree) answer["one_step_s"] = broadcast_seconds(where, root, bytes);
  if (!waiting.empty()) answer["wait_for_each_other"] = {where.link_name(waiting[0]), where.link_name(waiting[1])};
  app::write_json(o.json, answer);
  if (o.json == "-") return 0;
  fmt::print("{} bytes from {} to all others of {}\n", bytes, where.vertex_name(root), where.name);
  if (open.tree)
    fmt::print("one step, crossbars open:  {:>10.2f} us   {} links, each once; a switch copies to up to {} outputs\n",
               1e6 * broadcast_seconds(where, root, bytes), open.links.size(), open.most_copies);
  else
    fmt::print(
        "one step: not possible, because routes from this PU meet again, so that a link would transfer a message twice\n");
  fmt::print("binomial tree of messages: {:>10.2f} us   {} rounds\n", 1e6 * by_tree, tree.rounds);
  if (!waiting.empty())
    fmt::print("deadlock is possible with a simultaneous broadcast from {}, if each holds one of these links:\n  {}\n  {}\n",
               where.vertex_name(o.other), where.link_name(waiting[0]), where.link_name(waiting[1]));
  return 0;
}

}  // namespace

void add_net_broadcast(app::registry& commands) {
  const auto o = std::make_shared<net_broadcast_options>();
  app::command c = commands.add("net", "broadcast", "Compare a one-step broadcast by crossbars with a tree",
                                [o] { return net_broadcast(*o); });
  app::add_network(c, o->network);
  c.add_option("--bytes", o->bytes, "Size of the object").show_default();
  c.add_option("--root", o->root, "PU with the object (default: the last one)");
  c.add_option("--other", o->other, "Check for a deadlock with a simultaneous broadcast from this PU").show_default();
  app::add_json(c, o->json);
  c.footer(
      "Switches copy a message to all outputs on its routes; from one PU only, because two broadcasts can wait for each\n"
      "other forever.\n\nExamples:\n  osteon net broadcast --network hxb:8x8x16 --bytes 4KiB\n"
      "  osteon net broadcast --network hxb:4x4x4 --root 63 --other 5");
}

}  // namespace osteon::studies
