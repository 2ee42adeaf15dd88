#pragma once
/// @file
/// Keys of modules other than the core of a job, each group in its own struct.
#include <any>
#include <map>
#include <typeindex>
#include <utility>

namespace osteon::job {

/// Structs of keys, indexed by type: `job.groups.of<flow_keys>().viscosity_Pa_s`. Copies are deep.
class key_groups {
 public:
  /// Return modifiable keys. The first call constructs the default keys.
  template <class Keys>
  Keys& of() {
    std::any& kept = held_[typeid(Keys)];
    if (!kept.has_value()) kept.emplace<Keys>();
    return *std::any_cast<Keys>(&kept);
  }
  /// Return the keys, or default keys if the job does not have the table.
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
