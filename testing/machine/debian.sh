# Packages of Debian, of any release and architecture: downloaded by apt-get, not installed. Sourced by the
# scripts that need them. The lists of apt are its own, in a directory of the script; the mirrors are those that
# this machine uses, whichever release it has itself.

# debian_open DIRECTORY RELEASE ARCHITECTURE: reads the lists of a release. Says why on standard error if it cannot.
debian_open() {
  local directory=$1 release=$2 mirrors uri
  mkdir -p "$directory/lists/partial" "$directory/cache/archives/partial"
  mirrors=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' | sort -u | sed -n 's/^Debian\(-Security\)\{0,1\} //p')
  [ -n "$mirrors" ] || { echo 'apt knows no mirror of Debian on this machine.' >&2 && return 1; }
  for uri in $mirrors; do
    case $uri-$release in
      *security*-sid | *security*-*-backports) ;;
      *security*) echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $release-security main" ;;
      *) echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $release main" ;;
    esac
  done >"$directory/sources.list"
  debian_options=(-qq -o APT::Architecture="$3" -o APT::Architectures="$3" -o Dir::State="$directory" -o Dir::State::Lists="$directory/lists"
    -o Dir::Cache="$directory/cache" -o Dir::Etc::SourceList="$directory/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::status=/dev/null -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Debug::NoLocking=true)
  apt-get "${debian_options[@]}" update >&2
}

# debian_newest PREFIX EXPRESSION: the name of the newest package that the extended regular expression matches.
debian_newest() {
  apt-cache "${debian_options[@]}" pkgnames "$1" | grep -E "^$2\$" | sort -V | tail -n 1
}

# debian_download DIRECTORY PACKAGE: into the directory; prints the name of the file.
debian_download() {
  mkdir -p "$1"
  rm -f "$1/$2"_*.deb
  (cd "$1" && apt-get "${debian_options[@]}" download "$2") >&2 && ls "$1/$2"_*.deb
}

# debian_download_all PACKAGE...: with all that they depend on; prints the names of the files.
debian_download_all() {
  local archives
  archives=$(apt-config "${debian_options[@]}" shell archives Dir::Cache::archives/d) && eval "$archives"
  rm -f "$archives"/*.deb
  apt-get "${debian_options[@]}" --yes --no-install-recommends --download-only install "$@" >&2 && ls "$archives"/*.deb
}
