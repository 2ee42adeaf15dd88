#include <studies/compositing/frames/method_options.hpp>

#include <string_view>
#include <utility>

namespace osteon::studies {

method_options read_method(const std::string& name) {
  method_options options{name};
  for (bool more = true; more;) {
    more = false;
    for (const auto& [suffix, flag] :
         {std::pair<std::string_view, bool method_options::*>{"+sparse", &method_options::sparse},
          {"+parts", &method_options::in_parts},
          {"+none", &method_options::in_parts},
          {"+narrow", &method_options::narrow},
          {"+checked", &method_options::checked},
          {"+display", &method_options::display}})
      if (options.method.ends_with(suffix)) {
        options.method.resize(options.method.size() - suffix.size());
        options.*flag = more = true;
      }
  }
  return options;
}

}  // namespace osteon::studies
