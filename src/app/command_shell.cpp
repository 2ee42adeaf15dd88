#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/completion.hpp>
#include <app/manual_page.hpp>
#include <memory>
#include <osteon/job/system_info.hpp>

namespace osteon::app {

void add_completion(registry& commands) {
  const auto shell = std::make_shared<std::string>();
  command c = commands.add("completion", "Print the completion of this command line for a shell", [&commands, shell] {
    const command_entry all = commands.tree();
    fmt::print("{}", *shell == "bash" ? bash_completion(all) : *shell == "zsh" ? zsh_completion(all) : fish_completion(all));
    return 0;
  });
  c.add_option("shell", *shell, "The shell").required().one_of({std::string("bash"), "zsh", "fish"});
  c.footer(
      "Examples:\n  eval \"$(osteon completion bash)\"                 # in ~/.bashrc\n"
      "  osteon completion zsh >\"${fpath[1]}/_osteon\"\n"
      "  osteon completion fish >~/.config/fish/completions/osteon.fish");
}

void add_manual(registry& commands) {
  command c = commands.add("manual", "Print the manual page, for man(1)", [&commands] {
    fmt::print("{}", manual_page(commands.tree(), job::this_build().version));
    return 0;
  });
  c.footer("Example:\n  osteon manual | man -l -");
}

}  // namespace osteon::app
