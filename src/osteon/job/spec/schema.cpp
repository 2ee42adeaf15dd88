#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/job/spec/key_entry.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

template <class T>
struct type_of;
template <>
struct type_of<std::string> {
  static json schema() { return {{"type", "string"}}; }
};
template <>
struct type_of<choice_field> : type_of<std::string> {};
template <>
struct type_of<bool> {
  static json schema() { return {{"type", "boolean"}}; }
};
template <>
struct type_of<double> {
  static json schema() { return {{"type", "number"}}; }
};
template <>
struct type_of<std::int64_t> {
  static json schema() { return {{"type", "integer"}}; }
};
template <class T>
struct type_of<std::vector<T>> {
  static json schema() { return {{"type", "array"}, {"items", type_of<T>::schema()}}; }
};
template <class T>
struct type_of<std::optional<T>> {
  static json schema() { return type_of<T>::schema(); }
};

template <class T>
json shown_default(const T& value) {
  return value;
}
template <class T>
json shown_default(const std::optional<T>&) {
  return nullptr;
}
json shown_default(const choice_field& value) { return value.name(); }

class schema_writer final : public key_visitor {
 public:
  schema_writer() : object_({{"type", "object"}, {"additionalProperties", false}, {"properties", json::object()}}) {}

  void key(const key_entry& entry, const key_field& value) override {
    json described, usual;
    std::visit(
        [&](const auto* field) {
          described = type_of<std::remove_cvref_t<decltype(*field)>>::schema();
          usual = shown_default(*field);
        },
        value);
    described["description"] = entry.meaning;
    const key_options& o = entry.options;
    if (!o.choices.empty()) (described["type"] == "array" ? described["items"] : described)["enum"] = o.choices;
    add_limits(o.range, described["type"] == "array" ? described["items"] : described);
    if (o.is_one_for_three) described["type"] = {"array", "number"};
    if (*o.word) described["type"] = {"number", "string"};
    if (!usual.is_null() && usual != "" && !(usual.is_array() && usual.empty())) described["default"] = usual;
    object_["properties"][entry.name] = described;
  }
  void table(const key_table& table, void* owner) override {
    schema_writer inner;
    visit_keys(table, table.open(owner), inner);
    json described = inner.take();
    if (table.kind == key_table::kinds::list) described = {{"type", "array"}, {"items", std::move(described)}};
    described["description"] = table.meaning;
    object_["properties"][table.name] = std::move(described);
  }
  json take() { return std::move(object_); }

 private:
  static void add_limits(const key_range& range, json& number) {
    if (std::isfinite(range.low)) number[range.is_above ? "exclusiveMinimum" : "minimum"] = range.low;
    if (std::isfinite(range.high)) number[range.is_below ? "exclusiveMaximum" : "maximum"] = range.high;
  }
  json object_;
};

}  // namespace

std::string json_schema() {
  schema_writer writer;
  spec fresh;
  visit_keys(job_keys(), &fresh, writer);
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "osteon job"}, {"version", 1}};
  schema.update(writer.take());
  schema["required"] = {"image"};
  return json_to_text(schema, 2);
}

}  // namespace osteon::job
