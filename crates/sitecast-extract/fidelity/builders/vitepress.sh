# Builds the documentation of a crate that is written for VitePress: vitepress.sh OUT CRATE VERSION FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 name=$2 version=$3 folder=$4

docs=$WORK/build/vitepress-$name
rm -rf "$docs"
mkdir -p "$docs"
cp -r "$(crate "$name" "$version")/$folder/." "$docs"
# The package's own theme needs what is not in the package; pages that use it are left out.
rm -rf "$docs/.vitepress"
grep -rl '^import .*\.vitepress' "$docs" --include='*.md' | xargs --no-run-if-empty rm
mkdir -p "$docs/.vitepress"
cp "$here/builders/vitepress.mjs" "$docs/.vitepress/config.mjs"
# Pages of our own show the kinds of Markdown that the documentation does not have.
cp -r "$here/pages/vitepress" "$docs/extensions"
cd "$docs"
[ -e package.json ] || echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund vitepress@1.6.4
npx vitepress build . --outDir "$out"
