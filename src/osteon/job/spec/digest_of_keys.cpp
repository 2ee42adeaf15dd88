#include <nlohmann/json.hpp>
#include <osteon/base/digest.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/spec/digest_of_keys.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <span>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// Collects the values of the keys in a digest. The values include defaults.
class key_writer final : public key_visitor {
 public:
  explicit key_writer(key_digest digest) : digest_(digest) {}
  void key(const key_entry& entry, const key_field& value) override {
    if (is_in(entry.use, digest_)) std::visit([&](const auto* field) { object_[entry.name] = value_of(*field); }, value);
  }
  void table(const key_table& table, void* owner) override {
    json items = json::array();
    const std::size_t count = table.count(owner);
    for (std::size_t n = 0; n < count; ++n) {
      key_writer inner(digest_);
      visit_keys(table, table.at(owner, n), inner);
      items.push_back(inner.object_);
    }
    if (table.kind == key_table::kinds::list)
      object_[table.name] = items;
    else if (count > 0 && !items.front().empty())
      object_[table.name] = items.front();
  }
  const json& object() const { return object_; }

 private:
  template <class T>
  static json value_of(const T& field) {
    return field;
  }
  static json value_of(const choice_field& field) { return field.has_value() ? json(field.name()) : json(nullptr); }
  template <class T>
  static json value_of(const std::optional<T>& field) {
    return field ? json(*field) : json(nullptr);
  }
  key_digest digest_;
  json object_ = json::object();
};

std::string digest_of(const json& keys) {
  const std::string text = json_to_text(keys);
  return sha256_of(std::as_bytes(std::span(text)));
}

}  // namespace

json values_of_keys(const spec& job, key_digest digest) {
  spec copy = job;  // visitors may set values
  key_writer writer(digest);
  visit_keys(job_keys(), &copy, writer);
  return writer.object();
}

std::string digest_of_keys(const spec& job) { return digest_of(values_of_keys(job, key_digest::state)); }

std::string digest_of_result_keys(const spec& job) { return digest_of(values_of_keys(job, key_digest::results)); }

}  // namespace osteon::job
