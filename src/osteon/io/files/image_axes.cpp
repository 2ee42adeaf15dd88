#include <osteon/io/files/image_axes.hpp>

#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>

namespace osteon::io {

std::optional<image_axes> axes_in(const std::string& provenance_json) {
  const auto provenance = json_from_text<nlohmann::json>(provenance_json);
  if (!provenance.is_object() || !provenance.contains("image") || !provenance["image"].is_object()) return {};
  const nlohmann::json& image = provenance["image"];
  if (!image.contains("direction") || !image["direction"].is_array()) return {};
  image_axes axes{};
  std::size_t count = 0;
  for (const nlohmann::json& item : image["direction"].flatten()) {
    if (count == axes.size() || !item.is_number()) return {};
    axes[count++] = item.get<double>();
  }
  return count == axes.size() ? std::optional(axes) : std::nullopt;
}

bool is_left_handed(const std::optional<image_axes>& axes) {
  if (!axes) return false;
  const image_axes& a = *axes;
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]) < 0;
}

}  // namespace osteon::io
