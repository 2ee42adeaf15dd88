#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/json_output.hpp>
#include <app/mpi_session.hpp>
#include <app/terminal.hpp>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/outputs/render_file.hpp>

namespace osteon::app {

namespace {

int render(const job::render_request& request, const std::string& target) {
  return on_all_ranks([&](MPI_Comm comm) {
    const bool root = comm::rank(comm) == 0;
    terminal_sink shown(is_interactive());
    const auto answer = job::render_file(comm, request, root ? static_cast<log_sink&>(shown) : null_log());
    if (root) write_json(target, answer);
  });
}

}  // namespace

void add_render(registry& commands) {
  struct options {
    job::render_request shot;
    std::vector<double> range, percentiles, level, clip, eye, look_at;
    bool parallel_rays = false;
    std::string json;
  };
  const auto o = std::make_shared<options>();
  job::render_request& shot = o->shot;
  command c = commands.add("render", "Make pictures of a field of a results file", [o] {
    job::render_request& what = o->shot;
    what.view.perspective = !o->parallel_rays;
    if (!o->range.empty()) what.low = o->range[0], what.high = o->range[1];
    if (!o->level.empty()) what.level = o->level[0];
    if (!o->percentiles.empty()) what.percentiles = std::array{o->percentiles[0], o->percentiles[1]};
    const auto point = [](const std::vector<double>& p) { return vector3{p[2], p[1], p[0]}; };
    if (!o->eye.empty()) what.view.eye_mm = point(o->eye);
    if (!o->look_at.empty()) what.view.look_at_mm = point(o->look_at);
    if (o->clip.size() % 4 != 0)
      throw usage_error(fmt::format("--clip: {} numbers; a plane is a normal x y z and an offset in mm", o->clip.size()));
    for (std::size_t i = 0; i + 4 <= o->clip.size(); i += 4)
      what.clip.push_back({o->clip[i], o->clip[i + 1], o->clip[i + 2], o->clip[i + 3]});
    return render(what, o->json);
  });
  c.add_option("results", shot.file, "results.nc (or model.nc) of a job").required();
  c.add_option("-f,--field", shot.field, "Field; vectors by their magnitude (default: sed, or the first field)");
  c.add_option("--component", shot.component, "One component: x y z or xx yy zz xy yz xz (default: the magnitude)");
  c.add_option("-m,--map", shot.map, "Colours: batlow, inferno, lipari, viridis, vik (default inferno)");
  c.add_option(
       "--method", shot.method,
       "volume: light through bone and glow; maximum or average along each ray; surface of the solid, or where the field "
       "has the value of --level")
      .one_of({"volume", "maximum", "average", "surface"});
  c.add_option("--level", o->level, "Value of the field on the surface that is shown (default: the solid's surface)")
      .expected(1);
  c.add_option("--range", o->range, "Values at the ends of the colours (default: percentiles)").expected(2);
  c.add_option("--percentiles", o->percentiles,
               "The same as percentages of the values (default 50 99.5; of a component or an average 1 99)")
      .expected(2);
  c.add_option(
      "--points", shot.points,
      "Transfer function of a volume by control points VALUE:OPACITY or VALUE:OPACITY:#RRGGBB, by commas; a value may "
      "be a percentage of the values, as in 50%:0,99%:0.2 (default: a glow over the range)");
  c.add_flag("--shade", shot.shaded, "Light the field in a volume by its gradient");
  c.add_option("--solid", shot.bone_opacity, "Opacity of the solid's surface, 0 to 1 (default 0.16; 0: not shown)");
  c.add_option("--width", shot.width, "Width in pixels (default 1024)");
  c.add_option("--height", shot.height, "Height in pixels (default 1024)");
  c.add_option("--azimuth", shot.view.azimuth_deg, "Direction of view around the z axis in degrees (default 35)");
  c.add_option("--elevation", shot.view.elevation_deg, "Height of the view in degrees (default 22)");
  c.add_option("--zoom", shot.view.zoom, "1 fits the specimen into the picture");
  c.add_option("--look-at", o->look_at, "Point x y z in mm in the middle of the picture (default: the specimen's)")
      .expected(3);
  c.add_option("--eye", o->eye, "The camera stands at x y z in mm, be it inside; the directions follow from it").expected(3);
  c.add_flag("--orthographic", o->parallel_rays, "Parallel rays: no perspective");
  c.add_option("--step", shot.step_voxels, "Length of a step in voxels (default 0.5)");
  c.add_option("--clip", o->clip, "Cut away what lies beyond a plane: normal x y z and offset in mm; may be repeated")
      .repeatable(4);
  c.add_flag("--light", shot.light, "A light background, for print");
  c.add_flag("!--plain", shot.annotated, "No box, axes, scale, colour bar and title");
  c.add_option("--title", shot.title, "Title (default: that of the file)");
  c.add_option("--orbit", shot.orbit, "This many numbered frames around the z axis, with data.csv: a Cinema database");
  c.add_option("--elevations", shot.elevations, "Heights of the views of an orbit in degrees").delimiter(',');
  c.add_option("--film", shot.film, "A film of an orbit (.mp4), if ffmpeg is installed");
  c.add_option("-o,--output", shot.output,
               "Picture (.png; .npy: linear RGBA float) or folder of an orbit (default: named after the field, "
               "beside the results)");
  add_json(c, o->json);
  c.footer(
      "Alone it uses all cores. More: docs/rendering.md\n\nExamples:\n  osteon render bone.out/results.nc\n"
      "  osteon render bone.out/results.nc --field von_mises --map batlow --clip 0 0 1 1.2\n"
      "  osteon render bone.out/results.nc --method maximum --light -o mip.png\n"
      "  osteon render bone.out/results.nc --method surface --clip 1 0 0 2 -o cut.png\n"
      "  osteon render bone.out/results.nc --field displacement --component z --method surface --map vik\n"
      "  osteon render bone.out/results.nc --points 50%:0,90%:0.05,99%:0.5:#ffffff --eye 1.3 -0.5 1.3 -o near.png\n"
      "  mpirun -n 4 osteon render bone.out/results.nc --orbit 36 --elevations 0,25,50 -o bone.cdb");
}

}  // namespace osteon::app
