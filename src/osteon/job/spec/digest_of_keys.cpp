#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/spec/keys.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// What does not change the state of a solver.
constexpr std::string_view left_out[] = {
    "name", "output", "picture", "run", "io", "checkpoint", "pistoia", "max_iterations", "compare_connectivity"};

// Writes down the values of all keys, defaults included.
class key_writer {
 public:
  template <class T>
  void operator()(const char* key, const T& field, const char*, const std::vector<std::string>& = {}) {
    put(key, [&] { return value(field); });
  }
  template <class F>
  void table(const char* name, const char*, F describe_table) {
    put(name, [&] {
      key_writer inner;
      describe_table(inner);
      return inner.object_;
    });
  }
  template <class T, class F>
  void optional_table(const char* name, std::optional<T>& field, const char* doc, F describe_table) {
    if (field) table(name, doc, [&](key_writer& inner) { describe_table(inner, *field); });
  }
  template <class T, class F>
  void list(const char* name, std::vector<T>& field, const char*, F describe_item) {
    json items = json::array();
    for (T& item : field) {
      key_writer inner;
      describe_item(inner, item);
      items.push_back(inner.object_);
    }
    object_[name] = items;
  }
  const json& object() const { return object_; }

 private:
  template <class T>
  static json value(const T& field) {
    return field;
  }
  template <class T>
  static json value(const std::optional<T>& field) {
    return field ? json(*field) : json(nullptr);
  }
  template <class F>
  void put(const char* name, F make) {
    if (std::find(std::begin(left_out), std::end(left_out), name) == std::end(left_out)) object_[name] = make();
  }
  json object_ = json::object();
};

}  // namespace

std::string digest_of_keys(const spec& job) {
  spec copy = job;  // the description of the keys is made for readers, too
  key_writer writer;
  describe(writer, copy);
  const std::string text = writer.object().dump(-1, ' ', false, json::error_handler_t::replace);
  return sha256_of(std::as_bytes(std::span(text)));
}

}  // namespace osteon::job
