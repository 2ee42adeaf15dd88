#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/process/launcher.hpp>
#include <app/process/python.hpp>
#include <cstdlib>
#include <memory>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

namespace {

struct studio_options {
  std::string target;
  int port = 0;
  bool opens_browser = true;
  std::string allow_host;
};

// The Python server replaces this process, so that signals of the terminal reach the server directly.
int run_studio(const studio_options& o) {
  std::vector<std::string> arguments = job::python_command({"-m", "osteon.studio", fmt::format("--port={}", o.port)});
  if (!o.opens_browser) arguments.emplace_back("--no-browser");
  if (!o.allow_host.empty()) arguments.push_back("--allow-host=" + o.allow_host);
  if (!o.target.empty()) arguments.insert(arguments.end(), {"--", o.target});
  setenv("OSTEON_BINARY", own_path().c_str(), 1);  // program for checks and runs
  exec_python(arguments);
}

}  // namespace

void add_studio(registry& commands) {
  const auto o = std::make_shared<studio_options>();
  command c = commands.add("studio", "Edit, run and view a job in the browser", [o] { return run_studio(*o); });
  c.add_option("target", o->target, "Scan, job file or folder of results (default: list of those in the working directory)");
  c.add_option("--port", o->port, "Port on the loopback interface; 0 selects a free port").between(0, 65535).show_default();
  c.add_flag("!--no-browser", o->opens_browser, "Print the address without opening a browser");
  c.add_option("--allow-host", o->allow_host, "Also accept requests to this host name, for proxies such as Jupyter's");
  c.footer(
      "The page is reachable only from this machine at the printed address. Over ssh use the printed -L "
      "line.\n\nExamples:\n  osteon studio scan.nrrd\n  osteon studio femur.toml --no-browser --port 8765");
}

}  // namespace osteon::app
