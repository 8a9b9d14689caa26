# Builds the documentation of a package of npm that is written for Docusaurus: docusaurus.sh OUT PACKAGE VERSION FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 name=$2 version=$3 folder=$4

site=$WORK/build/docusaurus-${name//\//-}
mkdir -p "$site"
rm -rf "$site/docs"
cp -r "$(npm_package "$name" "$version")/$folder" "$site/docs"
# Components of the site are not in the package; pages that use them are left out.
grep -rl "@site/" "$site/docs" --include='*.md*' | xargs --no-run-if-empty rm
# Pages of our own show the kinds of Markdown that the documentation does not have.
cp -r "$here/pages/docusaurus" "$site/docs/extensions"
cp "$here/builders/docusaurus.config.mjs" "$here/builders/docusaurus.sidebars.mjs" "$site/"
cp "$here/builders/docusaurus.json" "$site/package.json"
cd "$site"
npm install --silent --no-audit --no-fund
npx docusaurus build --config docusaurus.config.mjs --out-dir "$out"
