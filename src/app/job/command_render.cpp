#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/named_axes.hpp>
#include <app/process/json_output.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/terminal.hpp>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/outputs/render_file.hpp>

namespace osteon::app {

namespace {

int render(const job::render_request& request, const spelling_hints& hints, const std::string& target) {
  return on_all_ranks([&](MPI_Comm comm) {
    const bool root = comm::rank(comm) == 0;
    terminal_sink shown(is_interactive());
    if (root)
      for (const std::string& hint : hints) shown.warn(hint);
    const auto answer = job::render_file(comm, request, root ? static_cast<log_sink&>(shown) : null_log());
    if (root) write_json(target, answer);
  });
}

}  // namespace

void add_render(registry& commands) {
  struct options {
    job::render_request shot;
    std::vector<double> range, percentiles, level, tube, solid;
    std::vector<std::int64_t> streamlines;
    std::vector<std::string> clip;
    std::string eye, look_at;
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
    if (!o->streamlines.empty()) what.streamlines = o->streamlines[0];
    if (!o->tube.empty()) what.tube_mm = o->tube[0];
    if (!o->solid.empty()) what.bone_opacity = o->solid[0];
    if (!o->percentiles.empty()) what.percentiles = std::array{o->percentiles[0], o->percentiles[1]};
    spelling_hints hints;
    if (!o->eye.empty()) what.view.eye_mm = parse_point("--eye", o->eye, hints);
    if (!o->look_at.empty()) what.view.look_at_mm = parse_point("--look-at", o->look_at, hints);
    for (const std::string& plane : o->clip) what.clip.push_back(parse_plane("--clip", plane, hints));
    return render(what, hints, o->json);
  });
  c.add_option("results", shot.file, "results.nc (or model.nc) of a job").required();
  c.add_option("-f,--field", shot.field, "Field; vectors by their magnitude (default: sed, or the first field)");
  c.add_option("--component", shot.component, "One component: x y z or xx yy zz xy yz xz (default: the magnitude)");
  c.add_option(
      "-m,--map", shot.map,
      "Colours: batlow, inferno, ivory, lipari, viridis, vik (default: that of the job's picture; ivory of a surface, else "
      "inferno)");
  c.add_option(
       "--method", shot.method,
       "surface of the solid, smoothed and opaque, or where the field has the value of --level; volume: light through bone "
       "and glow; maximum or average along each ray; lic: a cut through a vector field by line integral convolution "
       "(default: surface of a solid that is loaded, else volume)")
      .one_of({"volume", "maximum", "average", "surface", "lic"});
  c.add_option("--cut", shot.cut,
               "The cut of --method lic: the axis across it and its place in mm, as y=1.5 (default y, the middle)");
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
  c.add_option("--solid", o->solid,
               "Opacity of the solid's surface in a volume, 0 to 1 (default 0.16, on paper 0.35; 0: not shown)")
      .expected(1);
  c.add_option("--streamlines", o->streamlines,
               "So many lines of a vector field as tubes, in the colours of their speed unless --field is given")
      .expected(1);
  c.add_option("--lines-of", shot.lines_of,
               "The vector field of the lines or of the cut (default: velocity, else heat_flux_density)");
  c.add_option("--tube", o->tube, "Radius of the lines in mm (default: a third of a voxel, if that is seen)").expected(1);
  c.add_option("--width", shot.width, "Width in pixels (default 1024)");
  c.add_option("--height", shot.height, "Height in pixels (default 1024)");
  c.add_option("--azimuth", shot.view.azimuth_deg, "Direction of view around the z axis in degrees (default 35)");
  c.add_option("--elevation", shot.view.elevation_deg, "Height of the view in degrees (default 22)");
  c.add_option("--zoom", shot.view.zoom, "1 fits the specimen into the picture");
  c.add_option("--look-at", o->look_at,
               "Point in mm in the middle of the picture, as z=1,y=2,x=3 (default: the specimen's)");
  c.add_option("--eye", o->eye, "The camera stands at z=1,y=2,x=3 in mm, be it inside; the directions follow from it");
  c.add_flag("--orthographic", o->parallel_rays, "Parallel rays: no perspective");
  c.add_option("--step", shot.step_voxels, "Length of a step in voxels (default 0.5)");
  c.add_option("--clip", o->clip,
               "Cut away what lies beyond a plane, of a normal and an offset in mm, as z=1,offset=2; may be repeated")
      .repeatable();
  for (const char* point : {"--eye", "--look-at"}) commands.join_numbers(point, 3);
  commands.join_numbers("--clip", 4);
  c.add_option("--preset", shot.preset, "screen: on dark slate (default); paper: on white, with dark text")
      .one_of({"screen", "paper"});
  c.add_flag("--light", shot.light, "A soft white background");
  c.add_flag("!--plain", shot.annotated, "No box, axes, scale, colour bar and title");
  c.add_option("--title", shot.title, "Title (default: that of the file)");
  c.add_option("--orbit", shot.orbit, "This many numbered frames around the z axis, with data.csv: a Cinema database");
  c.add_option("--elevations", shot.elevations, "Heights of the views of an orbit in degrees").delimiter(',');
  c.add_option("--compositing", shot.compositing,
               "How ranks join their images: METHOD[,TRANSPORT] (docs/compositing.md), messages, shared or hybrid (default "
               "auto: the usual method for one picture; for an orbit what the model of the measured machine says)");
  c.add_option("--pixels", shot.pixels,
               "In which pixels: wide (the same picture on any number of ranks; default), rgba16f (default of an orbit), "
               "rgba32f or rgba8");
  c.add_flag("--fast", shot.fast, "Pixels of half precision for one picture, too; of a surface one ray a pixel");
  c.add_option("--film", shot.film, "A film of an orbit (.mp4), if ffmpeg is installed");
  c.add_option("-o,--output", shot.output,
               "Picture (.png; .npy: linear RGBA float) or folder of an orbit (default: named after the field, "
               "beside the results)");
  add_json(c, o->json);
  c.footer(
      "Alone it uses all cores. More: docs/rendering.md\n\nExamples:\n  osteon render bone.out/results.nc\n"
      "  osteon render bone.out/results.nc --field von_mises --map batlow --clip z=1,offset=1.2\n"
      "  osteon render bone.out/results.nc --method maximum --light -o mip.png\n"
      "  osteon render bone.out/results.nc --method surface --clip x=1,offset=2 -o cut.png\n"
      "  osteon render bone.out/results.nc --field displacement --component z --method surface --map vik\n"
      "  osteon render bone.out/results.nc --points 50%:0,90%:0.05,99%:0.5:#ffffff --eye z=1.3,y=-0.5,x=1.3 -o near.png\n"
      "  osteon render bone_flow.out/results.nc --streamlines 400 -o lines.png\n"
      "  osteon render bone_flow.out/results.nc --method lic --cut y=1.3 -o cut.png\n"
      "  mpirun -n 4 osteon render bone.out/results.nc --orbit 36 --elevations 0,25,50 -o bone.cdb");
}

}  // namespace osteon::app
