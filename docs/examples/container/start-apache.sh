#!/bin/sh
# Adds the listener's line at each start, since conf is a volume of the image, and starts NiFi as the image does.
line=nifi.nar.library.provider.nio-s2s.implementation=org.nios2s.listener.activation.NioSiteToSiteProvider
grep -qxF "$line" conf/nifi.properties || echo "$line" >>conf/nifi.properties
exec ../scripts/start.sh
