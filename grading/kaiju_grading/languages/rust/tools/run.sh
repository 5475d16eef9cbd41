# Runs the test programs of /kaiju/run/calls. Their standard output is the result channel.
#
# `one`: a single program, which takes the place of this shell; its standard input is the table of values.
cd "$PWD" || exit 2
exec 7>&"$KAIJU_REPORT_FD"
unset KAIJU_REPORT_FD
mapfile -t calls </kaiju/run/calls
if [ "$1" = one ] && [ "$2" = together ]; then
    eval "set -- ${calls[0]}"
    exec "$@" >&7 7>&-
fi
status=0
table=$(cat; echo .)
[ "$1" = one ] || table=$(cat /kaiju/run/values; echo .)
for call in "${calls[@]}"; do
    eval "set -- $call"
    printf '%s' "${table%.}" | "$@" >/tmp/records 7>&-
    ended=${PIPESTATUS[1]}
    cat /tmp/records >&7
    [ "$ended" -eq 0 ] || status=$ended
    if ! grep -q '"type": "suite", "event": "\(ok\|failed\)"' /tmp/records; then
        # It died: what it had not begun runs again, each test in a process of its own.
        printf '%s' "${table%.}" | "$1" --list --format terse "${@:8}" 7>&- | sed -n 's/: test$//p' >/tmp/names
        while IFS= read -r name; do
            grep -q -F "\"event\": \"started\", \"name\": \"$name\"" /tmp/records && continue
            printf '\n' >&7
            printf '%s' "${table%.}" | "$1" "${@:2:6}" --exact "$name" >&7 7>&-
        done </tmp/names
    fi
    printf '\n--kaiju-program--\n' >&7
done
exit "$status"
