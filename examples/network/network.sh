#!/bin/sh
# Runs a network on this machine until Ctrl-C: a hub, two games, and nginx in front if it is installed.
#
#   sh network.sh [DIR]    keeps the data of the servers and their logs in DIR (run)
#
# TORC is the program (torc). PORT is the TCP port of nginx (28000). The servers have the three next
# ports, UDP for players and TCP for pages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-run} torc=${TORC:-torc} port=${PORT:-28000} host=127.0.0.1
hub=$((port + 1)) arena=$((port + 2)) valley=$((port + 3))
pids=

# stop ends all processes. It repeats the signal: the second one does not wait for players.
stop() {
  for pid in $pids; do
    while kill "$pid" 2>/dev/null; do sleep 0.1; done
  done
  pids=
}

# serve NAME FLAGS... starts a server.
serve() {
  name=$1 && shift
  "$torc" serve --name "$name" --data "$dir/$name" --console off "$@" >"$dir/$name.out" 2>"$dir/$name.log" &
  pids="$pids $!"
}

# ready NAME... waits until the servers listen. grep -s: the file can be a moment late.
ready() {
  for name; do
    until grep -qs '^listening on' "$dir/$name.out"; do
      alive || { cat "$dir/$name.log" >&2 && exit 1; }
      sleep 0.1
    done
  done
}

# alive reports whether all processes run.
alive() {
  for pid in $pids; do kill -0 "$pid" 2>/dev/null || return 1; done
}

# game NAME FLAGS... starts a server of the network.
game() {
  name=$1 && shift
  eval port=\$$name
  serve "$name" --listen "$host:$port" --web "$host:$port" --web-proxy "$host" --web-origin "$site/s/$name/" \
    --mods "$here/mods" --drain 30s "$@"
}

# peer NAME prints what the other servers know of a server.
peer() {
  eval port=\$$1
  echo "$1=$host:$port#$(cat "$dir/$1.key")"
}

# pages prints the configuration of nginx: that of docs/fleet.md, without TLS and with these servers.
pages() {
  echo "daemon off; pid nginx.pid; events {} http { access_log off;"
  for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path nginx-$kind;"; done
  sed -n '/^```nginx$/,/^```$/p' "$here/../../docs/fleet.md" | sed '/^```/d' | sed '$d' | # without the last brace
    sed -e '/ssl_certificate/d' -e '/server_name/d' -e '/location/d' -e "s/listen 443 ssl/listen $host:$front/"
  echo "location = / { return 302 /s/hub/; }"
  for name in hub arena valley; do
    eval port=\$$name
    echo "location /s/$name/ { proxy_pass http://$host:$port; }"
  done
  echo "} }"
}

front=$port site=http://$host:$port
trap "trap '' INT TERM; stop" EXIT
trap 'exit 0' INT TERM
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

for name in hub arena valley; do # the first start makes the key
  [ -s "$dir/$name.key" ] && continue
  rm -f "$dir/$name.out"
  serve "$name" --listen "$host:0"
  ready "$name"
  stop
  sed -n 's/^listening on .* key //p' "$dir/$name.out" >"$dir/$name.key"
done
pages >"$dir/nginx.conf"
{ # for compose.yml
  echo "OWNER=$(id -u):$(id -g)"
  for name in hub arena valley; do echo "$name=$(cat "$dir/$name.key")"; done
} >"$dir/compose.env"

rm -f "$dir"/*.out "$dir/nginx.pid"
game hub --mod hub --mission lobby --exec "$here/hub.cfg" --peer "$(peer arena)" --peer "$(peer valley)"
game arena --mod deathmatch --mod rounds --exec "$here/game.cfg" --peer "$(peer hub)" --peer "$(peer valley)"
game valley --mod ctf --mod rounds --exec "$here/game.cfg" --peer "$(peer hub)" --peer "$(peer arena)"
ready hub arena valley
PATH=$PATH:/usr/sbin
if command -v nginx >/dev/null; then
  nginx -p "$dir" -c "$dir/nginx.conf" -e stderr 2>"$dir/nginx.log" &
  pids="$pids $!"
  until [ -s "$dir/nginx.pid" ]; do # it has its port then
    alive || { cat "$dir/nginx.log" >&2 && exit 1; }
    sleep 0.1
  done
  echo "pages at $site/"
fi
for name in hub arena valley; do sed -n "s/^listening on \(.*\) key /$name at \1#/p" "$dir/$name.out"; done
echo "Ctrl-C stops all"
while alive; do sleep 1; done
echo "a program has ended: see the logs in $dir" >&2
exit 1
