# What the builders share: they bring packages into WORK/sources and print where they are.
# shellcheck shell=bash
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$WORK/sources
mkdir -p "$sources"

# Unpacks an archive once: unpack ARCHIVE FOLDER
unpack() {
  rm -rf "$2.part"
  mkdir -p "$2.part"
  tar -xf "$1" -C "$2.part" --strip-components=1
  mv "$2.part" "$2"
}

# The source distribution of a Python package: sdist NAME VERSION
sdist() {
  local folder=$sources/pypi-$1-$2
  if [ ! -d "$folder" ]; then
    rm -rf "$folder.download"
    python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$folder.download" "$1==$2"
    unpack "$(echo "$folder.download"/*.tar.gz)" "$folder"
  fi
  echo "$folder"
}

# A crate as it was published: crate NAME VERSION
crate() {
  local folder=$sources/crate-$1-$2
  if [ ! -d "$folder" ]; then
    # Cargo downloads the crate with all that it depends on, and says where it is.
    local project=$sources/fetch-$1 manifest
    mkdir -p "$project/src"
    touch "$project/src/lib.rs"
    printf '[package]\nname = "fetch"\nedition = "2024"\n[dependencies]\n%s = "=%s"\n[workspace]\n' "$1" "$2" > "$project/Cargo.toml"
    manifest=$(cargo metadata --quiet --format-version 1 --manifest-path "$project/Cargo.toml" |
      python3 -c 'import json, sys; print(next(package["manifest_path"] for package in json.load(sys.stdin)["packages"] if package["name"] == sys.argv[1]))' "$1")
    cp -r "$(dirname "$manifest")" "$folder"
  fi
  echo "$folder"
}

# A package of npm as it was published: npm_package NAME VERSION
npm_package() {
  local folder=$sources/npm-${1//\//-}-$2
  if [ ! -d "$folder" ]; then
    local archive
    archive=$(cd "$sources" && npm pack --silent "$1@$2")
    unpack "$sources/$archive" "$folder"
  fi
  echo "$folder"
}

# The files of a Debian package: debian_package NAME
debian_package() {
  local folder=$sources/debian-$1
  if [ ! -d "$folder" ]; then
    mkdir -p "$folder.deb"
    (cd "$folder.deb" && apt-get -qq download "$1")
    dpkg-deb -x "$folder.deb/$1"_*.deb "$folder.part"
    mv "$folder.part" "$folder"
  fi
  echo "$folder"
}
