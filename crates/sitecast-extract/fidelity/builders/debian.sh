# Takes documentation that a Debian package has as HTML: debian.sh OUT PACKAGE FOLDER [PATTERN...]
# Of the pages only those are taken whose paths below FOLDER are like one of the patterns.
source "$(dirname "${BASH_SOURCE[0]}")/../fetch.sh"
out=$1 name=$2 folder=$3
shift 3

package=$(debian_package "$name")
cp -rL "$package/$folder" "$out"
if [ $# -gt 0 ]; then
  unlike=()
  for pattern in "$@"; do
    unlike+=(! -path "$out/$pattern")
  done
  find "$out" -name '*.html' "${unlike[@]}" -delete
fi
