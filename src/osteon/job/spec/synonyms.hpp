#pragma once
/// @file
/// What was perhaps meant by a word that no key and no value has: other programs' words lead to ours.
#include <map>
#include <string>
#include <vector>

namespace osteon::job {

/// The keys of a job file by table: "load" has "axis", "strain" ...; the name of the outermost is empty.
std::map<std::string, std::vector<std::string>> keys_by_table();

/// What a key was called in earlier versions; job files may still call it so. @param table as "load"
std::vector<std::string> older_keys(const std::string& table, const std::string& key);

/// The value as it is spelled now; itself, if that never was otherwise. @param key whose value it is
std::string present_value(const std::string& key, const std::string& value);

/// `; did you mean 'spacing_mm'?`, `; it belongs to [load]`, or nothing.
/// @param table as "image" or "material"; empty: the outermost @param known the keys of that table
std::string advice_on_key(const std::string& table, const std::string& key, const std::vector<std::string>& known);

/// `; did you mean 'axial_bonded'?`, or nothing. @param key whose value it is @param choices the values that there are
std::string advice_on_value(const std::string& key, const std::string& value, const std::vector<std::string>& choices);

}  // namespace osteon::job
