#include <osteon/io/files/result_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <common/xml_text.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>
#include <ostream>

namespace osteon::io {
namespace {

// Dimensions of a field, including the number of components if there are several.
std::string dimensions_of(index3 n, int components) {
  const std::string grid = fmt::format("{} {} {}", n.z, n.y, n.x);
  return components > 1 ? fmt::format("{} {}", grid, components) : grid;
}

// Item of a symmetric tensor. XDMF has the order xx, xy, xz, yy, yz, zz. The file has the order of VTK: xx, yy, zz, xy, yz,
// xz. Because the orders differ, each component is a separate slab.
std::string tensor_item(const std::string& stored, index3 n) {
  constexpr int order[6] = {0, 3, 5, 1, 4, 2};
  std::string slabs;
  for (const int component : order)
    slabs += fmt::format(
        "          <DataItem ItemType=\"HyperSlab\" Type=\"HyperSlab\" Dimensions=\"{0}\">\n"
        "            <DataItem Format=\"XML\" Dimensions=\"3 4\">0 0 0 {1} 1 1 1 1 {0} 1</DataItem>\n"
        "            {2}\n"
        "          </DataItem>\n",
        dimensions_of(n, 1), component, stored);
  return fmt::format(
      "<DataItem ItemType=\"Function\" Function=\"JOIN($0,$1,$2,$3,$4,$5)\" Dimensions=\"{}\">\n{}        </DataItem>",
      dimensions_of(n, 6), slabs);
}

std::string attribute(const std::string& name, const std::string& result_name, index3 shape, centring where, int components,
                      const char* type) {
  const bool node = where == centring::node;
  const index3 n = node ? shape + index3{1, 1, 1} : shape;
  const char* const kind = components == 1 ? "Scalar" : components == 3 ? "Vector" : components == 6 ? "Tensor6" : "Matrix";
  const std::string stored =
      fmt::format("<DataItem Format=\"HDF\" {} Dimensions=\"{}\">{}:/VTKHDF/{}/{}</DataItem>", type,
                  dimensions_of(n, components), xml_text(result_name), node ? "PointData" : "CellData", xml_text(name));
  return fmt::format("      <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">\n        {}\n      </Attribute>\n",
                     xml_text(name), kind, node ? "Node" : "Cell", components == 6 ? tensor_item(stored, n) : stored);
}

}  // namespace

void write_xdmf(const std::string& xdmf_path, const std::string& result_name, const voxel::model_header& header,
                std::span<const field_info> fields) {
  const index3 n = header.shape;
  const vector3 h = header.spacing_mm, o = header.origin_mm;
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n    <Grid Name=\"osteon\" GridType=\"Uniform\">\n"
      "      <Time Value=\"0\"/>\n"  // required by the reader of PyVista
      "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{} {} {}\"/>\n"
      "      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
      "        <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">{} {} {}</DataItem>\n"
      "        <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">{} {} {}</DataItem>\n"
      "      </Geometry>\n",
      n.z + 1, n.y + 1, n.x + 1, o.z, o.y, o.x, h.z, h.y, h.x);
  text += attribute("material", result_name, n, centring::cell, 1,
                    material_type(header.materials) == NC_UBYTE ? "NumberType=\"UChar\" Precision=\"1\""
                                                                : "NumberType=\"UInt\" Precision=\"2\"");
  for (const field_info& f : fields)
    text += attribute(f.name, result_name, n, f.where, f.components, "NumberType=\"Float\" Precision=\"4\"");
  text += "    </Grid>\n  </Domain>\n</Xdmf>\n";

  write_file(xdmf_path, [&](std::ostream& to) { to << text; });
}

}  // namespace osteon::io
