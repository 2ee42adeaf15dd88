#pragma once
/// @file
/// Values of closed sets, which job files give by name: `law = "cone"` is `yield_law::cone` from the reader on.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace osteon::job {

/// The names of an enumeration whose values are 0, 1 ...: specialise with `static constexpr const char* names[]`.
template <class E>
struct choices;

/// A value of an enumeration, or none, as the visitors of keys see it.
class choice_field {
 public:
  std::span<const char* const> names() const { return names_; }
  bool has_value() const { return index_ >= 0; }
  /// Empty: none.
  std::string name() const { return has_value() ? names_[static_cast<std::size_t>(index_)] : ""; }
  /// @return false: there is no value of this name
  bool set(std::string_view name) {
    for (std::size_t n = 0; n < names_.size(); ++n)
      if (name == names_[n]) {
        index_ = static_cast<std::int32_t>(n);
        return true;
      }
    return false;
  }

 protected:
  choice_field(std::span<const char* const> names, std::int32_t index) : names_(names), index_(index) {}
  std::span<const char* const> names_;
  std::int32_t index_;
};

/// A value of an enumeration.
template <class E>
class choice final : public choice_field {
 public:
  choice(E value) : choice_field(choices<E>::names, static_cast<std::int32_t>(value)) {}
  operator E() const { return static_cast<E>(index_); }
};

/// The same, which may be left out.
template <class E>
class optional_choice final : public choice_field {
 public:
  optional_choice() : choice_field(choices<E>::names, -1) {}
  explicit operator bool() const { return has_value(); }
  E operator*() const { return static_cast<E>(index_); }
  E value_or(E other) const { return has_value() ? static_cast<E>(index_) : other; }
  bool operator==(E value) const { return index_ == static_cast<std::int32_t>(value); }
};

/// The name of a value.
template <class E>
  requires requires { choices<E>::names; }
std::string name_of(E value) {
  return choices<E>::names[static_cast<std::size_t>(value)];
}

}  // namespace osteon::job
