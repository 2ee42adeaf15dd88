#!/bin/sh
# Within the bare system: install the wheel, then use it by the command line and from Python. usage: use_it.sh FOLDER
# FOLDER has dist/osteon-*.whl, README.md and use_it.py.
set -eu

cd "$1"
fail() {
  printf 'check wheel: %s\n' "$*" >&2
  exit 1
}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ONLY_BINARY=:all: PIP_QUIET=1
python3 -m venv venv
PATH="$PWD/venv/bin:$PATH"
export PATH

# pip prints a message if glibc is too old.
older=$(pip install --no-deps --target older --platform manylinux_2_28_x86_64 dist/osteon-*.whl 2>&1) && fail "pip installs it for glibc 2.28"
case $older in
  *"is not a supported wheel on this platform"*) ;;
  *) fail "for glibc 2.28 pip says '$older'" ;;
esac

# The command of the front page, first without the extras.
install=$(grep '^pip install ' README.md | sed 's/\[all\]//')
[ -n "$install" ] || fail "README.md contains no command that installs the wheel"
eval "$install"
osteon --version
osteon version

# A bar of one material between bonded plates; its stiffness follows by hand in use_it.py. An image of numpy needs no extra.
python use_it.py write
osteon run bar.toml --no-report --output one.out -n 1
osteon run bar.toml --no-report --output two.out -n 2
mpirun --allow-run-as-root --oversubscribe -n 2 osteon run bar.toml --no-report --output launched.out
python use_it.py compare 'Open MPI' one.out two.out launched.out
python use_it.py in_process
pip install mpi4py
mpirun --allow-run-as-root --oversubscribe -n 2 python use_it.py together

# Without the extra: one message with the packages, and the exit code of a machine error.
sed 's/bar.npy/bar.nii/' bar.toml >nifti.toml
cp bar.npy bar.nii
code=0
osteon run nifti.toml >said 2>&1 || code=$?
[ "$code" = 5 ] || fail "a missing reader has exit code $code"
grep -q "the Python package 'nibabel' is missing; .*pip install nibabel" said || fail "$(cat said)"
[ "$(grep -c . said)" -le 2 ] || fail "more than a sentence: $(cat said)"
osteon report one.out >said 2>&1 && fail "a report without matplotlib"
grep -q "pip install .*matplotlib" said || fail "$(cat said)"

# The extras come from the wheel file.
pip install "$(ls dist/osteon-*.whl)[report,xarray,pyvista]"
osteon report one.out
python use_it.py results one.out
python use_it.py front_page README.md
osteon run femur.toml -n 2
[ -f femur.out/report.html ] || fail "the job of README.md has no report"

# The same file over another MPI installed in the same environment.
for mpi in ${OSTEON_CHECK_MPIS:-mpich}; do
  pip install "$mpi"
  osteon run bar.toml --no-report --output "$mpi.one" -n 1
  osteon run bar.toml --no-report --output "$mpi.two" -n 2
  mpiexec.hydra -n 2 osteon run bar.toml --no-report --output "$mpi.launched"
  python use_it.py compare "$mpi" "$mpi.one" "$mpi.two" "$mpi.launched"
  python use_it.py in_process
done
