#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <string>
#include <type_traits>

namespace osteon::job {

namespace {

template <std::size_t... Types>
key_field field_at(std::size_t type, void* at, std::index_sequence<Types...>) {
  static constexpr std::array makers{
      +[](void* where) { return key_field(static_cast<std::variant_alternative_t<Types, key_field>>(where)); }...};
  return makers.at(type)(at);
}

// The position after all entries with the same place or a lower place.
template <class List>
auto position_of(List& list, int place) {
  return std::find_if(list.begin(), list.end(), [&](const auto& other) { return other.place > place; });
}

// Format numbers as 1000000 instead of 1e+06.
std::string shown(double value) {
  constexpr double largest_whole = 1e15;
  if (std::abs(value) < largest_whole && value == std::floor(value))
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

}  // namespace

key_field key_entry::in(void* holder) const {
  return field_at(type, static_cast<std::byte*>(holder) + offset,
                  std::make_index_sequence<std::variant_size_v<key_field>>());
}

bool key_entry::is_given(const key_field& value) const {
  const key_field usual = in(defaults);
  return std::visit(
      [&](const auto* field) {
        using type = std::remove_cvref_t<decltype(*field)>;
        const type& other = *std::get<type*>(usual);
        if constexpr (std::is_same_v<type, choice_field>)
          return !field->is_as(other);
        else
          return !(*field == other);
      },
      value);
}

std::string key_range::limits() const {
  const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
  if (!has_low && !has_high) return {};
  const std::string text =
      has_low && has_high ? fmt::format("in {}{}, {}{}", is_above ? '(' : '[', shown(low), shown(high), is_below ? ')' : ']')
      : has_low           ? fmt::format("{} {}", is_above ? ">" : ">=", shown(low))
                          : fmt::format("{} {}", is_below ? "<" : "<=", shown(high));
  return text + (*unit ? " " : "") + unit + remark;
}

std::string key_range::fault_of(double value) const { return fmt::format("{} must be {}", shown(value), limits()); }

void key_table::accept(const key_tests& tests, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) accepted_.emplace_back(path, tests);
}

const key_scope* key_table::find_scope(const std::string& path) const {
  const auto dot = path.find('.');
  for (const key_table& t : tables_)
    if (t.name == path.substr(0, dot)) return dot == std::string::npos ? &t.scope : t.find_scope(path.substr(dot + 1));
  for (const key_part& part : parts_)
    for (const key_entry& entry : part.keys)
      if (entry.name == path) return &entry.scope;
  return nullptr;
}

std::vector<std::string> key_table::close_scopes() {
  std::vector<std::string> unknown;
  for (const auto& [path, tests] : accepted_)
    if (const key_scope* scope = find_scope(path))
      const_cast<key_scope*>(scope)->push_back(tests);  // the scope belongs to this table, which is not const

    else
      unknown.push_back(path);
  return unknown;
}

bool key_table::has_table(const std::string& of_name) const {
  return std::any_of(tables_.begin(), tables_.end(), [&](const key_table& t) { return t.name == of_name; });
}

key_table& key_table::add(std::string of_name, std::string of_meaning, kinds of_kind, int at_place, key_use of_use,
                          std::function<void*(void*)> open_element, std::function<std::size_t(void*)> count_elements,
                          std::function<void*(void*, std::size_t)> element_at) {
  for (key_table& t : tables_)
    if (t.name == of_name) return t;
  key_table made;
  made.name = std::move(of_name);
  made.meaning = std::move(of_meaning);
  made.kind = of_kind;
  made.place = at_place;
  made.use = of_use;
  made.open = std::move(open_element);
  made.count = std::move(count_elements);
  made.at = std::move(element_at);
  return *tables_.insert(position_of(tables_, at_place), std::move(made));
}

key_part& key_table::part(std::function<void*(void*)> open_part, int at_place) {
  return *parts_.insert(position_of(parts_, at_place), key_part{std::move(open_part), at_place});
}

void visit_keys(const key_table& table, void* element, key_visitor& visitor) {
  for (const key_part& part : table.parts()) {
    void* holder = part.open(element);
    for (const key_entry& entry : part.keys) visitor.key(entry, entry.in(holder));
  }
  for (const key_table& inner : table.tables()) visitor.table(inner, element);
}

const key_table& job_keys() {
  static const key_table all = [] {
    key_table job;
    register_core_keys(job);
    for (const physics_entry* p : all_physics())
      if (p->keys) p->keys(job);
    job.close_scopes();
    return job;
  }();
  return all;
}

}  // namespace osteon::job
