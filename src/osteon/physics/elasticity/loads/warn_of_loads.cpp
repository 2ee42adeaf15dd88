#include <osteon/physics/elasticity/loads/check_loads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr double largest_strain = 0.2;

class load_warner {
 public:
  load_warner(const spec& job, std::vector<problem>& warnings)
      : job_(job), keys_(job.groups.of<mechanical_keys>()), warnings_(warnings) {}

  void of_job() {
    for (std::size_t n = 0; n < job_.materials.size(); ++n)
      ratio(job_.materials[n].poisson_ratio, fmt::format("material[{}].poisson_ratio", n + 1));
    if (job_.density_law) ratio(job_.density_law->poisson_ratio, "density_law.poisson_ratio");
    if (job_.modulus_image && !job_.poisson_image) ratio(job_.modulus_image->poisson_ratio, "modulus_image.poisson_ratio");
    of_load(job_load(job_), "load.");
    of_supports(keys_.supports, "");
    for (std::size_t n = 0; n < keys_.cases.size(); ++n) {
      of_load(keys_.cases[n].load, fmt::format("case[{}].", n + 1));
      of_supports(keys_.cases[n].supports, fmt::format("case[{}].", n + 1));
    }
    const double critical = keys_.pistoia.critical_strain, volume = keys_.pistoia.critical_volume;
    doubt(critical > 0.05, "pistoia.critical_strain", [&] {
      return fmt::format("{:g} corresponds to {:g} %; Pistoia's value is 0.007 (0.7 %)", critical, 100 * critical);
    });
    doubt(volume > 0.3, "pistoia.critical_volume", [&] {
      return fmt::format("{:g} corresponds to {:g} % of the solid; Pistoia's value is 0.02 (2 %)", volume, 100 * volume);
    });
  }

  // Warn of large displacements relative to the size of the image [mm].
  void of_size(const vector3& size) {
    const double longest = std::max({size.z, size.y, size.x});
    const auto of_displacement = [&](double move, double length, const std::string& where) {
      strain(move / length, where, fmt::format("{:g} mm over {:.4g} mm is", move, length));
    };
    const auto move_of_load = [&](const mechanical_load& l, const std::string& at) {
      if (!l.displacement_mm) return;
      const int a = static_cast<int>(*l.axis);
      of_displacement(*l.displacement_mm, size[a], at + "displacement_mm");
    };
    const auto moves_of_supports = [&](const std::vector<support_spec>& supports, const std::string& prefix) {
      for (std::size_t n = 0; n < supports.size(); ++n) {
        const std::optional<double> moves[] = {supports[n].move_z_mm, supports[n].move_y_mm, supports[n].move_x_mm};
        for (std::size_t a = 0; a < 3; ++a)
          if (moves[a])
            of_displacement(*moves[a], longest, fmt::format("{}support[{}].move_{}_mm", prefix, n + 1, "zyx"[a]));
      }
    };
    move_of_load(job_load(job_), "load.");
    moves_of_supports(keys_.supports, "");
    for (std::size_t n = 0; n < keys_.cases.size(); ++n) {
      move_of_load(keys_.cases[n].load, fmt::format("case[{}].", n + 1));
      moves_of_supports(keys_.cases[n].supports, fmt::format("case[{}].", n + 1));
    }
  }

 private:
  template <class Text>
  void doubt(bool holds, const std::string& where, Text text) {
    if (holds) warnings_.push_back({where, text()});
  }

  // @param as subject of the message; empty: the value of the key
  void strain(double value, const std::string& where, const std::string& as) {
    const double e = std::abs(value);
    doubt(e > largest_strain, where, [&] {
      return fmt::format("{} a strain of {:g} %; linear elasticity is valid for strains of a few percent at most{}",
                         as.empty() ? fmt::format("{:g} is", value) : as, 100 * e,
                         as.empty() ? fmt::format("; strain is a fraction: {:g} % is {:g}", value, value / 100) : "");
    });
  }

  void ratio(std::optional<double> given, const std::string& where) {
    if (!given) return;
    const double nu = *given;
    doubt(nu < 0, where, [&] { return fmt::format("{:g} is unusual; a typical value for bone is 0.3", nu); });
    doubt(locks_at(nu), where, [&] { return locking_at(nu); });
  }

  void of_load(const mechanical_load& l, const std::string& at) {
    if (l.strain) strain(*l.strain, at + "strain", "");
    angle(l.angle_deg, at + "angle_deg");
    if (!l.gravity_m_per_s2) return;
    double g = 0;
    for (const double a : *l.gravity_m_per_s2) g = std::hypot(g, a);
    doubt(g > 1000, at + "gravity_m_per_s2", [&] {
      return fmt::format("{:g} m/s2 is {:.0f} times the gravity of the earth, which is 9.81 m/s2", g, g / 9.81);
    });
  }

  void of_supports(const std::vector<support_spec>& supports, const std::string& prefix) {
    for (std::size_t n = 0; n < supports.size(); ++n)
      if (const auto& turn = supports[n].rotate_deg)
        for (const double a : *turn) angle(a, fmt::format("{}support[{}].rotate_deg", prefix, n + 1));
  }

  void angle(const std::optional<double>& degrees, const std::string& where) {
    doubt(std::abs(degrees.value_or(0)) > 15, where, [&] {
      return fmt::format(
          "{:g} degrees is large: displacements are linear in the angle, a valid assumption only up to a few degrees",
          *degrees);
    });
  }

  const spec& job_;
  const mechanical_keys& keys_;
  std::vector<problem>& warnings_;
};

}  // namespace

void warn_of_loads(const spec& job, const vector3* size_mm, std::vector<problem>& warnings) {
  load_warner all(job, warnings);
  if (size_mm)
    all.of_size(*size_mm);
  else
    all.of_job();
}

}  // namespace osteon::physics
