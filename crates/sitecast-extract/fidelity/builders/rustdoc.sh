# Builds the documentation of a crate with rustdoc: rustdoc.sh OUT CRATE VERSION
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 name=$2 version=$3

folder=$(crate "$name" "$version")
target=$WORK/build/rustdoc-$name
# The crate is no part of a workspace that may be around the folder.
grep -q '^\[workspace\]' "$folder/Cargo.toml" || printf '\n[workspace]\n' >> "$folder/Cargo.toml"
CARGO_TARGET_DIR=$target cargo doc --quiet --no-deps --manifest-path "$folder/Cargo.toml"
cp -r "$target/doc" "$out"
