#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/spec/digest_of_keys.hpp>
#include <osteon/job/spec/keys.hpp>
#include <span>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// What does not change the state of a solver.
constexpr std::string_view not_of_a_state[] = {
    "name",       "output", "picture", "run", "io", "checkpoint", "pistoia", "max_iterations", "compare_connectivity",
    "uncertainty"};
// What does not change results: how they are computed, and where they go.
constexpr std::string_view not_of_results[] = {"output", "run", "io", "checkpoint"};

// Writes down the values of all keys, defaults included, but those that are left out.
class key_writer {
 public:
  explicit key_writer(std::span<const std::string_view> left_out) : left_out_(left_out) {}
  template <class T>
  void operator()(const char* key, const T& field, const char*, const std::vector<std::string>& = {}) {
    put(key, [&] { return value(field); });
  }
  template <class F>
  void table(const char* name, const char*, F describe_table) {
    put(name, [&] {
      key_writer inner(left_out_);
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
      key_writer inner(left_out_);
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
    if (std::find(left_out_.begin(), left_out_.end(), name) == left_out_.end()) object_[name] = make();
  }
  std::span<const std::string_view> left_out_;
  json object_ = json::object();
};

json keys_of(const spec& job, std::span<const std::string_view> left_out) {
  spec copy = job;  // the description of the keys is made for readers, too
  key_writer writer(left_out);
  describe(writer, copy);
  return writer.object();
}

std::string digest_of(const json& keys) {
  const std::string text = keys.dump(-1, ' ', false, json::error_handler_t::replace);
  return sha256_of(std::as_bytes(std::span(text)));
}

}  // namespace

std::string digest_of_keys(const spec& job) { return digest_of(keys_of(job, not_of_a_state)); }

std::string digest_of_result_keys(const spec& job) {
  json keys = keys_of(job, not_of_results);
  keys["output_fields"] = job.output_fields ? json(*job.output_fields) : json(nullptr);
  keys["morphometry"] = job.measures_shape;
  keys["stored"] = {job.io.compression, job.io.compression_level.value_or(-1), job.io.significant_digits};
  return digest_of(keys);
}

}  // namespace osteon::job
