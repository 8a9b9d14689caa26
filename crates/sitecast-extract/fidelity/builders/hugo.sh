# Builds Markdown that a Debian package has with Hugo and the theme Doks: hugo.sh OUT PACKAGE FOLDER SECTION...
# Needs `hugo` (Debian has 0.111.3).
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 name=$2 folder=$3
shift 3

package=$(debian_package "$name")
theme=$(npm_package @hyas/doks 0.5.0)
docs=$WORK/build/hugo-$name
rm -rf "$docs"
mkdir -p "$WORK/build"
# The theme is a site to copy, with pages of its own.
cp -r "$theme" "$docs"
rm -rf "$docs/content" "$docs/config"
mkdir -p "$docs/content"
cp "$here/builders/hugo.toml" "$docs/config.toml"
# Styles and scripts need programs that are not there. No text is in them.
for partial in head/stylesheet footer/script-footer; do
  : > "$docs/layouts/partials/$partial.html"
done
python3 "$here/builders/hugo_pages.py" "$package/$folder" "$docs/content/docs" "$@"
hugo --quiet --source "$docs" --destination "$out"
