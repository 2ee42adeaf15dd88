#include <osteon/physics/flow/probes/probe_records.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/probes/probe_places.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
// this value represents NaN in a checkpoint, which contains only finite numbers
constexpr double missing_value = std::numeric_limits<double>::max();

constexpr std::size_t numbers_a_place = 6;

std::array<double, numbers_a_place> as_numbers(const probe_value& v) {
  return {v.velocity_mm_per_s[0], v.velocity_mm_per_s[1], v.velocity_mm_per_s[2],
          v.speed_mm_per_s,       v.pressure_Pa,          v.temperature_K};
}

// Recorded values of a place. The members are the name, and the index of the first number in as_numbers.
struct recorded_field {
  const char *field, *key;
  std::size_t begin, count;
};
constexpr recorded_field recorded_fields[] = {{"velocity", "velocity_mm_per_s", 0, 3},
                                              {"speed", "speed_mm_per_s", 3, 1},
                                              {"pressure", "pressure_Pa", 4, 1},
                                              {"temperature", "temperature_K", 5, 1}};

// JSON has no NaN.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

// A number, or a list of three numbers.
template <class Of>
json recorded(const recorded_field& f, const Of& of) {
  if (f.count == 1) return number(of(f.begin));
  json list = json::array();
  for (std::size_t c = 0; c < f.count; ++c) list.push_back(number(of(f.begin + c)));
  return list;
}

// Average over time by the trapezoidal rule. The average of a single value is this value.
double mean_over(const std::vector<double>& time_s, const std::vector<double>& values) {
  const double span = time_s.back() - time_s.front();
  if (!(span > 0)) return values.back();
  double sum = 0;
  for (std::size_t n = 1; n < values.size(); ++n) sum += (time_s[n] - time_s[n - 1]) * (values[n] + values[n - 1]) / 2;
  return sum / span;
}

// The values of one probe in all records.
class probe_series {
 public:
  probe_series(const std::vector<probe_record>& records, std::size_t probe) {
    for (const probe_record& r : records)
      if (r.is_due[probe]) records_.push_back(&r), time_s_.push_back(r.time_s);
  }
  bool is_empty() const { return records_.empty(); }
  std::size_t size() const { return records_.size(); }
  const std::vector<double>& time_s() const { return time_s_; }
  std::vector<double> values(std::size_t place, std::size_t n) const {
    std::vector<double> all;
    for (const probe_record* r : records_) all.push_back(as_numbers(r->values[place])[n]);
    return all;
  }
  double last(std::size_t place, std::size_t n) const { return as_numbers(records_.back()->values[place])[n]; }

 private:
  std::vector<const probe_record*> records_;
  std::vector<double> time_s_;
};

json place_of(const probe_spec& p, std::int64_t voxels) {
  json place = json::object();
  const auto add = [&](const char* key, const auto& value) {
    if (value) place[key] = *value;
  };
  add("at_mm", p.at_mm);
  add("from_mm", p.from_mm);
  add("to_mm", p.to_mm);
  if (p.from_mm) place["points"] = p.points;
  add("low_mm", p.low_mm);
  add("high_mm", p.high_mm);
  add("centre_mm", p.centre_mm);
  add("radius_mm", p.radius_mm);
  if (is_mean(p)) place["voxels"] = voxels;
  return place;
}

}  // namespace

std::vector<double> numbers_of(const std::vector<probe_record>& records) {
  std::vector<double> numbers;
  const auto add = [&](double v) { numbers.push_back(std::isfinite(v) ? v : missing_value); };
  for (const probe_record& r : records) {
    add(r.multiple), add(r.time_s), add(static_cast<double>(r.steps));
    for (const char due : r.is_due) add(due);
    for (const probe_value& v : r.values)
      for (const double n : as_numbers(v)) add(n);
  }
  return numbers;
}

std::vector<probe_record> records_from(const std::vector<double>& numbers, std::size_t probes, std::size_t places) {
  std::vector<probe_record> records;
  std::size_t at = 0;
  const auto next = [&] {
    const double v = numbers.at(at++);
    return v == missing_value ? no_number : v;
  };
  while (at < numbers.size()) {
    probe_record& r = records.emplace_back();
    r.multiple = next(), r.time_s = next(), r.steps = static_cast<std::int64_t>(next());
    for (std::size_t n = 0; n < probes; ++n) r.is_due.push_back(next() != 0 ? 1 : 0);
    for (std::size_t n = 0; n < places; ++n) {
      probe_value& v = r.values.emplace_back();
      for (double& u : v.velocity_mm_per_s) u = next();
      v.speed_mm_per_s = next(), v.pressure_Pa = next(), v.temperature_K = next();
    }
  }
  return records;
}

double frequency_of(const std::vector<double>& time_s, const std::vector<double>& values) {
  if (time_s.size() < 4) return no_number;
  const double half = (time_s.front() + time_s.back()) / 2;
  const auto begin = static_cast<std::size_t>(std::lower_bound(time_s.begin(), time_s.end(), half) - time_s.begin());
  const std::vector<double> time(time_s.begin() + static_cast<std::ptrdiff_t>(begin), time_s.end());
  const std::vector<double> value(values.begin() + static_cast<std::ptrdiff_t>(begin), values.end());
  if (std::any_of(value.begin(), value.end(), [](double v) { return !std::isfinite(v); })) return no_number;
  const double mean = mean_over(time, value);
  std::vector<double> squares;
  for (const double v : value) squares.push_back((v - mean) * (v - mean));
  const double deviation = std::sqrt(mean_over(time, squares));
  constexpr double of_deviation = 0.25, of_rounding = 1e-6;
  if (!(deviation > of_rounding * std::abs(mean))) return no_number;
  std::vector<double> crossings;
  bool was_low = false, has_crossed = false;
  double crossed_s = 0;
  for (std::size_t n = 0; n < value.size(); ++n) {
    const double now = value[n] - mean;
    if (n > 0 && value[n - 1] - mean < 0 && now >= 0) {
      const double before = value[n - 1] - mean;
      crossed_s = time[n - 1] + (time[n] - time[n - 1]) * before / (before - now);
      has_crossed = true;
    }
    if (now < -of_deviation * deviation) was_low = true, has_crossed = false;
    if (now > of_deviation * deviation && was_low && has_crossed) crossings.push_back(crossed_s), was_low = false;
  }
  constexpr std::size_t fewest = 3;
  constexpr double even = 0.1;
  if (crossings.size() < fewest + 1) return no_number;
  const auto swings = static_cast<double>(crossings.size() - 1);
  const double period = (crossings.back() - crossings.front()) / swings;
  double uneven = 0;
  for (std::size_t n = 1; n < crossings.size(); ++n) {
    const double away = crossings[n] - crossings[n - 1] - period;
    uneven += away * away / swings;
  }
  return std::sqrt(uneven) <= even * period ? 1 / period : no_number;
}

json table_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
              const std::vector<probe_record>& records) {
  json table = json::object();
  for (const probe_record& r : records) {
    if (job.groups.of<condition_keys>().transient) {
      table["time_s"].push_back(r.time_s);
      table["steps"].push_back(r.steps);
    } else {
      table["multiple"].push_back(r.multiple);
    }
    for (std::size_t n = 0; n < job.groups.of<probe_keys>().probes.size(); ++n) {
      const probe_spec& p = job.groups.of<probe_keys>().probes[n];
      for (std::size_t place = first[n]; place < first[n + 1]; ++place) {
        json& own = p.from_mm ? table[p.name][std::to_string(place - first[n])] : table[p.name];
        const auto numbers = as_numbers(r.values[place]);
        for (const recorded_field& f : recorded_fields)
          if (records_field(p, f.field, has_temperature))
            own[f.key].push_back(recorded(f, [&](std::size_t k) { return r.is_due[n] ? numbers[k] : no_number; }));
      }
    }
  }
  return table;
}

json summary_of(const spec& job, bool has_temperature, const std::vector<std::size_t>& first,
                const std::vector<std::int64_t>& voxels, const std::vector<probe_record>& records) {
  json all = json::object();
  for (std::size_t n = 0; n < job.groups.of<probe_keys>().probes.size(); ++n) {
    const probe_spec& p = job.groups.of<probe_keys>().probes[n];
    const probe_series series(records, n);
    json& own = all[p.name] = place_of(p, voxels[n]);
    if (series.is_empty()) continue;
    own["records"] = series.size();
    const bool is_in_time = job.groups.of<condition_keys>().transient.has_value();
    for (const recorded_field& f : recorded_fields) {
      if (!records_field(p, f.field, has_temperature)) continue;
      if (p.from_mm) {
        for (std::size_t place = first[n]; place < first[n + 1]; ++place) {
          own["last"][f.key].push_back(recorded(f, [&](std::size_t k) { return series.last(place, k); }));
          if (is_in_time)
            own["mean"][f.key].push_back(
                recorded(f, [&](std::size_t k) { return mean_over(series.time_s(), series.values(place, k)); }));
        }
        continue;
      }
      const std::size_t place = first[n];
      json& value = own[f.key];
      value["last"] = recorded(f, [&](std::size_t k) { return series.last(place, k); });
      if (!is_in_time) continue;
      value["mean"] = recorded(f, [&](std::size_t k) { return mean_over(series.time_s(), series.values(place, k)); });
      value["low"] = recorded(f, [&](std::size_t k) {
        const auto values = series.values(place, k);
        return *std::min_element(values.begin(), values.end());
      });
      value["high"] = recorded(f, [&](std::size_t k) {
        const auto values = series.values(place, k);
        return *std::max_element(values.begin(), values.end());
      });
    }
    if (!is_in_time || p.from_mm) continue;
    // The frequency is that of the velocity component with the largest variation.
    double widest = 0, frequency = no_number;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto values = series.values(first[n], k);
      const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      const auto [low, high] = std::minmax_element(half, values.end());
      if (!(*high - *low > widest)) continue;
      widest = *high - *low;
      frequency = frequency_of(series.time_s(), values);
    }
    if (std::isfinite(frequency)) own["frequency_Hz"] = frequency;
  }
  return all;
}

}  // namespace osteon::physics
