#!/usr/bin/env bash
# Encrypted links between the machines of a home: a certificate authority of one's own, and a certificate for each node.
#
#   tls.sh ca FOLDER                  makes the authority; its key stays in that folder, on one machine
#   tls.sh node FOLDER ADDRESS OUT    makes what the node soulmem@ADDRESS needs, in OUT: copy that to its machine and
#                                     set SOULMEM_TLS_DIR to where it lies there
#
# A certificate is good for its address only (the hostname check is on), and both ends must show one.
set -euo pipefail
umask 077
die() { echo "tls.sh: $*" >&2; exit 64; }
days=3650

authority() {
  [ $# = 1 ] || die "ca FOLDER"
  mkdir -p "$1"
  [ ! -e "$1/ca.key" ] || die "$1/ca.key is there already"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days $days -subj "/CN=SoulMem home" \
    -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign" \
    -keyout "$1/ca.key" -out "$1/ca.pem" 2>/dev/null
  echo "$1/ca.pem"
}

node() {
  [ $# = 3 ] || die "node FOLDER ADDRESS OUT"
  local authority=$1 address=$2 out=$3
  [ -e "$authority/ca.key" ] || die "there is no authority in $authority: tls.sh ca $authority"
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  # The BEAM looks for the name behind the @ among the DNS names, be it an address or not.
  local names="DNS:$address"
  [[ $address =~ [^0-9.] ]] || names="$names,IP:$address"
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$address" \
    -keyout "$out/node.key" -out "$out/node.csr" 2>/dev/null
  openssl x509 -req -in "$out/node.csr" -CA "$authority/ca.pem" -CAkey "$authority/ca.key" -CAcreateserial -days $days \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=critical,digitalSignature\n' "$names") \
    -out "$out/node.pem" 2>/dev/null
  rm "$out/node.csr"
  cp "$authority/ca.pem" "$out/ca.pem"
  settings "${SOULMEM_TLS_DIR:-$out}" >"$out/ssl_dist.conf"
  echo "$out/ssl_dist.conf"
}

settings() {
  local common="{certfile, \"$1/node.pem\"}, {keyfile, \"$1/node.key\"}, {cacertfile, \"$1/ca.pem\"}, {verify, verify_peer}, {versions, ['tlsv1.3']}"
  printf '%s\n' "[{server, [$common, {fail_if_no_peer_cert, true}]}," " {client, [$common]}]."
}

case "${1-}" in
  ca) shift; authority "$@" ;;
  node) shift; node "$@" ;;
  *) sed -n '2,8s/^# *//p' "${BASH_SOURCE[0]}" >&2; exit 64 ;;
esac
