#include <osteon/job/outputs/cut_picture.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/percentile.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/io/png.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/lines.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/render/line_convolution.hpp>
#include <osteon/render/scene/colour_map.hpp>
#include <osteon/render/scene/presets.hpp>

namespace osteon::job {

namespace {

const char* axis_name(int axis) { return choice_names(osteon::axis{})[static_cast<std::size_t>(axis)]; }

// Axes of the picture of a cut. x points to the right; without x, y points to the right. z points up; without z, y points
// up. A camera outside of the image can therefore have the same view.
struct cut_axes {
  int normal, up, right;
  double azimuth_deg, elevation_deg;  // direction of the camera
};

cut_axes axes_of(int normal) {
  if (normal == 0) return {0, 1, 2, -90, 90};
  if (normal == 1) return {1, 0, 2, -90, 0};
  return {2, 0, 1, 0, 0};
}

// Return the first row of the part that belongs to a rank.
std::int64_t share(std::int64_t rows, int rank, int ranks) { return rows * rank / ranks; }

class cut {
 public:
  cut(const cut_request& request, const cut_source& of) : of_(of), list_(of.list), axes_(axes_of(request.normal)) {
    const io::field_list& list = of.list;
    const double edge = list.spacing_mm[axes_.normal];
    const std::int64_t layers = list.shape[axes_.normal];
    const double at = request.at_mm.value_or(0.5 * edge * static_cast<double>(layers));
    layer_ = std::min(static_cast<std::int64_t>(std::floor(at / edge)), layers - 1);
    if (!(at >= 0 && at <= edge * static_cast<double>(layers)))
      throw usage_error(fmt::format("--cut {}={}: the position must be in [0, {:.6g}] mm, the extent of the image along {}",
                                    axis_name(axes_.normal), at, edge * static_cast<double>(layers),
                                    axis_name(axes_.normal)));
    const double high = list.spacing_mm[axes_.up] * static_cast<double>(rows());
    const double wide = list.spacing_mm[axes_.right] * static_cast<double>(columns());
    const auto width = static_cast<int>(request.width), height = static_cast<int>(request.height);
    picture_.pixel_mm = std::max(wide / width, high / height);
    picture_.width = std::clamp(static_cast<int>(std::lround(wide / picture_.pixel_mm)), 1, width);
    picture_.height = std::clamp(static_cast<int>(std::lround(high / picture_.pixel_mm)), 1, height);
    // A convolution over 1/50 of the size of the picture on each side of a pixel is sufficient to show the direction.
    picture_.reach_pixels = std::clamp(0.02 * std::max(picture_.width, picture_.height), 4.0, 24.0);
  }

  std::int64_t rows() const { return list_.shape[axes_.up]; }
  std::int64_t columns() const { return list_.shape[axes_.right]; }
  const render::plane_picture& picture() const { return picture_; }
  const cut_axes& axes() const { return axes_; }
  double at_mm() const { return (static_cast<double>(layer_) + 0.5) * list_.spacing_mm[axes_.normal]; }

  // Read a component or the magnitude (-1) in rows of the cut. In empty voxels, the value is NaN.
  std::vector<float> read(std::int64_t begin, std::int64_t end, int component) const {
    box3 part{{0, 0, 0}, list_.shape};
    part.begin[axes_.normal] = layer_;
    part.end[axes_.normal] = layer_ + 1;
    part.begin[axes_.up] = begin;
    part.end[axes_.up] = end;
    // The file has the same order: rows (vertical axis), then columns.
    return begin < end ? of_.read(part, component) : std::vector<float>{};
  }

  render::plane_field plane(std::int64_t begin, std::int64_t end) const {
    render::plane_field result{end - begin,
                               columns(),
                               begin,
                               list_.spacing_mm[axes_.up],
                               list_.spacing_mm[axes_.right],
                               read(begin, end, 2 - axes_.up),  // in the file, the order of components is x, y, z
                               read(begin, end, 2 - axes_.right)};
    for (auto* values : {&result.along_rows, &result.along_columns})
      for (float& v : *values)
        if (!std::isfinite(v)) v = 0;
    return result;
  }

 private:
  const cut_source& of_;
  const io::field_list& list_;
  cut_axes axes_;
  std::int64_t layer_ = 0;
  render::plane_picture picture_;
};

// Create the source of a cut from a file. @collective local
cut_source source_in_file(const cut_request& request) {
  cut_source of;
  of.list = io::list_fields(request.file);
  of.vector = find_vector(of.list, request.lines_of);
  of.axes = io::axes_in_file(request.file);
  of.read = [file = request.file, vector = of.vector](const box3& part, int component) {
    return io::read_field(file, vector, part, component);
  };
  return of;
}

// The axis with the largest mean component in the plane at half of the length along y. @collective on comm
int main_axis(MPI_Comm comm, const cut_source& middle_of_y) {
  std::array<double, 3> sums{};
  comm::collectively(comm, [&] {
    const cut where({}, middle_of_y);
    const int rank = comm::rank(comm), ranks = comm::size(comm);
    const std::int64_t begin = share(where.rows(), rank, ranks), end = share(where.rows(), rank + 1, ranks);
    for (int axis = 0; axis < 3; ++axis)
      for (const float v : where.read(begin, end, 2 - axis))
        if (std::isfinite(v)) sums[static_cast<std::size_t>(axis)] += std::abs(static_cast<double>(v));
  });
  comm::all_reduce(comm, sums.data(), 3, MPI_SUM);
  return static_cast<int>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace

nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, log_sink& log) {
  cut_source of;
  comm::collectively(comm, [&] { of = source_in_file(request); });
  return draw_cut(comm, request, of, log);
}

cut_source cut_source_of(const local_model& part, const cell_values& velocity, int normal, std::int64_t layer) {
  io::field_list list;
  list.fields = {{"velocity", "velocity of the fluid", "mm s-1", io::centring::cell, 3}};
  return cut_source_of(part, velocity, list, list.fields.front(), normal, layer);
}

cut_source cut_source_of(const local_model& part, const cell_values& velocity, const io::field_list& list,
                         const io::field_info& vector, int normal, std::int64_t layer) {
  const grid::block& where = part.where;
  const index3 domain = where.domain;
  const std::int64_t values = domain.volume() / domain[normal];
  constexpr float none = -std::numeric_limits<float>::infinity();
  cut_source of;
  std::vector<float> plane;
  comm::collectively(where.comm, [&] {
    of.list = list;
    of.list.shape = domain;
    of.list.spacing_mm = part.header.spacing_mm;
    of.vector = vector;
    of.axes = io::axes_in(part.header.provenance_json);
    plane.assign(static_cast<std::size_t>(3 * values), none);
    const box3& own = where.owned;
    for (const voxel::run& r : part.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        index3 p = own.begin + index3{r.z, r.y, r.x + n};
        if (p[normal] != layer) continue;
        p[normal] = 0;
        index3 shape = domain;
        shape[normal] = 1;
        const auto to = static_cast<std::size_t>((p.z * shape.y + p.y) * shape.x + p.x);
        for (std::size_t c = 0; c < 3; ++c) {
          const float v = (*velocity)[3 * static_cast<std::size_t>(r.first + n) + c];
          if (std::isfinite(v)) plane[3 * to + c] = v;
        }
      }
  });
  comm::all_reduce(where.comm, plane.data(), plane.size(), MPI_MAX);
  of.read = [plane = std::move(plane), domain, normal](const box3& wanted, int component) {
    index3 shape = domain;
    shape[normal] = 1;
    std::vector<float> result;
    for (std::int64_t z = wanted.begin.z; z < wanted.end.z; ++z)
      for (std::int64_t y = wanted.begin.y; y < wanted.end.y; ++y)
        for (std::int64_t x = wanted.begin.x; x < wanted.end.x; ++x) {
          index3 p{z, y, x};
          p[normal] = 0;
          const float* const v = plane.data() + 3 * ((p.z * shape.y + p.y) * shape.x + p.x);
          if (v[0] == none)
            result.push_back(std::numeric_limits<float>::quiet_NaN());
          else
            result.push_back(component < 0 ? std::hypot(v[0], v[1], v[2]) : v[2 - component]);
        }
    return result;
  };
  return of;
}

nlohmann::ordered_json draw_cut(MPI_Comm comm, const cut_request& request, const cut_source& of, log_sink& log) {
  const stopwatch watch;
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  const io::field_list& list = of.list;
  const io::field_info& vector = of.vector;
  std::optional<cut> where;
  std::vector<float> speed;
  const auto width = static_cast<int>(request.width), height = static_cast<int>(request.height);
  const auto room = request.annotated ? size_within_labels(width, height) : std::nullopt;
  const bool has_labels_around = room && labels_of_program().is_ready(comm, log);
  comm::collectively(comm, [&] {
    cut_request inner = request;
    if (has_labels_around) inner.width = (*room)[0], inner.height = (*room)[1];
    where.emplace(inner, of);
    speed = where->read(share(where->rows(), rank, ranks), share(where->rows(), rank + 1, ranks), -1);
  });
  const double usual = comm::percentile(comm, speed, 0.99, [](float v) { return std::isfinite(v) && v > 0; });
  const double low = request.low.value_or(0), high = request.high.value_or(usual);
  const render::plane_picture& picture = where->picture();
  std::vector<std::uint8_t> bytes;
  render::scene scene;
  render::annotations notes;
  picture_words words{.axes = of.axes};
  comm::collectively(comm, [&] {
    if (!(usual > 0))
      throw usage_error(fmt::format("'{}' is zero everywhere in the cut {}={:.6g} mm; give another --cut", vector.name,
                                    axis_name(request.normal), where->at_mm()));
    if (!(low < high))
      throw usage_error(
          fmt::format("the colour range of '{}' is empty ({} to {}); give --range LOW HIGH", vector.name, low, high));
    const std::vector<int> first_row = io::png_rows(picture.height, ranks);
    const int first = first_row[static_cast<std::size_t>(rank)], last = first_row[static_cast<std::size_t>(rank) + 1];
    const render::plane_rows needed = render::rows_needed(picture, list.spacing_mm[where->axes().up], first, last);
    const std::int64_t begin = std::clamp<std::int64_t>(needed.begin, 0, where->rows() - 1);
    const std::int64_t end = std::clamp<std::int64_t>(needed.end, begin + 1, where->rows());
    const render::plane_field plane = where->plane(begin, end);
    const std::vector<float> magnitude = where->read(begin, end, -1);
    const std::vector<float> threads = render::line_convolution(plane, picture, first, last);

    scene.spacing_mm = list.spacing_mm;
    scene.width = picture.width;
    scene.height = picture.height;
    scene.background = request.light ? render::presets::light_background : render::presets::dark_background;
    // Voxels without values are the solid around a fluid, or the pores of a solid.
    const bool fluid = is_fluid(list);
    const std::array<float, 3> grain = request.light ? std::array{0.62F, 0.58F, 0.52F} : std::array{0.045F, 0.04F, 0.035F};
    const auto& colours = render::colour_map(request.map);
    render::image rows{picture.width, last - first, first, 0, {}};
    rows.rgba.reserve(threads.size() * 4);
    for (int row = first; row < last; ++row)
      for (int column = 0; column < picture.width; ++column) {
        const auto r = static_cast<std::int64_t>((picture.height - row - 0.5) * picture.pixel_mm / plane.row_mm);
        const auto c = static_cast<std::int64_t>((column + 0.5) * picture.pixel_mm / plane.column_mm);
        const auto voxel = static_cast<std::size_t>((std::clamp(r, begin, end - 1) - begin) * plane.columns +
                                                    std::min(c, plane.columns - 1));
        const float thread = threads[static_cast<std::size_t>(row - first) * static_cast<std::size_t>(picture.width) +
                                     static_cast<std::size_t>(column)];
        const float value = magnitude[voxel];
        std::array<float, 4> pixel{0, 0, 0, 0};
        if (std::isfinite(value)) {
          const double t = std::clamp((static_cast<double>(value) - low) / (high - low), 0.0, 1.0);
          const double from = static_cast<double>(render::presets::glow_first),
                       to = static_cast<double>(render::presets::glow_last);
          const auto& colour = colours[static_cast<std::size_t>(255 * (from + t * (to - from)))];
          const float light = std::isnan(thread) ? 0.35F : 0.35F + 1.3F * thread;
          for (std::size_t k = 0; k < 3; ++k) pixel[k] = std::min(1.0F, colour[k] * light);
          pixel[3] = 1;
        } else if (fluid) {
          std::copy(grain.begin(), grain.end(), pixel.begin());
          pixel[3] = 1;
        }
        rows.rgba.insert(rows.rgba.end(), pixel.begin(), pixel.end());
      }
    bytes = render::to_rgba8(rows, scene.background);
    if (!request.annotated) return;
    name_field(words, vector, true);
    const std::string usual_title = fmt::format("{}: {}", list.title.substr(0, list.title.rfind(": ")), words.long_name);
    words.title = fmt::format("{}, cut at {} = {:.4g} mm", request.title.empty() ? usual_title : request.title,
                              axis_name(request.normal), where->at_mm());
    notes = notes_of(words, request.map, low, high);
    notes.outline = false;
    notes.first = render::presets::glow_first;
    notes.last = render::presets::glow_last;
    // The rays of the camera are parallel. With a zoom of 1, the bounding sphere fits into the picture. With the zoom
    // computed here, the pixels of the camera coincide with the pixels of the cut.
    double radius = 0;
    for (int axis = 0; axis < 3; ++axis)
      radius += std::pow(0.5 * static_cast<double>(list.shape[axis]) * list.spacing_mm[axis], 2);
    scene.view = {
        .azimuth_deg = where->axes().azimuth_deg, .elevation_deg = where->axes().elevation_deg, .perspective = false};
    scene.view.zoom = std::sqrt(radius) / (0.5 * std::min(picture.width, picture.height)) / picture.pixel_mm;
    if (!has_labels_around) render::annotate(bytes, scene, list.shape, notes, first);
  });
  io::write_png(comm, request.output, picture.width, picture.height, bytes);
  std::array<int, 2> size{picture.width, picture.height};
  if (has_labels_around) {
    size = size_with_labels(picture.width, picture.height);
    size = {std::min(size[0], width), std::min(size[1], height)};  // both sizes have been rounded
    comm::collectively(comm, [&] {
      if (rank == 0) labels_of_program().draw(request.output, size[0], size[1], words, notes, scene, list.shape, log);
    });
  }
  log.note(fmt::format("{}: {:.2f} s", request.output, watch.seconds()));
  return {{"schema", "osteon.cut/1"},
          {"file", request.output},
          {"field", vector.name},
          {"units", vector.units},
          {"low", low},
          {"high", high},
          {"normal", axis_name(request.normal)},
          {"at_mm", where->at_mm()},
          {"width", size[0]},
          {"height", size[1]},
          {"ranks", ranks},
          {"seconds", watch.seconds()}};
}

bool draw_cut_of(const spec& job, const output_paths& paths, const local_model& part, const cell_values& vectors,
                 const io::field_list& written, log_sink& log) {
  const auto is_vector = [](const io::field_info& f) {
    return f.components == 3 && (f.name == "velocity" || f.name == "heat_flux_density");
  };
  if (std::none_of(written.fields.begin(), written.fields.end(), is_vector)) return false;
  const io::field_info& vector = find_vector(written, "");
  const auto middle = [&](int normal) {
    return cut_source_of(part, vectors, written, vector, normal, part.where.domain[normal] / 2);
  };
  const MPI_Comm comm = part.where.comm;
  cut_source of = middle(1);
  cut_request request;
  if (main_axis(comm, of) == 1) {
    request.normal = 2;
    of = middle(2);
  }
  request.at_mm =
      (static_cast<double>(part.where.domain[request.normal] / 2) + 0.5) * part.header.spacing_mm[request.normal];
  request.map = colour_map_of(job);
  request.width = job.picture.width;
  request.height = job.picture.height;
  request.output = paths.cut;
  try {
    draw_cut(comm, request, of, log);
  } catch (const usage_error& e) {  // all ranks throw the same error
    log.warn(std::string("no cut: ") + e.what());
    return false;
  }
  return true;
}

}  // namespace osteon::job
