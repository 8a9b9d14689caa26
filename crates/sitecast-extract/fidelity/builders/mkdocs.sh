# Builds the documentation of a Python package with MkDocs Material: mkdocs.sh OUT PACKAGE VERSION SETTINGS [PLUGIN...] [-EXTENSION...]
# Of the plugins in the package's settings only the named ones are used: the others need the history of a repository,
# or addresses on the web.
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 name=$2 version=$3 settings=$4
shift 4

package=$(sdist "$name" "$version")
cd "$package"
python3 "$here/builders/mkdocs_settings.py" "$settings" fidelity.yml "$@"
PYTHONPATH=.:src python3 -m mkdocs build --config-file fidelity.yml --site-dir "$out"
