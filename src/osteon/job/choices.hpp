#pragma once
/// @file
/// Values of closed sets. Job files contain the names of the values. The reader converts `law = "cone"` to
/// `yield_law::cone`. The namespace of an enumeration has a function `choice_names`. This function returns the names of the
/// values 0, 1 ...
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <osteon/base/box.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osteon {

/// A text as a template argument.
template <std::size_t Size>
struct choice_text {
  char text[Size];
  consteval choice_text(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }
};

/// Names of the values of an enumeration. `choice_names` returns these names. The address of the array identifies an
/// enumeration in check_keys.cpp. Enumerations with equal names have the same array. A table must therefore not contain two
/// enumerations with equal names.
template <choice_text... Names>
std::span<const char* const> choices() {
  static constexpr const char* names[] = {Names.text...};
  return names;
}

inline auto choice_names(axis) { return choices<"z", "y", "x">(); }

}  // namespace osteon

namespace osteon::job {

/// A value of an enumeration, or no value. The visitors of keys receive this type.
class choice_field {
 public:
  std::span<const char* const> names() const { return names_; }
  bool has_value() const { return index_ >= 0; }
  /// Name of the value. If there is no value, the name is empty.
  std::string name() const { return has_value() ? names_[static_cast<std::size_t>(index_)] : ""; }
  std::int32_t index() const { return index_; }
  bool is_as(const choice_field& other) const { return index_ == other.index_; }
  /// @return false if no value of the enumeration has this name
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
  choice(E value) : choice_field(choice_names(E{}), static_cast<std::int32_t>(value)) {}
  operator E() const { return static_cast<E>(index_); }
};

/// An optional value of an enumeration.
template <class E>
class optional_choice final : public choice_field {
 public:
  optional_choice() : choice_field(choice_names(E{}), -1) {}
  optional_choice(E value) : choice_field(choice_names(E{}), static_cast<std::int32_t>(value)) {}
  explicit operator bool() const { return has_value(); }
  E operator*() const { return static_cast<E>(index_); }
  E value_or(E other) const { return has_value() ? static_cast<E>(index_) : other; }
  bool operator==(E value) const { return index_ == static_cast<std::int32_t>(value); }
};

/// The name of a value.
template <class E>
  requires requires(E value) { choice_names(value); }
std::string name_of(E value) {
  return choice_names(value)[static_cast<std::size_t>(value)];
}

template <class... E>
std::vector<std::string> names_of(E... values) {
  return {name_of(values)...};
}

/// The value with a name. If no value has this name, the result is empty.
template <class E>
std::optional<E> value_named(std::string_view name) {
  optional_choice<E> found;
  return found.set(name) ? std::optional<E>(*found) : std::nullopt;
}

}  // namespace osteon::job
