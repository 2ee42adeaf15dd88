#pragma once
/// @file
/// The keys of a job file as data. The core and each physics register their keys as entries. The reader, the JSON Schema,
/// the checks of ranges and the digests visit these entries. All visitors therefore use the same definition of a key.
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <osteon/job/choices.hpp>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace osteon::job {

/// Address of the value of a key. Optional values may be omitted.
using key_field = std::variant<std::string*, choice_field*, bool*, double*, std::int64_t*, std::vector<double>*,
                               std::vector<std::int64_t>*, std::vector<std::string>*, std::vector<std::vector<double>>*,
                               std::vector<std::vector<std::int64_t>>*, std::optional<std::string>*, std::optional<double>*,
                               std::optional<std::int64_t>*, std::optional<std::vector<double>>*,
                               std::optional<std::vector<std::string>>*>;

/// Results that depend on the value of a key. The use of a key determines which digests contain the key.
enum class key_use : unsigned {
  run = 0,      ///< only the execution of the job, and the paths of its files
  files = 1,    ///< files that are made from the solution, such as pictures and further solutions
  answers = 3,  ///< the solution, and therefore also the files
  model = 7,    ///< the model of the image, and therefore also the solution and the files
  stored = 5,   ///< how the model and the files are stored, but not the solution
};
/// Digests of finished results, of the state of a solver, and of a model.
enum class key_digest : unsigned { results = 1, state = 2, model = 4 };

inline bool is_in(key_use use, key_digest digest) {
  return (static_cast<unsigned>(use) & static_cast<unsigned>(digest)) != 0;
}

/// Limits of a number, or of each number of a list.
struct key_range {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool is_above = false, is_below = false;  ///< true if the limit low (high) is excluded
  const char* unit = "";                    ///< unit of the value, or name of the counted items
  const char* remark = "";                  ///< end of the fault message after the limits: `, e.g. 1e-6`

  bool contains(double value) const {
    return (is_above ? value > low : value >= low) && (is_below ? value < high : value <= high);
  }
  /// Text such as `0 must be in (0, 1), e.g. 1e-6`
  std::string fault_of(double value) const;
  /// Text such as `in (0, 1)`. Without limits, the text is empty.
  std::string limits() const;
};
inline key_range positive(const char* unit, const char* remark = "") {
  return {.low = 0, .is_above = true, .unit = unit, .remark = remark};
}
inline key_range at_least(double low, const char* unit, const char* remark = "") {
  return {.low = low, .unit = unit, .remark = remark};
}
inline key_range from_to(double low, double high, const char* unit = "", const char* remark = "") {
  return {.low = low, .high = high, .unit = unit, .remark = remark};
}
/// Range without its limits.
inline key_range between(double low, double high, const char* unit = "", const char* remark = "") {
  return {.low = low, .high = high, .is_above = true, .is_below = true, .unit = unit, .remark = remark};
}

/// Values of a choice in the same table for which a key is accepted: `only(set_select::disk, set_select::brush)`.
struct key_kinds {
  /// names of the values of the choice; the choice must be registered before the key
  std::span<const char* const> names;
  std::uint64_t accepted = 0, in_need_of = 0;  ///< sets of values as bits

  /// Values for which the key is required. Without arguments, these are all values that accept the key.
  template <class... E>
  key_kinds needed_by(E... values) const {
    key_kinds changed = *this;
    changed.in_need_of = ((std::uint64_t{1} << static_cast<unsigned>(values)) | ...);
    return changed;
  }
  key_kinds needed() const {
    key_kinds changed = *this;
    changed.in_need_of = accepted;
    return changed;
  }
};
template <class E, class... More>
key_kinds only(E value, More... more) {
  return {choice_names(value),
          ((std::uint64_t{1} << static_cast<unsigned>(value)) | ... | (std::uint64_t{1} << static_cast<unsigned>(more)))};
}

/// Tests of a physics that accept or ignore a key.
struct key_tests {
  std::string physics;
  std::vector<std::string> tests;
  std::string remark{};  ///< condition under which a job has this test; messages append this text to the name of the physics
  bool is_read = true;   ///< false: the test ignores the key
};
/// All tests that accept a key. Empty: all jobs accept the key.
using key_scope = std::vector<key_tests>;

/// Properties of a key. Most keys have the default properties.
struct key_options {
  /// permitted values of a text, or of each text in a list; empty: any value, or the values of an enumeration
  std::vector<std::string> choices{};
  key_range range{};
  std::optional<key_use> use{};   ///< absent: the use of the table
  const char* word = "";          ///< a text that is accepted instead of a number
  bool is_one_for_three = false;  ///< true: a number is converted to a list of three equal numbers
  bool is_vector = false;         ///< true: the value is a list of three numbers in the order z, y, x
  /// Permitted values for the physics of a job. Null: all values are permitted.
  std::vector<std::string> (*own_choices)(const spec& job) = nullptr;
  std::vector<key_kinds> kinds{};  ///< choices; each of these choices must accept the key
  /// name of a bool in the same table, which is registered before the key; if the job uses the key, the bool must be
  /// true
  const char* with = "";
  const char* remedy = "";  ///< remedy in the fault message if the test or a choice does not accept the key
};

/// One key.
struct key_entry {
  std::string name, meaning;  ///< name and meaning; the name contains the unit, and the meaning ends in a full stop
  key_options options;
  key_use use = key_use::answers;
  std::size_t type = 0;       ///< type of the value, as an index of key_field
  std::ptrdiff_t offset = 0;  ///< offset of the value in the struct
  void* defaults = nullptr;   ///< a struct with the default values
  key_scope scope{};

  /// @param holder struct that contains the value
  key_field in(void* holder) const;
  /// Return true if a value differs from the default.
  bool is_given(const key_field& value) const;
};

/// Keys of a table that are members of one struct.
struct key_part {
  std::function<void*(void* element)> open;  ///< returns the struct that belongs to an element of the table
  int place = 0;
  std::list<key_entry> keys{};
};

/// Registers the keys of a struct, for example `keys("end_s", &transient_spec::end_s, "Time at the end in s.")`.
template <class Keys>
class key_list {
 public:
  key_list(key_part& part, key_use use) : part_(&part), use_(use) {}

  template <class T>
  key_list& operator()(std::string name, T Keys::* at, std::string meaning, key_options options = {}) {
    static Keys sample{};
    key_entry entry{std::move(name), std::move(meaning), std::move(options)};
    entry.use = entry.options.use.value_or(use_);
    entry.type = key_field(&(sample.*at)).index();
    if constexpr (std::is_base_of_v<choice_field, T>)
      entry.options.choices.assign((sample.*at).names().begin(), (sample.*at).names().end());
    entry.offset = reinterpret_cast<const std::byte*>(&(sample.*at)) - reinterpret_cast<const std::byte*>(&sample);
    entry.defaults = &sample;
    part_->keys.push_back(std::move(entry));
    return *this;
  }

 private:
  key_part* part_;
  key_use use_;
};

/// A table of keys, an optional table, or a list of tables. The owner of a table is the struct of the enclosing table. An
/// element stores the values of one table in the file.
class key_table {
 public:
  enum class kinds { one, optional, list };
  std::string name, meaning;
  kinds kind = kinds::one;
  int place = 0;  ///< position in the schema and the reference, in ascending order
  key_use use = key_use::answers;
  /// for a list: returns a new element; otherwise: returns the element
  std::function<void*(void* owner)> open;
  std::function<std::size_t(void* owner)> count;             ///< number of existing elements
  std::function<void*(void* owner, std::size_t number)> at;  ///< returns an existing element
  key_scope scope{};
  std::function<bool(void* owner)>
      is_given{};  ///< returns true if the job has the table; null: true for a table with elements, false for the kind one
  std::function<std::string(const spec& job, void* element)>
      test{};  ///< returns the test of an element; null: the test of the job is used

  /// Add a nested table. A second registration returns the table of the first registration.
  /// @param at member of the owner's struct, or a function of the owner
  key_table& table(std::string of_name, std::string of_meaning, int at_place = last_place,
                   key_use of_use = key_use::answers) {
    return add(
        std::move(of_name), std::move(of_meaning), kinds::one, at_place, of_use, [](void* owner) { return owner; },
        [](void*) { return std::size_t{1}; }, [](void* owner, std::size_t) { return owner; });
  }
  template <class Owner, class At>
  key_table& optional_table(std::string of_name, std::string of_meaning, At at_owner, int at_place = last_place,
                            key_use of_use = key_use::answers) {
    const auto field = [at_owner](void* owner) -> auto& { return std::invoke(at_owner, *static_cast<Owner*>(owner)); };
    return add(
        std::move(of_name), std::move(of_meaning), kinds::optional, at_place, of_use,
        [field](void* owner) -> void* { return &field(owner).emplace(); },
        [field](void* owner) { return field(owner) ? std::size_t{1} : std::size_t{0}; },
        [field](void* owner, std::size_t) -> void* { return &*field(owner); });
  }
  template <class Owner, class At>
  key_table& list(std::string of_name, std::string of_meaning, At at_owner, int at_place = last_place,
                  key_use of_use = key_use::answers) {
    const auto field = [at_owner](void* owner) -> auto& { return std::invoke(at_owner, *static_cast<Owner*>(owner)); };
    return add(
        std::move(of_name), std::move(of_meaning), kinds::list, at_place, of_use,
        [field](void* owner) -> void* { return &field(owner).emplace_back(); },
        [field](void* owner) { return field(owner).size(); },
        [field](void* owner, std::size_t number) -> void* { return &field(owner)[number]; });
  }

  /// Add keys of a struct that is a part of the element. @param at member of the element, or a function of the element
  template <class Keys, class Element, class At>
  key_list<Keys> keys_in(At at_element, int at_place = 0) {
    return {part([at_element](void* element) -> void* { return &std::invoke(at_element, *static_cast<Element*>(element)); },
                 at_place),
            use};
  }
  /// Add keys that are members of the element.
  template <class Keys>
  key_list<Keys> keys() {
    return {part([](void* element) { return element; }, 0), use};
  }
  /// Add keys of a group of the job to a table of the job.
  template <class Keys>
  key_list<Keys> keys_in_group(int at_place = 0) {
    is_given = [](void* job) { return static_cast<spec*>(job)->groups.template has<Keys>(); };
    return {part([](void* job) -> void* { return &static_cast<spec*>(job)->groups.template of<Keys>(); }, at_place), use};
  }

  /// Declare that tests of a physics accept keys and tables, for example `load.strain` or `boundary`. All other tests and
  /// physics then reject these keys. The function ignores keys that no physics has registered. Call this function of the
  /// table that represents the job.
  void accept(const key_tests& tests, const std::vector<std::string>& paths);
  /// Store the declarations in the keys and tables. @return paths that are neither keys nor tables
  std::vector<std::string> close_scopes();

  /// Tests that accept a key or a table. If no key or table has this path, the result is null.
  const key_scope* find_scope(const std::string& path) const;

  bool has_table(const std::string& of_name) const;
  const std::list<key_part>& parts() const { return parts_; }
  const std::list<key_table>& tables() const { return tables_; }
  static constexpr int last_place = 1000;

 private:
  key_table& add(std::string of_name, std::string of_meaning, kinds of_kind, int at_place, key_use of_use,
                 std::function<void*(void*)> open_element, std::function<std::size_t(void*)> count_elements,
                 std::function<void*(void*, std::size_t)> element_at);
  key_part& part(std::function<void*(void*)> open_part, int at_place);

  std::list<key_part> parts_;
  std::list<key_table> tables_;
  std::vector<std::pair<std::string, key_tests>> accepted_;
};

/// Visitor of the keys and tables of a job.
class key_visitor {
 public:
  virtual ~key_visitor() = default;
  virtual void key(const key_entry& entry, const key_field& value) = 0;
  /// @param owner struct that contains the elements of the table; the visitor calls visit_keys() for the elements
  virtual void table(const key_table& table, void* owner) = 0;
};

/// Visit the keys of an element of a table, and then its nested tables.
void visit_keys(const key_table& table, void* element, key_visitor& visitor);

/// All keys. These keys are the keys of the core, and the keys that each physics of all_physics() has registered. The
/// element of this table is the job.
const key_table& job_keys();

/// Return true if the tests of a job accept a key or a table, for example `load.strain`.
bool accepts_key(const spec& job, const std::string& path);

/// Check single keys. Report values outside of their limits, keys that the physics, the test or a choice of the job does not
/// accept, and missing keys.
void check_keys(const spec& job, std::vector<problem>& problems);

/// Warnings about keys with explicit default values that the job does not use.
/// @param is_present function that returns true if the job file contains a key, for example `case[1].strain`
std::vector<problem> unused_defaults(const spec& job, const std::function<bool(const std::string& path)>& is_present);

/// Keys of the core.
void register_core_keys(key_table& job);

}  // namespace osteon::job
