#pragma once

namespace osteon::app {

/// Let the Python programs that osteon starts find its package where it is installed: PREFIX/share/osteon/python. A package
/// on PYTHONPATH comes after it; in a build tree nothing changes.
void use_installed_python();

}  // namespace osteon::app
