#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# prefix.sh install PREFIX    what is in build/release: a Python environment PREFIX/libexec/roundelay with
#                             all of it, and links to that where programs, compilers, shells and man look; a
#                             modulefile. What an older version left there is replaced.
# prefix.sh uninstall PREFIX  removes that, and no file of others
source "$(dirname "$0")/common.sh"
action=${1:-} prefix=${2:-}
[[ $prefix == /* && $prefix != *[[:space:]:]* ]] ||
  fail "give an absolute path without spaces and colons, e.g. make ${action:-install} PREFIX=/opt/roundelay"
home=$prefix/libexec/roundelay

remove_links() {
  local folder
  for folder in "$prefix/bin" "$prefix/include" "$prefix"/lib* "$prefix/share"; do
    [ ! -d "$folder" ] || find "$folder" -maxdepth 3 -type l -lname '*libexec/roundelay/*' -delete
  done
}

install() {
  say "installing into $prefix"
  local work version target
  version=$(python3 tools/version.py)
  work=$(mktemp -d)
  .venv/bin/python -m pip wheel --disable-pip-version-check --quiet --no-build-isolation --no-deps \
    --config-settings=build-dir=build/release --wheel-dir "$work" .
  python3 -m venv "$home"
  "$home/bin/python" -m pip install --disable-pip-version-check --quiet "$work"/*.whl
  # Also where this version is there already: pip would then leave it as it is.
  "$home/bin/python" -m pip install --disable-pip-version-check --quiet --force-reinstall --no-deps "$work"/*.whl
  rm -r "$work"
  rm -rf "$home/share"
  .venv/bin/python tools/shell_files.py "$home"
  remove_links
  (cd "$home" && find bin include lib* share -maxdepth 3 -regextype egrep -regex \
    '(bin|include|lib[0-9]*)/roundelay|lib[0-9]*/cmake/Roundelay|lib[0-9]*/pkgconfig/.*\.pc|share/.*/_?roundelay[^/]*') |
    while read -r target; do
      mkdir -p "$(dirname "$prefix/$target")"
      ln -sfnr "$home/$target" "$prefix/$target"
    done
  rm -rf "$prefix/share/modulefiles/roundelay"
  mkdir -p "$prefix/share/modulefiles/roundelay"
  sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" packaging/modulefile.in \
    >"$prefix/share/modulefiles/roundelay/$version"
  say "done; module use $prefix/share/modulefiles && module load roundelay"
}

uninstall() {
  [ -d "$home" ] || fail "there is no Roundelay in $prefix"
  # Links first, then what they lead to; folders that nothing else uses; bin, lib and so on stay.
  remove_links
  rm -r "$home" "$prefix/share/modulefiles/roundelay"
  local folder
  for folder in libexec share/modulefiles share/man/man1 share/man share/bash-completion/completions \
    share/bash-completion share/zsh/site-functions share/zsh share/fish/vendor_completions.d share/fish \
    lib/cmake lib/pkgconfig lib64/cmake lib64/pkgconfig; do
    [ ! -d "$prefix/$folder" ] || rmdir --ignore-fail-on-non-empty "$prefix/$folder"
  done
  say "removed from $prefix"
}

case $action in
  install | uninstall) "$action" ;;
  *) fail "prefix.sh install|uninstall PREFIX" ;;
esac
