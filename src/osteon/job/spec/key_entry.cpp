#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>

namespace osteon::job {

namespace {

template <std::size_t... Types>
key_field field_at(std::size_t type, void* at, std::index_sequence<Types...>) {
  static constexpr std::array makers{
      +[](void* where) { return key_field(static_cast<std::variant_alternative_t<Types, key_field>>(where)); }...};
  return makers.at(type)(at);
}

// The position of an entry that comes after all of a lower or the same place.
template <class List>
auto position_of(List& list, int place) {
  return std::find_if(list.begin(), list.end(), [&](const auto& other) { return other.place > place; });
}

// 1000000 rather than 1e+06.
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

std::string key_range::fault_of(double value) const {
  const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
  const std::string limits =
      has_low && has_high ? fmt::format("in {}{}, {}{}", is_above ? '(' : '[', shown(low), shown(high), is_below ? ')' : ']')
      : has_low           ? fmt::format("{} {}", is_above ? ">" : ">=", shown(low))
                          : fmt::format("{} {}", is_below ? "<" : "<=", shown(high));
  return fmt::format("{} must be {}{}{}{}", shown(value), limits, *unit ? " " : "", unit, remark);
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
    return job;
  }();
  return all;
}

}  // namespace osteon::job
