# Builds a book that a crate has with mdBook: mdbook.sh OUT CRATE VERSION FOLDER
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 name=$2 version=$3 folder=$4

if [ ! -x "$WORK/tools/bin/mdbook" ]; then
  CARGO_TARGET_DIR=$WORK/tools/target cargo install --quiet --locked --no-default-features --debug --root "$WORK/tools" mdbook --version 0.5.4
fi
book=$(crate "$name" "$version")/$folder
# Preprocessors are programs of their own, which are not there.
sed -i '/^\[preprocessor/,/^$/d' "$book/book.toml"
"$WORK/tools/bin/mdbook" build --dest-dir "$out" "$book"
