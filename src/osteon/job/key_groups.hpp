#pragma once
/// @file
/// Keys of modules other than the core of a job. Each group of keys is a struct.
#include <any>
#include <map>
#include <typeindex>
#include <utility>

namespace osteon::job {

/// Structs of keys, which are selected by type: `job.groups.of<flow_keys>().viscosity_Pa_s`. A copy of this object contains
/// copies of the structs.
class key_groups {
 public:
  /// Return keys that can be modified. The first call constructs the keys with default values.
  template <class Keys>
  Keys& of() {
    std::any& kept = held_[typeid(Keys)];
    if (!kept.has_value()) kept.emplace<Keys>();
    return *std::any_cast<Keys>(&kept);
  }
  /// Return the keys. If the job does not have the table, the keys have default values.
  template <class Keys>
  const Keys& of() const {
    static const Keys defaults{};
    const auto kept = held_.find(typeid(Keys));
    return kept == held_.end() ? defaults : *std::any_cast<Keys>(&kept->second);
  }
  /// Return true if the job has the table of the keys.
  template <class Keys>
  bool has() const {
    return held_.contains(typeid(Keys));
  }

 private:
  std::map<std::type_index, std::any> held_;
};

}  // namespace osteon::job
