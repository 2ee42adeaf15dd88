#include <app/common_options.hpp>
#include <memory>
#include <studies/commands.hpp>
#include <studies/compositing/commands.hpp>
#include <studies/hyper_crossbar/commands.hpp>

namespace osteon::studies {

void add_net_paper(app::registry& commands) {
  struct options {
    std::string name = "hypercrossbar", json, plot;
    int ranks = 1024;
  };
  const auto o = std::make_shared<options>();
  app::command paper = commands.add("net", "paper", "Compare tables of papers with the models", [o] {
    if (o->name == "messages") return print_messages_of_methods(o->json, o->plot, o->ranks);
    return o->name == "compositing" ? print_frames_of_paper(o->json) : print_tables_of_paper(o->json, o->plot);
  });
  paper
      .add_option("name", o->name,
                  "hypercrossbar: Tables 2 to 6, Figure 2 and Table a on IS and FT; compositing: frames per second; "
                  "messages: number per rank by compositing method")
      .one_of({"hypercrossbar", "compositing", "messages"})
      .show_default();
  paper.add_option("--plot", o->plot,
                   "hypercrossbar: write Figure 2, the speed-ups, as SVG to this file; messages: the counts over ranks");
  paper.add_option("-n,--ranks", o->ranks, "messages: largest number of ranks").between(2, 1 << 16).show_default();
  app::add_json(paper, o->json);
  paper.footer(
      "Examples:\n  osteon net paper hypercrossbar --plot figure2.svg\n  osteon net paper compositing\n  osteon net paper "
      "messages --plot "
      "messages.svg");
}

}  // namespace osteon::studies
