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
  command c = commands.add("render", "Render a field of a result file", [o] {
    job::render_request& request = o->shot;
    request.view.perspective = !o->parallel_rays;
    if (!o->range.empty()) request.low = o->range[0], request.high = o->range[1];
    if (!o->level.empty()) request.level = o->level[0];
    if (!o->streamlines.empty()) request.streamlines = o->streamlines[0];
    if (!o->tube.empty()) request.tube_mm = o->tube[0];
    if (!o->solid.empty()) request.bone_opacity = o->solid[0];
    if (!o->percentiles.empty()) request.percentiles = std::array{o->percentiles[0], o->percentiles[1]};
    spelling_hints hints;
    if (!o->eye.empty()) request.view.eye_mm = parse_point("--eye", o->eye, hints);
    if (!o->look_at.empty()) request.view.look_at_mm = parse_point("--look-at", o->look_at, hints);
    for (const std::string& plane : o->clip) request.clip.push_back(parse_plane("--clip", plane, hints));
    return render(request, hints, o->json);
  });
  c.add_option("results", shot.file, "results.nc or model.nc of a job").required();
  c.add_option("-f,--field", shot.field, "Field; vectors are shown by magnitude (default: sed, or the first field)");
  c.add_option("--component", shot.component, "Component: x y z or xx yy zz xy yz xz (default: magnitude)");
  c.add_option("-m,--map", shot.map,
               "Colour map: batlow, inferno, ivory, lipari, viridis, vik (default: as in the job's picture; ivory for a "
               "surface, else inferno)");
  c.add_option("--method", shot.method,
               "surface: of the solid or at --level; volume: emission and absorption; maximum, average: along each ray; "
               "lic: line integral convolution on a cut (default: surface for a loaded solid, else volume)")
      .one_of({"volume", "maximum", "average", "surface", "lic"});
  c.add_option("--cut", shot.cut, "Cut of --method lic: normal axis and position in mm, such as y=1.5 (default: y, centre)");
  c.add_option("--level", o->level, "Field value of the isosurface (default: surface of the solid)").expected(1);
  c.add_option("--range", o->range, "Values at the ends of the colour map (default: percentiles)").expected(2);
  c.add_option("--percentiles", o->percentiles,
               "Percentiles at the ends of the colour map (default 50 99.5; for a component or an average 1 99)")
      .expected(2);
  c.add_option("--points", shot.points,
               "Transfer function of a volume: VALUE:OPACITY or VALUE:OPACITY:#RRGGBB, separated by commas; VALUE may be a "
               "percentile, such as 50%:0,99%:0.2 (default: emission over the range)");
  c.add_flag("--shade", shot.shaded, "Shade a volume by the gradient of its field");
  c.add_option("--solid", o->solid,
               "Opacity of the solid's surface in a volume, 0 to 1 (default 0.16, preset paper 0.35; 0: hidden)")
      .expected(1);
  c.add_option("--streamlines", o->streamlines, "Number of streamlines, shown as tubes coloured by speed or by --field")
      .expected(1);
  c.add_option("--lines-of", shot.lines_of,
               "Vector field of the streamlines or the cut (default: velocity, else heat_flux_density)");
  c.add_option("--tube", o->tube, "Tube radius in mm (default: a third of a voxel, if visible)").expected(1);
  c.add_option("--width", shot.width, "Width in pixels (default 1024)");
  c.add_option("--height", shot.height, "Height in pixels (default 1024)");
  c.add_option("--azimuth", shot.view.azimuth_deg, "View direction around the z axis in degrees (default 35)");
  c.add_option("--elevation", shot.view.elevation_deg, "Elevation of the view in degrees (default 22)");
  c.add_option("--zoom", shot.view.zoom, "Magnification; 1 fits the specimen into the picture");
  c.add_option("--look-at", o->look_at,
               "Point in mm at the centre of the picture, such as z=1,y=2,x=3 (default: centre of the specimen)");
  c.add_option("--eye", o->eye, "Camera position in mm, such as z=1,y=2,x=3; may be inside; overrides the view angles");
  c.add_flag("--orthographic", o->parallel_rays, "Use an orthographic projection");
  c.add_option("--step", shot.step_voxels, "Step length in voxels (default 0.5)");
  c.add_option("--clip", o->clip, "Clip at a plane with this normal and offset in mm, such as z=1,offset=2; may be repeated")
      .repeatable();
  for (const char* point : {"--eye", "--look-at"}) commands.join_numbers(point, 3);
  commands.join_numbers("--clip", 4);
  c.add_option("--preset", shot.preset, "screen: dark background (default); paper: white background, dark text")
      .one_of({"screen", "paper"});
  c.add_flag("--light", shot.light, "Use a soft white background");
  c.add_flag("!--plain", shot.annotated, "Omit box, axes, scale bar, colour bar and title");
  c.add_option("--title", shot.title, "Title (default: title of the file)");
  c.add_option("--orbit", shot.orbit, "Number of frames of an orbit around the z axis, written as a Cinema database");
  c.add_option("--elevations", shot.elevations, "Elevations of the orbit views in degrees").delimiter(',');
  c.add_option(
      "--compositing", shot.compositing,
      "Compositing: METHOD[,TRANSPORT] (docs/research/compositing.md), messages, shared or hybrid (default auto: the "
      "standard method for a picture, the predicted fastest one for an orbit)");
  c.add_option("--pixels", shot.pixels,
               "Pixel format of compositing: wide (identical pictures on any number of ranks; default), rgba16f (default of "
               "an orbit), rgba32f or rgba8");
  c.add_flag("--fast", shot.fast, "Use half-precision pixels for a picture, and one ray per pixel for a surface");
  c.add_option("--film", shot.film, "Film of an orbit (.mp4); requires ffmpeg");
  c.add_option("-o,--output", shot.output,
               "Picture (.png, or .npy with linear RGBA floats) or folder of an orbit (default: named after the field, in "
               "the folder of the results)");
  add_json(c, o->json);
  c.footer(
      "Uses all cores unless a launcher starts it. Details: docs/reference/rendering.md\n\nExamples:\n  osteon render "
      "bone.out/results.nc\n  osteon render bone.out/results.nc --field von_mises --map batlow --clip z=1,offset=1.2\n  "
      "osteon render bone.out/results.nc --method maximum --light -o mip.png\n  osteon render bone.out/results.nc --method "
      "surface --clip x=1,offset=2 -o cut.png\n  osteon render bone.out/results.nc --field displacement --component z "
      "--method surface --map vik\n  osteon render bone.out/results.nc --points 50%:0,90%:0.05,99%:0.5:#ffffff --eye "
      "z=1.3,y=-0.5,x=1.3 -o near.png\n  osteon render bone_flow.out/results.nc --streamlines 400 -o lines.png\n  osteon "
      "render bone_flow.out/results.nc --method lic --cut y=1.3 -o cut.png\n  mpirun -n 4 osteon render bone.out/results.nc "
      "--orbit 36 --elevations 0,25,50 -o bone.cdb");
}

}  // namespace osteon::app
