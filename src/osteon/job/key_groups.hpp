#pragma once
/// @file
/// The keys that modules beside the core of a job have, each in a struct of its own.
#include <any>
#include <map>
#include <typeindex>
#include <utility>

namespace osteon::job {

/// Structs of keys, found by their type: `job.groups.of<flow_keys>().viscosity_Pa_s`. A copy of the groups is a deep one.
class key_groups {
 public:
  /// Keys to be changed, with their defaults the first time.
  template <class Keys>
  Keys& of() {
    std::any& kept = held_[typeid(Keys)];
    if (!kept.has_value()) kept.emplace<Keys>();
    return *std::any_cast<Keys>(&kept);
  }
  /// Defaults if the job does not have them.
  template <class Keys>
  const Keys& of() const {
    static const Keys defaults{};
    const auto kept = held_.find(typeid(Keys));
    return kept == held_.end() ? defaults : *std::any_cast<Keys>(&kept->second);
  }
  /// Whether the job has their table.
  template <class Keys>
  bool has() const {
    return held_.contains(typeid(Keys));
  }

 private:
  std::map<std::type_index, std::any> held_;
};

}  // namespace osteon::job
