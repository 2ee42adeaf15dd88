#pragma once
/// @file
/// Suggestions for unknown keys and values, including names used by other programs.
#include <map>
#include <string>
#include <vector>

namespace osteon::job {

/// The keys of a job file by table: "load" has "axis", "strain" ...; the name of the root table is empty.
std::map<std::string, std::vector<std::string>> keys_by_table();

/// Names of a key in earlier versions, which job files may still use. @param table as "load"
std::vector<std::string> older_keys(const std::string& table, const std::string& key);

/// Return the present spelling of a value. A value that was never renamed is returned unchanged. @param key name of the key
/// with this value
std::string present_value(const std::string& key, const std::string& value);

/// Return `; did you mean 'spacing_mm'?`, `; the key belongs to [load]`, or an empty text.
/// @param table as "image" or "material"; empty: the root @param known the keys of the table
std::string advice_on_key(const std::string& table, const std::string& key, const std::vector<std::string>& known);

/// Return `; did you mean 'axial_bonded'?`, or an empty text. @param key name of the key with this value @param choices the
/// valid values
std::string advice_on_value(const std::string& key, const std::string& value, const std::vector<std::string>& choices);

}  // namespace osteon::job
