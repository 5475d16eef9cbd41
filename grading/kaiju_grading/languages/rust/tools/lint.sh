# clippy over the library and rustfmt over the files that are named; both with our settings.
cp -a /kaiju/env/target/. "$CARGO_TARGET_DIR"/
# What the tree allows itself is told all the same: a forced warning heeds no attribute.
forced=()
for rule in clippy::all nonstandard_style dead_code unreachable_code unused_assignments unused_imports \
    unused_must_use unused_mut unused_variables; do
    forced+=(--force-warn "$rule")
done
CLIPPY_CONF_DIR=/kaiju/run cargo clippy --lib --offline --locked --quiet --message-format=json -- "${forced[@]}" \
    2>/tmp/log >&"$KAIJU_REPORT_FD"
checked=$?
cat /tmp/log >&2
printf '\n{"reason":"kaiju-clippy","status":%d}\n' "$checked" >&"$KAIJU_REPORT_FD"
# "Diff in FILE:LINE:" stands over lines that are the same, and those over the first that differ.
first_difference() {
    local line=1 said
    while IFS= read -r said; do
        case $said in
        "Diff in "*:[0-9]*:) line=${said%:} line=${line##*:} ;;
        [-+]*) break ;;
        *) line=$((line + 1)) ;;
        esac
    done
    printf '%d' "$line"
}
# A file at a time, and not the modules that it names: a file that cannot be read must not hide the others.
while IFS= read -r path; do
    rustfmt --check --config-path /kaiju/run/rustfmt.toml --edition "$1" --config skip_children=true \
        --color never "$path" >/tmp/layout 2>/dev/null </dev/null
    printf '{"reason":"kaiju-rustfmt","status":%d,"differs":%d,"line":%d}\n' "$?" "$(wc -l </tmp/layout)" \
        "$(first_difference </tmp/layout)" >&"$KAIJU_REPORT_FD"
done </kaiju/run/paths
