#include <algorithm>
#include <osteon/net/costs/compositing_model.hpp>
#include <osteon/render/compositing/choose_compositor.hpp>
#include <studies/compositing/frames/method_options.hpp>
#include <studies/compositing/model/composite_model.hpp>

namespace osteon::studies {

namespace {

double by_equations(const net::compositing_machine& machine, int ranks, int group, double bytes) {
  return net::multi_step_time(machine, ranks, group, bytes).frames_per_second();
}

}  // namespace

std::vector<composite_prediction> predict(const std::string& way, const composite_case& scene, int ranks,
                                          const net::compositing_machine& here) {
  const method_options options = read_method(way);
  const std::string& method = options.method;
  if (options.sparse || options.in_parts || method == "auto" || method == "fragments" || ranks < 2) return {};
  if (method == "binary-swap:rectangles") return {};  // no generator creates plans with this name
  const std::int64_t pixels = std::int64_t{scene.width} * scene.height;
  const auto pixel = static_cast<double>(scene.format.bytes());
  const double bytes = pixel * static_cast<double>(pixels);
  // This term is the message with the whole picture on the machine. The equations do not include a display node.
  if (options.display) {
    const auto frame = predict(way.substr(0, way.find("+display")), scene, ranks, here);
    if (frame.empty() || frame.back().machine != here.name) return {};
    return {{here.name, {}, 1 / (1 / frame.back().extended + here.collect_latency + bytes / here.collect_rate)}};
  }
  if (method == "shared") return {{here.name, {}, 1 / render::shared_memory_time(here, ranks, bytes)}};
  if (method.starts_with("shared:")) {
    const int together = std::min(ranks, std::stoi(method.substr(7))), hosts = (ranks + together - 1) / together;
    double seconds = render::shared_memory_time(here, together, bytes);
    if (hosts > 1) seconds += render::messages_time(here, "binary-swap", hosts, pixels / together, pixel);
    return {{here.name, {}, 1 / seconds}};
  }
  const std::optional<int> group = net::group_in_equations(method, ranks);
  if (!group && ranks > render::most_ranks_to_walk) return {};
  std::vector<composite_prediction> all;
  for (const auto& [machine, fitted] :
       {std::pair{net::blue_gene_l(), net::measured_blue_gene_l()}, std::pair{net::ha8000(), net::measured_ha8000()}}) {
    if (group)
      all.push_back({machine.name, by_equations(machine, ranks, *group, bytes), by_equations(fitted, ranks, *group, bytes)});
    else
      all.push_back({machine.name, {}, 1 / render::messages_time(fitted, method, ranks, pixels, pixel)});
  }
  composite_prediction of_this{here.name, {}, 1 / render::messages_time(here, method, ranks, pixels, pixel)};
  if (group) of_this.printed = by_equations(here, ranks, *group, bytes);
  all.push_back(of_this);
  return all;
}

}  // namespace osteon::studies
