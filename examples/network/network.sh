#!/bin/sh
# Runs a network on this machine until Ctrl-C: a hub, two games, three nodes of NATS for what they
# share, and nginx in front if it is installed. A program that dies starts again.
#
#   sh network.sh [DIR]    keeps the data of the programs, their logs and the numbers of their processes in DIR (run)
#
# TORC and NATS are the programs (torc, nats-server). PORT is the TCP port of nginx (28000). The
# servers have the three next ports, UDP for players and TCP for pages. The nodes have the six ports
# behind them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-run} torc=${TORC:-torc} nats=${NATS:-nats-server} port=${PORT:-28000} host=127.0.0.1
site=http://$host:$port front=$port fleet='' routes=''
hub=$((port + 1)) arena=$((port + 2)) valley=$((port + 3)) n1=$((port + 4)) n2=$((port + 5)) n3=$((port + 6))
names="hub arena valley n1 n2 n3" # in the order in which they end

# need PROGRAM VARIABLE WHY ends the script if a program is missing.
need() {
  command -v "$1" >/dev/null && return
  echo "network.sh: there is no program $1: $3. Name it, for example: $2=/opt/bin/${1##*/} sh network.sh" >&2
  exit 1
}

# stop ends all processes. It repeats the signal: the second one does not wait for players.
stop() {
  for name in $names; do
    pid=$(cat "$dir/$name.pid" 2>/dev/null) || continue
    while kill "$pid" 2>/dev/null; do sleep 0.1; done
    rm "$dir/$name.pid"
  done
}

# spawn NAME COMMAND... starts a program in the background.
spawn() {
  name=$1 && shift
  "$@" >"$dir/$name.out" 2>>"$dir/$name.log" &
  echo $! >"$dir/$name.pid"
}

# game NAME FLAGS... starts a server of the network.
game() {
  name=$1 && shift
  eval port=\$$name
  spawn "$name" "$torc" serve --name "$name" --data "$dir/$name" --console off --listen "$host:$port" --web "$host:$port" \
    --web-proxy "$host" --web-origin "$site/s/$name/" --mods "$here/mods" --drain 30s --fleet "$fleet" --as "$name" "$@"
}

# start NAME starts a program.
start() {
  case $1 in
  hub) game hub --mod hub --mod coins --mission lobby --exec "$here/hub.cfg" ;;
  arena) game arena --mod deathmatch --mod rounds --mod coins --exec "$here/game.cfg" ;;
  valley) game valley --mod ctf --mod rounds --mod coins --exec "$here/game.cfg" ;;
  nginx) spawn nginx nginx -p "$dir" -c "$dir/nginx.conf" -e stderr ;;
  *) spawn "$1" "$nats" -c "$dir/$1.conf" -sd "$dir/$1" ;;
  esac
}

# alive NAME reports whether a program runs.
alive() { kill -0 "$(cat "$dir/$1.pid" 2>/dev/null)" 2>/dev/null; }

# ready NAME... waits until programs listen. The files can be a moment late.
ready() {
  for name; do
    until grep -Eqs '^listening on|Server is ready' "$dir/$name.out" "$dir/$name.log" || [ -s "$dir/$name.ready" ]; do
      alive "$name" || { cat "$dir/$name.log" >&2 && exit 1; }
      sleep 0.1
    done
  done
}

# node NAME prints the configuration of a node of NATS: that of docs/fleet.md, for one machine.
node() {
  eval port=\$$1
  echo "server_name: $1"
  echo "listen: \"$host:$port\""
  echo 'jetstream { sync_interval: always, max_mem: 64M, max_file: 1G }'
  echo "cluster { name: network, listen: \"$host:$((port + 3))\", routes: [$routes] }"
}

# pages prints the configuration of nginx: that of docs/fleet.md, without TLS and with these
# servers.
pages() {
  echo "daemon off; pid nginx.ready; events {} http { access_log off;"
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

need "$torc" TORC "it is what this network shows"
need "$nats" NATS "the servers share coins over it (https://nats.io)"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
for name in nginx $names; do
  alive "$name" && echo "network.sh: process $(cat "$dir/$name.pid") is $name of this folder already, or $dir/$name.pid is old" >&2 && exit 1
done
rm -f "$dir"/*.out "$dir"/*.log "$dir"/*.pid "$dir"/*.ready
trap "trap '' INT TERM; stop" EXIT
trap 'exit 0' INT TERM

for name in n1 n2 n3; do
  eval port=\$$name
  fleet=$fleet${fleet:+,}nats://$host:$port
  routes="$routes${routes:+, }\"nats://$host:$((port + 3))\""
done
for name in n1 n2 n3; do node "$name" >"$dir/$name.conf"; done
pages >"$dir/nginx.conf"
echo "OWNER=$(id -u):$(id -g)" >"$dir/compose.env" # for compose.yml

for name in n1 n2 n3; do start "$name"; done
ready n1 n2 n3
for name in hub arena valley; do start "$name"; done
ready hub arena valley
PATH=$PATH:/usr/sbin
if command -v nginx >/dev/null; then
  names="nginx $names"
  start nginx
  ready nginx
  echo "pages at $site/"
fi
for name in hub arena valley; do sed -n "s/^listening on \(.*\) key /$name at \1#/p" "$dir/$name.out"; done
echo "Ctrl-C stops all"
while :; do
  for name in $names; do
    alive "$name" || { echo "$name has died: it starts again" && start "$name"; }
  done
  sleep 1
done
