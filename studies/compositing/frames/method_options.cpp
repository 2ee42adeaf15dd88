#include <studies/compositing/frames/way_words.hpp>

#include <string_view>
#include <utility>

namespace osteon::studies {

way_words read_way(const std::string& name) {
  way_words words{name};
  for (bool more = true; more;) {
    more = false;
    for (const auto& [suffix, flag] : {std::pair<std::string_view, bool way_words::*>{"+sparse", &way_words::sparse},
                                       {"+parts", &way_words::in_parts},
                                       {"+none", &way_words::in_parts},
                                       {"+narrow", &way_words::narrow},
                                       {"+checked", &way_words::checked},
                                       {"+display", &way_words::display}})
      if (words.method.ends_with(suffix)) {
        words.method.resize(words.method.size() - suffix.size());
        words.*flag = more = true;
      }
  }
  return words;
}

}  // namespace osteon::studies
