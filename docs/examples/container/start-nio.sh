#!/bin/sh
# Starts NiFi in the foreground. Lines of overrides.properties, if it is mounted here, replace those of nifi.properties.
set -eu
cd "$(dirname "$0")"
set_property() {
    sed -i "/^$1=/d" conf/nifi.properties
    echo "$1=$2" >>conf/nifi.properties
}
set_property nifi.nar.library.provider.nio-s2s.implementation org.nios2s.listener.activation.NioSiteToSiteProvider
if [ -f overrides.properties ]; then
    while IFS='=' read -r key value; do
        [ -z "$key" ] || set_property "$key" "$value"
    done <overrides.properties
fi
[ ! -x bin/nifi.sh ] || exec bin/nifi.sh run
exec java -Xmx1g -Dnifi.properties.file.path=conf/nifi.properties -Dorg.apache.nifi.bootstrap.config.log.dir=logs \
    -cp "conf:lib/*" org.apache.nifi.NiFi
