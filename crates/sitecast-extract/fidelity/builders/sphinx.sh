# Builds the documentation of Sphinx itself with a theme: sphinx.sh OUT THEME
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 theme=$2

package=$(sdist sphinx 9.0.4)
docs=$WORK/build/sphinx-$theme
rm -rf "$docs"
mkdir -p "$WORK/build"
cp -r "$package/doc" "$docs"
# The theme replaces Sphinx's own, and what was made for that one.
cat >> "$docs/conf.py" << SETTINGS

html_theme = '$theme'
html_theme_path = []
html_theme_options = {}
html_css_files = []
html_sidebars = {}
html_additional_pages = {}
templates_path = []
intersphinx_mapping = {}
nitpicky = False
# Diagrams need a program that may not be there.
extensions = [name for name in extensions if name not in ('sphinx.ext.graphviz', 'sphinx.ext.inheritance_diagram')]
SETTINGS
# The documentation includes these from the folder above it.
cp "$package/CHANGES.rst" "$package/AUTHORS.rst" "$WORK/build/"
python3 -m sphinx -q -b html "$docs" "$out"
