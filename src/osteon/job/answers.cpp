#include <osteon/job/answers.hpp>

#include <algorithm>
#include <charconv>
#include <osteon/job/physics.hpp>
#include <set>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// Component z, y, x of what a load measures: along its direction if it has one, else along its axis.
std::string component_along(const json& load) {
  const std::string along = load.value("direction", load.value("axis", "z"));
  return std::to_string(std::string("zyx").find(along));
}

// Follows the parts of a key through a summary.
class answer_finder {
 public:
  answer_finder(const json& summary, std::vector<found_answer>& found) : summary_(summary), found_(found) {}

  void find(const answer& what) {
    what_ = &what;
    follow(summary_, what.key, "", what.title);
  }

 private:
  void follow(const json& at, const std::string& rest, const std::string& key, const std::string& title) {
    if (rest.empty()) {
      const bool is_nested = key.find('.') != std::string::npos;
      if (!at.is_null() || !is_nested) found_.push_back({what_, key, title, at});
      return;
    }
    const auto dot = rest.find('.');
    std::string part = rest.substr(0, dot);
    const std::string after = dot == std::string::npos ? "" : rest.substr(dot + 1);
    const auto enter = [&](const json& inner, const std::string& name, const std::string& words) {
      follow(inner, after, key.empty() ? name : key + "." + name, words);
    };
    if (part == "*") {
      if (at.is_object())
        for (const auto& [name, inner] : at.items()) enter(inner, name, title + " " + name);
      return;
    }
    if (part == "@" && summary_.contains("load")) part = component_along(summary_.at("load"));
    if (at.is_object()) {
      if (at.contains(part)) enter(at.at(part), part, title);
    } else if (at.is_array()) {
      std::size_t place = at.size();
      std::from_chars(part.data(), part.data() + part.size(), place);
      if (place < at.size()) enter(at[place], part, title);
    }
  }

  const json& summary_;
  std::vector<found_answer>& found_;
  const answer* what_ = nullptr;
};

json words_of_answer(const answer& what, const std::string& key, const std::string& title) {
  return {{"key", key}, {"title", title}, {"unit", what.unit}, {"meaning", what.meaning}};
}

}  // namespace

std::vector<found_answer> answers_in(const std::vector<answer>& all, const json& summary) {
  std::vector<found_answer> found;
  answer_finder finder(summary, found);
  for (const answer& a : all)
    if ((a.with.empty() || summary.contains(a.with)) && (a.unless.empty() || !summary.contains(a.unless))) finder.find(a);
  return found;
}

json describe_answers(const physics& what, const json& summary) {
  json list = json::array();
  std::set<std::string> keys;
  // Cases need not have the same answers; those of all are in the order of the physics.
  for (const answer& a : what.answers) {
    if (!a.in_report) continue;
    const auto add = [&](const json& tree) {
      for (const found_answer& f : answers_in({a}, tree))
        if (keys.insert(f.key).second) list.push_back(words_of_answer(a, f.key, f.title));
    };
    add(summary);
    if (summary.contains("cases"))
      for (const json& one : summary.at("cases")) add(one);
  }
  return list;
}

json describe_all_answers() {
  json all = json::object();
  for (const physics* p : all_physics()) {
    json list = json::array();
    for (const answer& a : p->answers) {
      json words = words_of_answer(a, a.key, a.title);
      words.update({{"in_table", a.in_table}, {"in_report", a.in_report}});
      list.push_back(std::move(words));
    }
    all[p->name] = {{"meaning", p->meaning}, {"answers", std::move(list)}};
  }
  return all;
}

}  // namespace osteon::job
