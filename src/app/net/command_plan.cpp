#include <fmt/format.h>

#include <algorithm>
#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/figures/drawings.hpp>
#include <app/job/image_size.hpp>
#include <app/net/net_input.hpp>
#include <app/process/json_output.hpp>
#include <cmath>
#include <memory>
#include <numeric>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/plan/composite/overlap.hpp>
#include <osteon/plan/exchange/exchange_method.hpp>
#include <osteon/plan/plan.hpp>
#include <osteon/plan/verify.hpp>
#include <random>

namespace osteon::app {

namespace {

struct plan_options {
  std::vector<std::string> methods;  ///< compositing methods or exchanges; empty: all compositing methods
  int ranks = 8, bytes_per_pixel = 4, ranks_per_host = 0;
  std::string bytes = "1024", pixels = "512x512", order = "identity", root = "0", json, picture = "plan.svg";
  double active = 1;  ///< fraction of the image in the box that each rank has rendered
};

std::vector<int> parse_order(const std::string& text, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  if (text == "identity") return order;
  if (text == "reverse") {
    std::reverse(order.begin(), order.end());
  } else if (text == "shuffle" || text.starts_with("shuffle:")) {
    const auto seed = text == "shuffle" ? 1 : parse_number(std::string_view(text).substr(8), "--order");
    std::mt19937 random(static_cast<unsigned>(seed));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  } else {
    order.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      order.push_back(parse_number(std::string_view(text).substr(begin, end - begin), "--order"));
      begin = end + 1;
    }
  }
  return order;
}

// Return a box with the fraction `share` of the image for each rank. The positions of the boxes follow the golden ratio.
std::vector<std::vector<plan::span>> boxes(int ranks, const image_size& image, double share) {
  std::vector<std::vector<plan::span>> result;
  const double edge = image.height == 1 ? 1 : std::sqrt(share);
  const int width = std::max(1, static_cast<int>(static_cast<double>(image.width) * share / edge));
  const int height = std::max(1, static_cast<int>(static_cast<double>(image.height) * edge));
  for (int rank = 0; rank < ranks; ++rank) {
    const double x = std::fmod(0.5 + rank * 0.7548776662, 1.0), y = std::fmod(0.5 + rank * 0.5698402910, 1.0);
    const int left = static_cast<int>(x * static_cast<double>(image.width - width));
    const int top = static_cast<int>(y * static_cast<double>(image.height - height));
    result.push_back(plan::spans_of_box(left, top, left + width, top + height, static_cast<int>(image.width)));
  }
  return result;
}

struct prepared {
  plan::plan generated;
  plan::goal goal;
};

prepared prepare_exchange(const std::string& text, const plan_options& options) {
  prepared result;
  if (text.ends_with(".txt"))
    result.generated = plan::parse_messages(read_text(text), text);
  else
    result.generated = plan::make_exchange(text, {.ranks = options.ranks, .bytes = parse_bytes(options.bytes, "--bytes")});
  result.goal = plan::goal_of_exchange(result.generated);
  return result;
}

prepared prepare(const std::string& text, const plan_options& options) {
  if (!plan::names_composite_method(text)) return prepare_exchange(text, options);
  const image_size image = parse_image_size(options.pixels);
  const std::vector<int> order = parse_order(options.order, options.ranks);
  const int root = options.root == "none" ? -1 : parse_number(options.root, "--root");
  auto method = plan::composite_method::parse(text);
  if (method.ranks_per_host == 0) method.ranks_per_host = options.ranks_per_host;
  prepared result;
  if (options.active < 1 && image.pixels() > 0)
    result.goal.active = method.active = boxes(options.ranks, image, options.active);
  result.generated = method.make(options.ranks, image.pixels(), order, root);
  result.generated.element_bytes = options.bytes_per_pixel;
  result.goal.order = order;
  result.goal.root = method.collect.method == plan::collect_method::none ? -1 : root;
  return result;
}

struct table_row {
  std::string method;
  std::int64_t element_bytes;
  plan::plan_summary counted;
  std::vector<problem> faults;
};

std::string megabytes(std::int64_t elements, std::int64_t bytes) {
  return fmt::format("{:.3f}", static_cast<double>(elements * bytes) / (1 << 20));
}

void print_table(const std::vector<table_row>& rows) {
  std::size_t width = 6;
  for (const table_row& r : rows) width = std::max(width, r.method.size());
  fmt::print("{:{}}  {:>6} {:>8} {:>8} {:>10} {:>10} {:>10}  {}\n", "", width, "", "", "most in", "most sent", "sent",
             "staged", "");
  fmt::print("{:{}}  {:>6} {:>8} {:>8} {:>10} {:>10} {:>10}  {}\n", "method", width, "rounds", "messages", "a round", "MiB",
             "MiB", "MiB", "verified");
  for (const table_row& r : rows)
    fmt::print("{:{}}  {:>6} {:>8} {:>8} {:>10} {:>10} {:>10}  {}\n", r.method, width, r.counted.rounds, r.counted.messages,
               r.counted.most_messages_in, megabytes(r.counted.most_sent, r.element_bytes),
               megabytes(r.counted.sent_elements, r.element_bytes), megabytes(r.counted.most_staged, r.element_bytes),
               r.faults.empty() ? "yes" : "NO: " + r.faults[0].text);
}

nlohmann::ordered_json to_json(const table_row& r) {
  const std::int64_t bytes = r.element_bytes;
  nlohmann::ordered_json row = {{"method", r.method},
                                {"rounds", r.counted.rounds},
                                {"messages", r.counted.messages},
                                {"pieces", r.counted.pieces},
                                {"most_messages_into_a_rank_in_a_round", r.counted.most_messages_in},
                                {"sent_bytes", r.counted.sent_elements * bytes},
                                {"most_sent_bytes", r.counted.most_sent * bytes},
                                {"most_received_bytes", r.counted.most_received * bytes},
                                {"staged_bytes", r.counted.most_staged * bytes},
                                {"verified", r.faults.empty()},
                                {"problems", nlohmann::ordered_json::array()}};
  for (const problem& p : r.faults) row["problems"].push_back({{"where", p.where}, {"text", p.text}});
  return row;
}

// Generate, count and verify plans. @return exit code, 3 if a plan is not valid
int plan_table(const plan_options& options) {
  std::vector<std::string> methods = options.methods;
  if (methods.empty())
    for (const auto& known : plan::known_methods()) methods.push_back(known.name);
  std::vector<table_row> rows;
  for (const std::string& method : methods) {
    const prepared p = prepare(method, options);
    rows.push_back({method, p.generated.element_bytes, plan::summarise(p.generated), plan::verify(p.generated, p.goal)});
  }
  nlohmann::ordered_json answer = {{"schema", "osteon.plan/1"}, {"ranks", options.ranks},
                                   {"pixels", options.pixels},  {"bytes_per_pixel", options.bytes_per_pixel},
                                   {"order", options.order},    {"root", options.root},
                                   {"active", options.active},  {"plans", nlohmann::ordered_json::array()}};
  for (const table_row& r : rows) answer["plans"].push_back(to_json(r));
  write_json(options.json, answer);
  if (options.json != "-") print_table(rows);
  const bool sound = std::all_of(rows.begin(), rows.end(), [](const table_row& r) { return r.faults.empty(); });
  return sound ? 0 : exit_code(error_kind::data);
}

// Draw one plan as SVG.
int plan_drawing(const plan_options& options) {
  const std::string& target = options.picture;
  const prepared p = prepare(options.methods.at(0), options);
  const std::string svg = draw_plan(p.generated, p.goal.order);
  if (target == "-") {
    fmt::print("{}", svg);
    return 0;
  }
  job::write_file(target, svg);
  fmt::print("{}\n", target);
  return 0;
}

}  // namespace

void add_plan(registry& commands) {
  const auto o = std::make_shared<plan_options>();
  const std::string methods =
      "Compositing methods, such as binary-swap or radix-k:8,4 (docs/research/compositing.md); exchanges, such as ring, "
      "bruck or "
      "prefix; .txt files of messages (docs/reference/network.md)";
  const auto add_options = [&](command c) {
    c.add_option("-n,--ranks", o->ranks, "Number of ranks (default: 8)").positive();
    c.add_option("--pixels", o->pixels, "Image size: WIDTHxHEIGHT or a number of pixels").show_default();
    c.add_option("--order", o->order,
                 "Depth order of the ranks: identity, reverse, shuffle, shuffle:SEED, or a list such as 2,0,1")
        .show_default();
    c.add_option("--root", o->root, "Rank that receives the picture; none: parts are not collected").show_default();
    c.add_option("--ranks-per-host", o->ranks_per_host, "Consecutive ranks per host, for hybrid and +leaders").positive();
    c.add_option("--bytes", o->bytes, "Size of a parcel, object or face of an exchange").show_default();
    c.add_option("--active", o->active, "Fraction of the image that each rank has rendered, as a box").between(1e-6, 1.0);
  };
  command table = commands.add("plan", "Show, verify and count communication plans", [o] { return plan_table(*o); });
  table.add_option("method", o->methods, methods);
  add_options(table);
  table.add_option("--bytes-per-pixel", o->bytes_per_pixel, "4 for RGBA8, 16 for RGBA32F").positive().show_default();
  add_json(table, o->json);
  table.footer(
      "Shows all compositing methods unless a method is given.\n\nExamples:\n  osteon plan -n 100 --order shuffle\n  osteon "
      "plan binary-swap multi-step:512 -n 2048 --pixels 1920x1080\n  osteon plan bruck hierarchical:8 -n 64 --bytes 64\n  "
      "osteon plan draw radix-k:4 -n 8 -o plan.svg");
  command draw = commands.add_below(table, "draw", "Draw a plan as SVG: ranks as rows, rounds as columns",
                                    [o] { return plan_drawing(*o); });
  draw.add_option("method", o->methods, methods).required().expected(1);
  add_options(draw);
  draw.add_option("-o,--output", o->picture, "Picture to write; - for standard output").show_default();
  draw.footer("Examples:\n  osteon plan draw binary-swap -n 6 -o plan.svg\n  osteon plan draw bruck -n 8 -o bruck.svg");
  add_plan_job(commands, table);
  table.allow_one_below();
}

}  // namespace osteon::app
