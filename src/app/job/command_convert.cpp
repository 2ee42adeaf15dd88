#include <fmt/format.h>
#include <mpi.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/terminal.hpp>
#include <common/printable.hpp>
#include <memory>
#include <osteon/physics/elasticity/adapters/convert.hpp>

namespace osteon::app {

namespace {

int convert(const std::string& from, const std::string& to, const job::reader_options& options, const std::string& json) {
  terminal_sink log(is_interactive());
  const mpi_of_process mpi(MPI_THREAD_FUNNELED);
  int code = 0;
  try {
    const auto files = physics::convert(MPI_COMM_SELF, from, to, options, log);
    write_json(json, {{"schema", "osteon.convert/1"}, {"files", files}});
    if (json != "-")
      for (const std::string& file : files) fmt::print("{}\n", file);
  } catch (const error& e) {
    print_message(fmt::format("osteon: {}\n", e.what()));
    code = exit_code(e.kind());
  }
  return code;
}

}  // namespace

void add_convert(registry& commands) {
  struct options {
    std::string from, to, json;
    job::reader_options script;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("convert", "Convert VOX-FE scripts and FAIM models to model files and back",
                           [o] { return convert(o->from, o->to, o->script, o->json); });
  c.add_option("in", o->from, "VOX-FE script, .n88model, or model file").required();
  c.add_option("out", o->to, "Model file or script to write; other files of a script are written to its folder").required();
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer("Examples:\n  osteon convert script.txt model.nc\n  osteon convert model.nc text/script.txt");
}

}  // namespace osteon::app
