#include <nlohmann/json.hpp>
#include <osteon/job/spec/keys.hpp>

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

class schema_writer {
 public:
  schema_writer() : object_({{"type", "object"}, {"additionalProperties", false}, {"properties", json::object()}}) {}

  template <class T>
  void operator()(const char* key, T& field, const char* doc, std::vector<std::string> choices = {}) {
    json entry = type_of<T>::schema();
    entry["description"] = doc;
    if (!choices.empty()) (entry["type"] == "array" ? entry["items"] : entry)["enum"] = choices;
    if (std::string_view(key) == "spacing_mm") entry["type"] = {"array", "number"};
    if (std::string_view(key) == "threshold") entry["type"] = {"number", "string"};
    const json value = shown_default(field);
    if (!value.is_null() && value != "" && !(value.is_array() && value.empty())) entry["default"] = value;
    object_["properties"][key] = entry;
  }
  template <class F>
  void table(const char* name, const char* doc, F describe_table) {
    schema_writer inner;
    describe_table(inner);
    add(name, doc, inner.object_);
  }
  template <class T, class F>
  void optional_table(const char* name, std::optional<T>&, const char* doc, F describe_table) {
    schema_writer inner;
    T fresh{};
    describe_table(inner, fresh);
    add(name, doc, inner.object_);
  }
  template <class T, class F>
  void list(const char* name, std::vector<T>&, const char* doc, F describe_item) {
    schema_writer inner;
    T fresh{};
    describe_item(inner, fresh);
    add(name, doc, {{"type", "array"}, {"items", inner.object_}});
  }
  json take() { return std::move(object_); }

 private:
  void add(const char* name, const char* doc, json entry) {
    entry["description"] = doc;
    object_["properties"][name] = std::move(entry);
  }
  json object_;
};

}  // namespace

std::string json_schema() {
  schema_writer writer;
  spec fresh;
  describe(writer, fresh);
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "osteon job"}, {"version", 1}};
  schema.update(writer.take());
  schema["required"] = {"image"};
  return schema.dump(2);
}

}  // namespace osteon::job
