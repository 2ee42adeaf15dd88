#pragma once
/// @file
/// The keys of a physics as it describes them itself: what keys.hpp does by templates, by one virtual function, so that the
/// readers of keys need not know the physics.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace osteon::job {

class key_visitor {
 public:
  /// Where the value of a key is. An optional one may be left out.
  using field = std::variant<std::string*, bool*, double*, std::int64_t*, std::vector<double>*, std::optional<std::string>*,
                             std::optional<double>*, std::optional<std::int64_t>*, std::optional<std::vector<double>>*>;
  virtual ~key_visitor() = default;
  /// @param meaning ends in a full stop @param choices that a text has; none: any
  virtual void operator()(const char* key, field value, const char* meaning, std::vector<std::string> choices = {}) = 0;
};

/// Hands a description of keys on to a visitor of keys.hpp.
template <class Visitor>
class key_forwarder final : public key_visitor {
 public:
  explicit key_forwarder(Visitor& to) : to_(to) {}
  void operator()(const char* key, field value, const char* meaning, std::vector<std::string> choices) override {
    std::visit([&](auto* at) { to_(key, *at, meaning, std::move(choices)); }, value);
  }

 private:
  Visitor& to_;
};

}  // namespace osteon::job
