#!/usr/bin/env bash
# Encrypted links between the machines of a home: a certificate authority of one's own, and a certificate for each node.
#
#   tls.sh ca FOLDER                  makes the authority; its key stays in that folder, on one machine
#   tls.sh node FOLDER ADDRESS OUT    makes what the node soulmem@ADDRESS needs, in OUT: copy that to its machine and
#                                     set SOULMEM_TLS_DIR to where it lies there
#
# A node has two certificates, one to be called with and one to call with, both good for its address only and checked by
# the other end: who calls looks for the name behind the @, who is called for the address that the call comes from.
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
  [[ ! $address =~ [^0-9.] ]] || die "$address is no IPv4 address"
  # The caller looks for the name behind the @ among the DNS names, be it an address or not. The called end would take
  # any such name of a node that it knows; only without one does it hold the address of the call against the certificate.
  certify node serverAuth "DNS:$address,IP:$address"
  certify caller clientAuth "IP:$address"
  cp "$authority/ca.pem" "$out/ca.pem"
  settings "${SOULMEM_TLS_DIR:-$out}" >"$out/ssl_dist.conf"
  echo "$out/ssl_dist.conf"
}

certify() { # what it is called, what it is for, its names
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$address" \
    -keyout "$out/$1.key" -out "$out/$1.csr" 2>/dev/null
  openssl x509 -req -in "$out/$1.csr" -CA "$authority/ca.pem" -CAkey "$authority/ca.key" -CAcreateserial -days $days \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=%s\nkeyUsage=critical,digitalSignature\n' "$3" "$2") \
    -out "$out/$1.pem" 2>/dev/null
  rm "$out/$1.csr"
}

settings() {
  local both="{cacertfile, \"$1/ca.pem\"}, {verify, verify_peer}, {versions, ['tlsv1.3']}"
  # With this name in its place OTP's own check of the caller's address is done (inet_tls_dist), for a node that has a list
  # of those that it knows: the node makes one where SOULMEM_TLS_DIR is set.
  local caller="{verify_fun, {fun inet_tls_dist:verify_client/3, []}}"
  printf '%s\n' \
    "[{server, [{certfile, \"$1/node.pem\"}, {keyfile, \"$1/node.key\"}, $both, {fail_if_no_peer_cert, true}, $caller]}," \
    " {client, [{certfile, \"$1/caller.pem\"}, {keyfile, \"$1/caller.key\"}, $both]}]."
}

case "${1-}" in
  ca) shift; authority "$@" ;;
  node) shift; node "$@" ;;
  *) sed -n '2,8s/^# *//p' "${BASH_SOURCE[0]}" >&2; exit 64 ;;
esac
