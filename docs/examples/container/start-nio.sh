#!/bin/sh
# Starts NiFi in the foreground. Lines of overrides.properties, if it is mounted here, replace those of nifi.properties.
set -eu
cd "$(dirname "$0")"
properties=conf/nifi.properties
carriage_return="$(printf '\r')"
set_property() {
    key="$(printf '%s' "$1" | sed 's/[][\.*^$/]/\\&/g')"
    sed -i "/^$key=/d" "$properties"
    # A last line without a newline stays a line of its own.
    [ -z "$(tail -c 1 "$properties")" ] || echo >>"$properties"
    printf '%s=%s\n' "$1" "$2" >>"$properties"
}
set_property nifi.nar.library.provider.nio-s2s.implementation org.nios2s.listener.activation.NioSiteToSiteProvider
if [ -f overrides.properties ]; then
    # A value may end with "=", and the last line without a newline.
    while IFS= read -r line || [ -n "$line" ]; do
        line="${line%"$carriage_return"}"
        case "$line" in
            '#'* | '!'*) ;;
            *=*) set_property "${line%%=*}" "${line#*=}" ;;
            *[![:space:]]*)
                echo "overrides.properties: a line has no '='; write it as name=value" >&2
                exit 1
                ;;
        esac
    done <overrides.properties
fi
[ ! -x bin/nifi.sh ] || exec bin/nifi.sh run
exec java -Xmx1g -Dnifi.properties.file.path=conf/nifi.properties -Dorg.apache.nifi.bootstrap.config.log.dir=logs \
    -cp "conf:lib/*" org.apache.nifi.NiFi
