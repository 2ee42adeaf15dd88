#include <osteon/physics/flow/probes/probe_places.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

vector3 as_vector(const std::vector<double>& zyx) { return {zyx.at(0), zyx.at(1), zyx.at(2)}; }

class prober {
 public:
  prober(const spec& job, const local_model& part, const voxel::run_set& fluid, bool has_temperature)
      : job_(job), part_(part), fluid_(fluid), has_temperature_(has_temperature) {}

  probe_places run() {
    comm::collectively(part_.where.comm, [&] {
      for (std::size_t n = 0; n < job_.groups.of<probe_keys>().probes.size(); ++n) {
        result_.first.push_back(result_.places.size());
        add(n);
      }
      result_.first.push_back(result_.places.size());
    });
    // Contributing voxels of each place. The voxels are those of a mean, or the voxel that contains the point.
    comm::all_reduce(part_.where.comm, found_.data(), found_.size(), MPI_SUM);
    result_.voxels.assign(job_.groups.of<probe_keys>().probes.size(), 0);
    for (std::size_t n = 0; n < job_.groups.of<probe_keys>().probes.size(); ++n) {
      const std::size_t first = result_.first[n], end = result_.first[n + 1];
      if (is_mean(job_.groups.of<probe_keys>().probes[n])) {
        result_.voxels[n] = found_[first];
        for (probe_place::part& p : result_.places[first].parts) p.weight = 1 / static_cast<double>(found_[first]);
      }
      if (std::all_of(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.begin() + static_cast<std::ptrdiff_t>(end),
                      [](std::int64_t voxels) { return voxels == 0; }))
        in_solid_.push_back(n);
    }
    report_solid();
    if (!faults_.empty()) comm::collectively(part_.where.comm, [&] { throw data_error(faults_); });
    return std::move(result_);
  }

 private:
  void fault(const std::string& text) { faults_ += (faults_.empty() ? "" : "\n") + text; }

  // Convert a position to units of voxels, measured from the low corner of the image.
  vector3 voxels_of(const vector3& mm) const {
    const vector3 o = part_.header.origin_mm, h = part_.header.spacing_mm;
    return {(mm.z - o.z) / h.z, (mm.y - o.y) / h.y, (mm.x - o.x) / h.x};
  }

  void add(std::size_t n) {
    const probe_spec& p = job_.groups.of<probe_keys>().probes[n];
    if (p.at_mm) {
      add_point(n, as_vector(*p.at_mm));
    } else if (p.from_mm) {
      const vector3 from = as_vector(*p.from_mm), to = as_vector(*p.to_mm);
      for (std::int64_t k = 0; k < p.points; ++k) {
        const double t = static_cast<double>(k) / static_cast<double>(p.points - 1);
        add_point(n, {from.z + t * (to.z - from.z), from.y + t * (to.y - from.y), from.x + t * (to.x - from.x)});
      }
    } else {
      add_mean(p);
    }
  }

  void add_point(std::size_t n, const vector3& mm) {
    const vector3 point = voxels_of(mm);
    const index3 domain = part_.where.domain;
    constexpr double nearly = 1e-9;
    bool is_outside = false;
    for (int a = 0; a < 3; ++a)
      is_outside = is_outside || point[a] < -nearly || point[a] > static_cast<double>(domain[a]) + nearly;
    probe_place& place = result_.places.emplace_back();
    std::int64_t& found = found_.emplace_back(0);
    if (is_outside) {
      found = 1;  // the fault has another cause than solid voxels
      const vector3 o = part_.header.origin_mm, h = part_.header.spacing_mm;
      if (outside_.empty() || outside_.back() != n)
        fault(
            fmt::format("probe[{}] '{}': position [{:g}, {:g}, {:g}] mm is outside the image, from [{:g}, {:g}, {:g}] to "
                        "[{:g}, {:g}, {:g}] mm (z, y, x)",
                        n + 1, job_.groups.of<probe_keys>().probes[n].name, mm.z, mm.y, mm.x, o.z, o.y, o.x,
                        o.z + static_cast<double>(domain.z) * h.z, o.y + static_cast<double>(domain.y) * h.y,
                        o.x + static_cast<double>(domain.x) * h.x));
      outside_.push_back(n);
      return;
    }
    index3 inside, low;
    double part[3];
    for (int a = 0; a < 3; ++a) {
      inside[a] = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(point[a])), 0, domain[a] - 1);
      const double between = std::clamp(point[a] - 0.5, 0.0, static_cast<double>(domain[a] - 1));
      low[a] = static_cast<std::int64_t>(between);
      part[a] = between - static_cast<double>(low[a]);
    }
    const auto numbers = [&](const index3& voxel) {
      const box3& own = part_.where.owned;
      probe_place::part p;
      for (int a = 0; a < 3; ++a)
        if (voxel[a] < own.begin[a] || voxel[a] >= own.end[a]) return p;
      p.fluid = fluid_.find(voxel.z - own.begin.z, voxel.y - own.begin.y, voxel.x - own.begin.x);
      p.active = part_.cells.find(voxel.z - own.begin.z, voxel.y - own.begin.y, voxel.x - own.begin.x);
      return p;
    };
    const probe_place::part own = numbers(inside);
    found = (takes_solid(n) ? own.active : own.fluid) >= 0 ? 1 : 0;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      index3 voxel = low;
      for (int a = 0; a < 3; ++a) {
        const bool second = (corner >> a & 1) != 0;
        weight *= second ? part[a] : 1 - part[a];
        if (second) ++voxel[a];
      }
      if (weight == 0) continue;
      probe_place::part p = numbers(voxel);
      p.weight = weight;
      if (p.active >= 0) place.parts.push_back(p);
    }
  }

  void add_mean(const probe_spec& p) {
    const vector3 h = part_.header.spacing_mm, o = part_.header.origin_mm;
    const bool is_ball = p.centre_mm.has_value();
    const vector3 low = as_vector(is_ball ? *p.centre_mm : *p.low_mm), high = as_vector(is_ball ? *p.centre_mm : *p.high_mm);
    const double radius = p.radius_mm.value_or(0);
    probe_place& place = result_.places.emplace_back();
    for (const voxel::run& r : fluid_.runs())
      for (std::int32_t k = 0; k < r.length; ++k) {
        const index3 voxel = part_.where.owned.begin + index3{r.z, r.y, r.x + k};
        double square = 0;
        bool is_in = true;
        for (int a = 0; a < 3; ++a) {
          const double centre = o[a] + (static_cast<double>(voxel[a]) + 0.5) * h[a];
          square += (centre - low[a]) * (centre - low[a]);
          is_in = is_in && (is_ball || (centre >= low[a] && centre <= high[a]));
        }
        if (!is_in || (is_ball && square > radius * radius)) continue;
        place.parts.push_back({r.first + k, part_.cells.find(r.z, r.y, r.x + k), 0});
      }
    found_.push_back(static_cast<std::int64_t>(place.parts.size()));
  }

  // Return true if a point of the probe may be in the solid. The solid has a temperature, but no velocity.
  bool takes_solid(std::size_t n) const {
    const probe_spec& p = job_.groups.of<probe_keys>().probes[n];
    return has_temperature_ && p.fields && *p.fields == std::vector<std::string>{"temperature"};
  }

  // Report the nearest fluid voxel for each probe in the solid.
  void report_solid() {
    if (in_solid_.empty()) return;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const vector3 h = part_.header.spacing_mm, o = part_.header.origin_mm;
    const index3 domain = part_.where.domain;
    std::vector<double> squares(in_solid_.size(), std::numeric_limits<double>::infinity());
    std::vector<std::int64_t> nearest(in_solid_.size(), none);
    for (std::size_t k = 0; k < in_solid_.size(); ++k) {
      const vector3 point = voxels_of(middle_of(job_.groups.of<probe_keys>().probes[in_solid_[k]]));
      for (const voxel::run& r : fluid_.runs()) {
        const index3 begin = part_.where.owned.begin + index3{r.z, r.y, r.x};
        const std::int64_t x =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(point.x)), begin.x, begin.x + r.length - 1);
        const index3 voxel{begin.z, begin.y, x};
        double square = 0;
        for (int a = 0; a < 3; ++a) {
          const double away = (static_cast<double>(voxel[a]) + 0.5 - point[a]) * h[a];
          square += away * away;
        }
        if (square >= squares[k]) continue;
        squares[k] = square;
        nearest[k] = (voxel.z * domain.y + voxel.y) * domain.x + voxel.x;
      }
    }
    std::vector<double> least = squares;
    comm::all_reduce(part_.where.comm, least.data(), least.size(), MPI_MIN);
    for (std::size_t k = 0; k < nearest.size(); ++k)
      if (squares[k] != least[k]) nearest[k] = none;
    comm::all_reduce(part_.where.comm, nearest.data(), nearest.size(), MPI_MIN);
    for (std::size_t k = 0; k < nearest.size(); ++k) {
      const std::size_t n = in_solid_[k];
      const probe_spec& p = job_.groups.of<probe_keys>().probes[n];
      std::string where = "the image contains no fluid voxel";
      if (nearest[k] != none) {
        const index3 v{nearest[k] / domain.x / domain.y, nearest[k] / domain.x % domain.y, nearest[k] % domain.x};
        where = fmt::format("the centre of the nearest fluid voxel is [{:.6g}, {:.6g}, {:.6g}] mm (z, y, x)",
                            o.z + (static_cast<double>(v.z) + 0.5) * h.z, o.y + (static_cast<double>(v.y) + 0.5) * h.y,
                            o.x + (static_cast<double>(v.x) + 0.5) * h.x);
      }
      fault(fmt::format("probe[{}] '{}' {}; {}", n + 1, p.name,
                        p.at_mm     ? "is inside the solid"
                        : p.from_mm ? "is a line without a point in the fluid"
                                    : "contains no fluid voxel",
                        where));
    }
  }

  static vector3 middle_of(const probe_spec& p) {
    if (p.at_mm) return as_vector(*p.at_mm);
    if (p.centre_mm) return as_vector(*p.centre_mm);
    const vector3 a = as_vector(p.from_mm ? *p.from_mm : *p.low_mm), b = as_vector(p.from_mm ? *p.to_mm : *p.high_mm);
    return {(a.z + b.z) / 2, (a.y + b.y) / 2, (a.x + b.x) / 2};
  }

  const spec& job_;
  const local_model& part_;
  const voxel::run_set& fluid_;
  bool has_temperature_;
  probe_places result_;
  std::vector<std::int64_t> found_;  // number of voxels that were found for each place
  std::vector<std::size_t> in_solid_, outside_;
  std::string faults_;
};

}  // namespace

bool records_field(const probe_spec& p, const char* field, bool has_temperature) {
  if (!p.fields) return has_temperature || std::string(field) != "temperature";
  return std::find(p.fields->begin(), p.fields->end(), field) != p.fields->end();
}

probe_places place_probes(const spec& job, const local_model& part, const voxel::run_set& fluid, bool has_temperature) {
  return prober(job, part, fluid, has_temperature).run();
}

}  // namespace osteon::physics
