#include <osteon/job/spec/synonyms.hpp>

#include <algorithm>
#include <cctype>
#include <common/suggest.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <utility>

namespace osteon::job {

namespace {

// Words without case, blanks, dashes and underscores. In this form, "Von Mises" and von_mises are equal.
std::string bare_word(const std::string& word) {
  std::string bare;
  for (const char c : word)
    if (std::isalnum(static_cast<unsigned char>(c))) bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return bare;
}

struct synonym {
  const char* meant;
  std::vector<const char*> words;  // words in this form
};

const std::vector<std::pair<const char*, std::vector<synonym>>>& synonyms_of_values() {
  static const std::vector<std::pair<const char*, std::vector<synonym>>> table{
      {"keep",
       {{"largest", {"biggest", "main", "one", "largestcomponent", "lcc"}},
        {"percolating", {"connected", "spanning", "through"}},
        {"all", {"none", "everything", "no", "off"}}}},
      {"fields",
       {{"von_mises", {"mises", "vonmisesstress", "equivalentstress", "seqv"}},
        {"sed", {"strainenergydensity", "strainenergy", "energy"}},
        {"displacement", {"displacements", "u", "disp", "deformation"}},
        {"stress", {"stresses", "s", "sigma"}},
        {"strain", {"strains", "e", "epsilon"}},
        {"effective_strain", {"equivalentstrain", "eeff"}},
        {"principal_stress", {"principalstresses", "maxprincipalstress"}},
        {"principal_strain", {"principalstrains", "maxprincipalstrain"}}}},
      {"colour_map", {{"batlow", {"jet", "rainbow", "turbo", "parula", "hsv"}}, {"inferno", {"hot", "magma", "plasma"}}}},
      {"compression", {{"deflate", {"gzip", "zlib", "zip", "on", "yes"}}, {"none", {"off", "no", "raw"}}}},
      {"faces", {{"solid", {"specimen", "sample", "boundingbox", "bone"}}, {"image", {"box", "volume"}}}},
      {"kind",
       {{"temperature", {"dirichlet", "fixed", "isothermal"}},
        {"flux", {"neumann", "heatflux"}},
        {"convection", {"robin", "transfer", "newton"}}}},
      {"boundary_condition", {{"periodic", {"pbc", "periodicboundary"}}, {"kubc", {"dirichlet", "linear"}}}},
      {"select",
       {{"box", {"cuboid", "region"}}, {"disk", {"cylinder", "circle", "sphere"}}, {"points", {"point", "nearest"}}}},
      {"scheme", {{"implicit_euler", {"euler", "backwardeuler"}}, {"crank_nicolson", {"trapezoidal", "cn"}}}},
      {"method", {{"surface", {"isosurface", "mesh"}}, {"volume", {"raycasting", "volumerendering", "mip"}}}}};
  return table;
}

const std::vector<synonym>& synonyms_of_keys() {
  static const std::vector<synonym> table{
      // tables
      {"image", {"scan", "input", "volume", "data", "ct"}},
      {"segment", {"segmentation", "mask", "thresholding"}},
      {"material", {"materials", "mat", "properties"}},
      {"load", {"loads", "loading", "loadcase", "bc", "boundaryconditions"}},
      {"support", {"supports", "constraint", "constraints", "fixed", "fixtures"}},
      {"force", {"forces"}},
      {"case", {"cases", "loadcases"}},
      {"set", {"sets", "nodeset", "nodesets", "regions"}},
      {"boundary", {"boundaries"}},
      {"probe", {"probes", "sensor", "sensors", "monitor", "monitors"}},
      {"picture", {"render", "rendering", "visualization", "visualisation", "plot", "figure"}},
      {"solve", {"solver", "numerics", "convergence"}},
      {"output", {"results", "out"}},
      {"run", {"parallel", "mpi", "compute"}},
      {"transient", {"time", "timestepping"}},
      // keys
      {"path", {"file", "filename", "filepath", "scan", "source", "img"}},
      {"spacing_mm",
       {"spacing", "voxelsize", "voxelsizemm", "voxelspacing", "voxelspacingmm", "resolution", "resolutionmm", "pixelsize",
        "spacingum", "voxelsizeum", "spacinginmm", "elementsize", "h", "dx"}},
      {"crop_voxels", {"crop", "roi", "cropvox", "subvolume"}},
      {"threshold", {"thresh", "lower", "level", "greythreshold", "graythreshold"}},
      {"upper", {"upperthreshold", "max"}},
      {"labels", {"islabels", "labelled", "labeled", "labelimage"}},
      {"youngs_modulus_MPa",
       {"e", "young", "youngs", "youngsmodulus", "youngmodulus", "modulus", "emodulus", "elasticmodulus", "modulusmpa",
        "youngsmodulusgpa", "youngsmoduluspa", "emodul", "empa", "egpa", "stiffness"}},
      {"poisson_ratio", {"nu", "poisson", "poissons", "poissonsratio", "v"}},
      {"conductivity_W_per_mK", {"conductivity", "thermalconductivity", "k", "lambda", "diffusivity"}},
      {"density_kg_per_m3", {"density", "rho", "massdensity"}},
      {"thermal_expansion_per_K", {"cte", "alpha", "expansion", "thermalexpansion", "expansioncoefficient"}},
      {"heat_capacity_J_per_m3K", {"heatcapacity", "cp", "specificheat", "volumetricheatcapacity"}},
      {"test", {"type", "kind", "loadtype", "testtype"}},
      {"axis", {"loadaxis", "dir"}},
      {"boundary_condition", {"bc", "boundaryconditions", "periodicity"}},
      {"strain", {"strainpercent", "apparentstrain", "appliedstrain"}},
      {"displacement_mm", {"displacement", "disp", "displacementum"}},
      {"force_N", {"force", "forcekn", "f"}},
      {"fix", {"fixed", "hold", "dofs", "dof", "constrain", "lock"}},
      {"on", {"set", "nodes", "where", "target", "face"}},
      {"select", {"type", "kind", "by"}},
      {"tolerance", {"tol", "rtol", "eps", "precision", "accuracy"}},
      {"max_iterations", {"maxiter", "maxit", "iterations", "niter", "maxits", "maxiters"}},
      {"colour_map", {"colormap", "cmap", "colors", "colours", "palette"}},
      {"directory", {"dir", "folder", "path", "output"}},
      {"fields", {"variables", "outputs", "quantities"}},
      {"ranks", {"processes", "procs", "np", "n", "cores", "nproc"}},
      {"threads", {"nthreads", "omp", "ompthreads"}},
      {"gravity_m_per_s2", {"gravity", "g", "bodyforce"}},
      {"critical_strain", {"yieldstrain"}},
      {"critical_volume", {"criticalfraction", "volumefraction"}}};
  return table;
}

std::string meant_by(const std::vector<synonym>& table, const std::string& word, const std::vector<std::string>& among) {
  const std::string bare = bare_word(word);
  for (const std::string& candidate : among)  // the word itself in another spelling
    if (bare_word(candidate) == bare) return candidate;
  for (const synonym& s : table)
    if (std::find(s.words.begin(), s.words.end(), bare) != s.words.end() &&
        std::find(among.begin(), among.end(), s.meant) != among.end())
      return s.meant;
  return {};
}

// Units that a key may have instead of its correct unit.
std::string without_unit(const std::string& key) {
  for (const char* unit : {"_GPa", "_Pa", "_kPa", "_MPa", "_um",  "_m",         "_cm",        "_mm", "_percent", "_kN",
                           "_N",   "_C",  "_K",   "_rad", "_deg", "_g_per_cm3", "_kg_per_m3", "_ms", "_min",     "_s"})
    if (const std::string end = unit; key.size() > end.size() && key.ends_with(end))
      return key.substr(0, key.size() - end.size());
  return key;
}

void collect_keys(const key_table& table, const std::string& at, std::map<std::string, std::vector<std::string>>& all) {
  for (const key_part& part : table.parts())
    for (const key_entry& entry : part.keys) all[at].push_back(entry.name);
  for (const key_table& inner : table.tables()) {
    all[at].push_back(inner.name);
    collect_keys(inner, at.empty() ? inner.name : at + "." + inner.name, all);
  }
}

// Earlier names of keys and values. The reader accepts earlier names and prints a hint. The reader does not accept synonyms.
struct renamed {
  const char* at;  ///< table of a key, or key of a value
  const char* was;
  const char* is;
};

constexpr renamed renamed_keys[] = {{"load", "boundary", "boundary_condition"},
                                    {"load", "surroundings", "boundary_condition"}};
constexpr renamed renamed_values[] = {{"face", "z-low", "z_low"}, {"face", "z-high", "z_high"},
                                      {"face", "y-low", "y_low"}, {"face", "y-high", "y_high"},
                                      {"face", "x-low", "x_low"}, {"face", "x-high", "x_high"}};

}  // namespace

std::vector<std::string> older_keys(const std::string& table, const std::string& key) {
  std::vector<std::string> found;
  for (const renamed& r : renamed_keys)
    if (table == r.at && key == r.is) found.emplace_back(r.was);
  return found;
}

std::string present_value(const std::string& key, const std::string& value) {
  for (const renamed& r : renamed_values)
    if (key == r.at && value == r.was) return r.is;
  return value;
}

std::map<std::string, std::vector<std::string>> keys_by_table() {
  std::map<std::string, std::vector<std::string>> all;
  collect_keys(job_keys(), "", all);
  return all;
}

std::string advice_on_key(const std::string& table, const std::string& key, const std::vector<std::string>& known) {
  const auto did_mean = [](const std::string& word) { return "; did you mean '" + word + "'?"; };
  for (const std::string& candidate : known)
    if (candidate != key && without_unit(candidate) != candidate && without_unit(candidate) == without_unit(key))
      return did_mean(candidate) + " The unit is part of the name";
  if (const std::string word = meant_by(synonyms_of_keys(), key, known); !word.empty()) return did_mean(word);
  const auto has_key = [&](const key_table& t) {
    return std::any_of(t.parts().begin(), t.parts().end(), [&](const key_part& part) {
      return std::any_of(part.keys.begin(), part.keys.end(), [&](const key_entry& e) { return e.name == key; });
    });
  };
  std::map<std::string, std::string> places;  // places by name
  if (!table.empty() && (has_key(job_keys()) || job_keys().has_table(key)))
    places[""] = "the beginning of the file, before all tables";
  for (const key_table& t : job_keys().tables())
    if (t.name != table && (has_key(t) || t.has_table(key)))
      places[t.name] = t.kind == key_table::kinds::list ? "[[" + t.name + "]]" : "[" + t.name + "]";
  std::vector<std::string> elsewhere;
  for (const auto& [name, place] : places) elsewhere.push_back(place);
  if (!elsewhere.empty()) {
    std::string text = "; the key belongs to " + elsewhere.front();
    for (std::size_t n = 1; n < elsewhere.size(); ++n) text += " or " + elsewhere[n];
    return text;
  }
  return did_you_mean(key, known);
}

std::string advice_on_value(const std::string& key, const std::string& value, const std::vector<std::string>& choices) {
  std::vector<synonym> names;
  for (const physics_entry* p : all_physics()) {
    if (key == "physics") names.push_back({p->name, p->synonyms});
    if (key == "test")
      for (const load_test& test : p->tests) names.push_back({test.name.c_str(), test.synonyms});
  }
  for (const auto& [name, table] : synonyms_of_values())
    if (key == name || (key == "field" && name == std::string("fields")))
      names.insert(names.end(), table.begin(), table.end());
  const std::string word = meant_by(names, value, choices);
  return word.empty() ? did_you_mean(value, choices) : "; did you mean '" + word + "'?";
}

}  // namespace osteon::job
