#!/bin/sh
# Within the bare system: install the wheel, then use it by the command line and from Python. usage: use_it.sh FOLDER
set -eu

cd "$1"
fail() {
  printf 'check wheel: %s\n' "$*" >&2
  exit 1
}
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: osteon-*.whl
PATH="$PWD/venv/bin:$PATH"
export PATH

osteon --version
osteon version

# A bar of one material between bonded plates; its stiffness follows by hand in use_it.py. An image of numpy needs no extra.
python use_it.py write
osteon run bar.toml --no-report --output one.out -n 1
osteon run bar.toml --no-report --output two.out -n 2
mpirun --allow-run-as-root --oversubscribe -n 2 osteon run bar.toml --no-report --output launched.out
python use_it.py compare one.out two.out launched.out

# Without the extra: one sentence that names it, and the code of a machine that lacks something.
sed 's/bar.npy/bar.nii/' bar.toml >nifti.toml
cp bar.npy bar.nii
code=0
osteon run nifti.toml >said 2>&1 || code=$?
[ "$code" = 5 ] || fail "a missing reader has exit code $code"
grep -q "the Python package 'nibabel' is missing; .*pip install 'osteon\[nifti\]'" said || fail "$(cat said)"
[ "$(grep -c . said)" -le 2 ] || fail "more than a sentence: $(cat said)"
osteon report one.out >said 2>&1 && fail "a report without matplotlib"
grep -q "pip install 'osteon\[report\]'" said || fail "$(cat said)"

# The extras come by the name that the sentence says: pip takes them from the package that is installed.
pip install --quiet --disable-pip-version-check --only-binary :all: 'osteon[report,xarray,pyvista]'
osteon report one.out
python use_it.py results one.out
