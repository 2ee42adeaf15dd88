#pragma once
/// @file
/// The keys of mechanical tests, sets, supports and forces, for the visitors of keys.hpp.
#include <osteon/job/spec.hpp>

namespace osteon::job {

/// Keys of a test that [load] and [[case]] have in common.
template <class Visitor>
void describe_drive(Visitor& t, load_spec& l) {
  t("direction", l.direction,
    "shear: direction in which the driven face slides. bending: axis about which the faces turn. Left out: the axis that "
    "follows load.axis in the order z, y, x.",
    {"z", "y", "x"});
  t("faces", l.faces, "Which faces are loaded: those of the image, or of the smallest box around the solid.",
    {"image", "solid"});
  t("depth_mm", l.depth_mm, "Nodes up to this deep under a face belong to it, as in a grip; 0: only those on it.");
  t("area", l.area,
    "Area of apparent stress and modulus. outline: the convex outline of the solid's projection along the axis. box: the "
    "loaded faces of the image, or of the smallest box around the solid (key faces). solid_box: the smallest box around "
    "the solid, as in FAIM (n88directmechanics). solid: the mean section of the solid. Default: outline if it covers "
    "less than 98 % of the box, otherwise box; confined and pure_shear constrain the sides of the box and use box.",
    {"outline", "box", "solid_box", "solid"});
  t("area_mm2", l.area_mm2,
    "Area of apparent stress and modulus in mm2, > 0, for example of a specimen with a measured "
    "diameter.");
  t("bonded", l.bonded,
    "bending, torsion: the faces are rigid plates. Otherwise points of a bent face slide in it, those of a twisted one "
    "leave it, as in beam theory.");
  t("about_mm", l.about_mm,
    "bending, torsion: a point on the axis of rotation, [z, y, x]. Left out: the mean position of the nodes of both faces.");
  t("strain", l.strain,
    "Displacement of the driven face over the distance of the faces; negative compresses. For shear the engineering "
    "strain. Left out, with no other measure: -0.01, for shear 0.01, in thermo_elasticity 0.");
  t("displacement_mm", l.displacement_mm, "Displacement of the driven face.");
  t("force_N", l.force_N,
    "Force on the driven face: what a unit displacement gives is scaled to it, which is exact as the problem is linear.");
  t("angle_deg", l.angle_deg,
    "bending, torsion: angle between the faces; displacements are linear in it. Left out, with no moment: 1.");
  t("moment_N_mm", l.moment_N_mm, "bending, torsion: moment on the driven face, by scaling as for force_N.");
  t("gravity_m_per_s2", l.gravity_m_per_s2,
    "Body weight: acceleration [z, y, x] by which every voxel is pulled; needs density_kg_per_m3 of its material.");
}

template <class Visitor>
void describe_set(Visitor& t, set_spec& n) {
  t("name", n.name, "Name of the set.");
  t("select", n.select,
    "How the nodes are chosen. face: of the image or the solid. plane: across axis at at_mm. disk: centre_mm, normal, "
    "radius_mm, thickness_mm. box: from low_mm to high_mm. material: the corners of its voxels. image: the corners of "
    "voxels with "
    "some labels in another image. voxels: the corners of "
    "those listed. nodes: those listed. points: the nodes closest to points_mm. brush: within radius_mm of the line through "
    "points_mm; strokes are entries of the same name.",
    {"face", "plane", "disk", "box", "material", "image", "voxels", "nodes", "points", "brush"});
  t("face", n.face, "face: which one.", {"z_low", "z_high", "y_low", "y_high", "x_low", "x_high"});
  t("of", n.of, "face: of the image, or of the smallest box around the solid.", {"image", "solid"});
  t("axis", n.axis, "plane: the axis across it.", {"z", "y", "x"});
  t("at_mm", n.at_mm, "plane: its coordinate on axis.");
  t("depth_mm", n.depth_mm,
    "face: nodes up to this deep; left out: 0. plane: nodes up to this far on both sides; left out: half a voxel.");
  t("centre_mm", n.centre_mm, "disk: its centre [z, y, x].");
  t("normal", n.normal, "disk: direction across it [z, y, x], of any length.");
  t("radius_mm", n.radius_mm, "disk: its radius; brush: how far it reaches.");
  t("thickness_mm", n.thickness_mm, "disk: its thickness, half of it on either side of the centre.");
  t("low_mm", n.low_mm, "box: its low corner [z, y, x].");
  t("high_mm", n.high_mm, "box: its high corner [z, y, x].");
  t("material", n.material, "material: its name.");
  t("image", n.image, "image: path of an image of the scan's shape, relative to the job file; it is cropped like the scan.");
  t("labels", n.labels, "image: the values of its voxels that are chosen; those that are solid in the scan give the nodes.");
  t("voxels", n.voxels, "voxels: [[z, y, x], ...], counted from 0 in the image after cropping; all must be solid.");
  t("nodes", n.nodes, "nodes: [[z, y, x], ...]; node 0 is the low corner of voxel 0. All must belong to the solid.");
  t("points_mm", n.points_mm,
    "points: [[z, y, x], ...], each no farther from a node than a voxel's diagonal. brush: the line of a stroke; one: a "
    "ball.");
  t("within", n.within,
    "Take only nodes that this other set has as well: a face of the image within a set of a material is the face of that "
    "material.");
  t("surface", n.surface, "Take only nodes on the surface of the solid, the faces of the image included.");
}

template <class Visitor>
void describe_support(Visitor& t, support_spec& p) {
  t("on", p.on, "The set.");
  t("fix", p.fix, "Axes in which the set is held, e.g. \"zyx\"; the axes of move_..._mm are held as well.");
  t("move_z_mm", p.move_z_mm, "Prescribed displacement along z.");
  t("move_y_mm", p.move_y_mm, "Prescribed displacement along y.");
  t("move_x_mm", p.move_x_mm, "Prescribed displacement along x.");
  t("rotate_deg", p.rotate_deg,
    "Angles [z, y, x] by which the set turns about the axes, right-handed; displacements are linear in them, and only those "
    "along the held axes are prescribed.");
  t("about_mm", p.about_mm, "The point about which it turns, [z, y, x]. Left out: the mean position of the set's nodes.");
}

template <class Visitor>
void describe_force(Visitor& t, force_spec& f) {
  t("on", f.on, "The set.");
  t("force_N", f.force_N, "Total force [z, y, x], spread over the set.");
  t("node_force_N", f.node_force_N, "Force [z, y, x] on each node of the set.");
  t("toward_mm", f.toward_mm,
    "A point [z, y, x] toward which every node is pulled, as by a muscle; magnitude_N says how strongly.");
  t("magnitude_N", f.magnitude_N, "toward_mm: sum of the magnitudes of the nodes' forces; negative pushes away.");
  t("pressure_MPa", f.pressure_MPa,
    "Pressure on the free voxel faces whose four nodes are in the set; positive presses into the solid.");
  t("spread", f.spread,
    "equal: every node bears the same share. area: shares follow the free surface around the nodes, so that an even "
    "traction stays even.",
    {"equal", "area"});
}

}  // namespace osteon::job
